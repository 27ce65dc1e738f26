package contract

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// MaxJSONBytes bounds the uncompressed JSON of a Result. Gzip can shrink zeros a thousandfold, so the size of a
// ConfigMap alone does not bound what a reader has to hold in memory.
const MaxJSONBytes = 16 << 20

// VersionError is the error for a result in an unknown format.
type VersionError struct {
	// Got is the version in the result.
	Got string
}

// Error has the two versions and the remedy.
func (e *VersionError) Error() string {
	return fmt.Sprintf("version: got %q, want %q: use an agent and a manager of the same release", e.Got, ResultVersion)
}

// Encode writes the canonical form: gzip-compressed JSON. Equal results give equal bytes within one release. Texts are
// cut as by Shorten; what is beyond DefaultBounds is a TooLargeError.
func Encode(r Result) ([]byte, error) {
	if err := errors.Join(r.Validate(), r.checkElements(DefaultBounds())); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	r = Shorten(r)
	plain, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	if err := countJSON(plain, DefaultBounds()); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return Compress(plain, gzip.BestCompression), nil
}

// Compress writes a document as gzip, of one of its levels.
func Compress(plain []byte, level int) []byte {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, level)
	if err == nil {
		_, err = zip.Write(plain)
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("compressing in memory: %v", err)) // only a level that there is not
	}
	return out.Bytes()
}

// Digest is the hex SHA-256 of the compressed bytes, as the agent writes it into its termination message.
func Digest(gz []byte) string {
	sum := sha256.Sum256(gz)
	return hex.EncodeToString(sum[:])
}

// Validate checks that the fields of a result are consistent with each other.
func (r Result) Validate() error {
	switch {
	case r.Version != ResultVersion:
		return &VersionError{Got: r.Version}
	case r.State != Succeeded && r.State != Failed:
		return fmt.Errorf("state: got %q, want %s or %s", r.State, Succeeded, Failed)
	case r.State == Failed && r.Failure == nil:
		return errors.New("failure: missing although the state is Failed: give a reason and a message")
	case r.State == Succeeded && r.Failure != nil:
		return errors.New("failure: set although the state is Succeeded: leave it out, or set the state to Failed")
	case r.State == Failed && r.Failure.Reason == "":
		return errors.New("failure.reason: empty: give one of the documented reasons")
	}
	return nil
}
