package bundle

import (
	"errors"
	"fmt"
)

// DigestError is the error for a file that is not what the index says.
type DigestError struct {
	// Path of the file, and its SHA-256 and that of the index, in hexadecimal.
	Path, Have, Want string
}

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
