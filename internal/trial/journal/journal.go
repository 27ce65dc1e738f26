// Package journal encodes the permanent record of a run: its plan, the outcome of each attempt
// at a trial, and the summary over all cells. In and out: the contents of a series of
// ConfigMaps, each far below the API server's limit of 1 MiB. This package does not access the
// cluster.
//
//	records.go   the records of trials, and what follows from the last one
//	plan.go      the plan, and the summary over all cells
//	chain.go     the links between records, and between parts
//
// The status of a run is derived from its records. Each part has the totals of the parts
// before it, so the last part alone shows the progress of the run.
//
// Managers of two releases may use the same journal during an upgrade or a rollback. A reader
// ignores unknown fields, and rewriting a part keeps them. A part that needs a newer reader is
// refused with a TooNewError, and the run waits.
package journal

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxPart bounds the uncompressed JSON of a part, in bytes. This package never writes a larger
// part.
const maxPart = 16 << 20

// maxMemory is about what a part takes when it is read: each object of the JSON takes at most about
// perObject, and each comma is one more element of a list or of a map. The largest part that this
// package writes takes less than half of it.
const maxMemory, perObject, perElement = 128 << 20, 300, 24

// TooNewError is the error for a journal that only a newer program may continue.
type TooNewError struct {
	// Version of the journal, and the reader level that it needs; 0 when the version differs.
	Version   string
	MinReader int
}

// Error has the remedy.
func (e *TooNewError) Error() string {
	if e.Version != contract.JournalVersion {
		return fmt.Sprintf("it was written by a newer Assay (format %s, this manager reads %s): upgrade the manager, the run goes on then",
			e.Version, contract.JournalVersion)
	}
	return fmt.Sprintf("it was written by a newer Assay (it needs reader %d, this manager has %d): upgrade the manager, the run goes on then",
		e.MinReader, contract.JournalReader)
}

// TooLargeError is the error for a part that is larger than this package writes.
type TooLargeError struct {
	// Bytes of its JSON before it is compressed, and the most that a part has.
	Bytes, Most int
}

// Error has both.
func (e *TooLargeError) Error() string { return fmt.Sprintf("%d bytes, more than %d", e.Bytes, e.Most) }

// header has the first fields of every part.
type header struct {
	// Version is always contract.JournalVersion.
	Version string `json:"version"`
	// MinReader is the lowest reader level that may continue the part.
	MinReader int `json:"minReader"`
	// Previous is the hex SHA-256 of the stored bytes of the part before; absent in the first part.
	Previous string `json:"previous,omitempty"`
}

// check refuses a part that this reader must not continue.
func (h header) check() error {
	switch {
	case h.Version == contract.JournalVersion && h.MinReader <= contract.JournalReader:
		return nil
	case strings.HasPrefix(h.Version, "assay.dev/journal/"):
		return &TooNewError{Version: h.Version, MinReader: h.MinReader}
	}
	return fmt.Errorf("version: got %q, want %q", h.Version, contract.JournalVersion)
}

// encode writes gzip-compressed JSON; equal values give equal bytes.
func encode(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding a part of the journal: %w", err)
	}
	if len(plain) > maxPart {
		return nil, fmt.Errorf("encoding a part of the journal: %w", &TooLargeError{Bytes: len(plain), Most: maxPart})
	}
	return contract.Compress(plain, gzip.DefaultCompression), nil
}

// decode reads what encode wrote: one JSON value with nothing after it.
func decode(gz []byte, into any) error {
	plain, err := open(gz)
	if err == nil {
		err = json.Unmarshal(plain, into)
	}
	if err != nil {
		return fmt.Errorf("decoding a part of the journal: %w", err)
	}
	return nil
}

// open decompresses a part and checks its header first, because a part for a newer reader may
// have any other fields.
func open(gz []byte) ([]byte, error) {
	plain, err := gunzip(gz)
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(plain, &h); err != nil {
		return nil, err
	}
	return plain, h.check()
}

func gunzip(gz []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(zip, maxPart+1))
	if err != nil {
		return nil, err
	}
	if len(plain) > maxPart {
		return nil, errors.New("more than 16 MiB of JSON")
	}
	// A few kilobytes of compressed empty objects would take gigabytes.
	if bytes.Count(plain, []byte("{"))*perObject+bytes.Count(plain, []byte(","))*perElement > maxMemory {
		return nil, fmt.Errorf("its %d bytes of JSON would take more than %d of memory", len(plain), maxMemory)
	}
	return plain, nil
}
