package bundle

import (
	"errors"
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// ErrDamaged is the error for a file that is not what its index says, or that no index can be read of. A bundle of another
// version, and a file that cannot be opened, is not damaged.
var ErrDamaged = errors.New("the bundle is damaged")

// damaged is an error of a file that is not what its index says.
type damaged struct{ error }

// Is ErrDamaged, too.
func (damaged) Is(target error) bool { return target == ErrDamaged }

// Unwrap is the error.
func (d damaged) Unwrap() error { return d.error }

// versionError is that of a bundle of another version.
type versionError string

// Error says what to do.
func (v versionError) Error() string {
	return fmt.Sprintf("version: got %q, want %q: use the release of Assay that made the bundle, or a newer one", contract.Cut(string(v), contract.MaxName), Version)
}

// DigestError is the error for a file that is not what the index says.
type DigestError struct {
	// Path of the file, and its SHA-256 and that of the index, in hexadecimal.
	Path, Have, Want string
}

// Is ErrDamaged, too.
func (e *DigestError) Is(target error) bool { return target == ErrDamaged }

// Error names the file.
func (e *DigestError) Error() string {
	return fmt.Sprintf("%s has the SHA-256 %.12s, and %.12s by the index", e.Path, e.Have, e.Want)
}

// Check every file against its digest, and return those that differ. It fails when the bundle cannot
// be read.
func (b *Bundle) Check() ([]DigestError, error) {
	var out []DigestError
	for i := range b.Index.Files {
		_, err := b.content(i)
		var differs *DigestError
		switch {
		case errors.As(err, &differs):
			out = append(out, *differs)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", b, err)
		}
	}
	return out, nil
}
