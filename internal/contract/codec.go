package contract

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxJSONBytes bounds the uncompressed JSON of a Result. Gzip can shrink zeros a
// thousandfold, so the size of a ConfigMap alone does not bound what a reader
// has to hold in memory.
const MaxJSONBytes = 32 << 20

// ErrTooLarge is the cause when the JSON of a result is over MaxJSONBytes.
var ErrTooLarge = fmt.Errorf("the result is larger than %d bytes of JSON", MaxJSONBytes)

// VersionError says that a result has a format that this reader does not know.
type VersionError struct {
	// Got is the version that the result names.
	Got string
}

// Error names the two versions and the remedy.
func (e *VersionError) Error() string {
	return fmt.Sprintf("version: got %q, want %q: use an agent and a manager of the same release", e.Got, ResultVersion)
}

// Encode writes the canonical form: gzip-compressed JSON. Equal results give
// equal bytes within one release.
func Encode(r Result) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	plain, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	if len(plain) > MaxJSONBytes {
		return nil, fmt.Errorf("encode result: %w", ErrTooLarge)
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	if _, err := zip.Write(plain); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return out.Bytes(), nil
}

// Decode reads what Encode wrote. It refuses another version, unknown fields,
// anything after the end, and more than MaxJSONBytes.
func Decode(gz []byte) (Result, error) {
	plain, err := gunzip(gz)
	if err != nil {
		return Result{}, fmt.Errorf("decode result: %w", err)
	}
	if err := checkVersion(plain); err != nil {
		return Result{}, fmt.Errorf("decode result: %w", err)
	}
	var r Result
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Result{}, fmt.Errorf("decode result: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Result{}, errors.New("decode result: more data after the end of the JSON document")
	}
	if err := r.Validate(); err != nil {
		return Result{}, fmt.Errorf("decode result: %w", err)
	}
	return r, nil
}

// Digest is the hex SHA-256 of the compressed bytes, as the agent writes it into
// its termination message.
func Digest(gz []byte) string {
	sum := sha256.Sum256(gz)
	return hex.EncodeToString(sum[:])
}

// Validate says whether the parts that readers rely on agree with each other.
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

func gunzip(gz []byte) ([]byte, error) {
	in := bytes.NewReader(gz)
	zip, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	zip.Multistream(false)
	plain, err := io.ReadAll(io.LimitReader(zip, MaxJSONBytes+1))
	if err != nil {
		return nil, err
	}
	if len(plain) > MaxJSONBytes {
		return nil, ErrTooLarge
	}
	if in.Len() > 0 {
		return nil, fmt.Errorf("%d bytes after the end of the gzip stream", in.Len())
	}
	return plain, nil
}

// checkVersion looks at the version first, so that the complaint about another
// format is its version and not the first field that differs.
func checkVersion(plain []byte) error {
	var head struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(plain, &head); err != nil {
		return err
	}
	if head.Version != ResultVersion {
		return &VersionError{Got: head.Version}
	}
	return nil
}
