// Package journal is what a run writes down for good: its plan, what became of each
// attempt at a trial, and the summary over all cells. A journal is a row of
// ConfigMaps, each far below the 1 MiB that the API server takes; this package
// knows their contents, not the cluster.
//
//	records.go   the records of trials, and what follows from the last one
//	plan.go      the plan, and the summary over all cells
//
// The records are the truth about what was measured: the status of a run is derived
// from them. Each part bears the totals of the parts before it, so that the last
// part alone tells how far the run is.
//
// Managers of two releases may work on one journal, when one is replaced by the other.
// A reader leaves alone the fields that it does not know, and rewriting a part keeps
// them. A part that needs a newer reader is refused with a TooNewError: the run waits.
package journal

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// maxPart bounds the uncompressed JSON of a part, in bytes: what gzip blows up
// beyond it was not written by this package.
const maxPart = 16 << 20

// TooNewError says that only a newer program may go on with a journal.
type TooNewError struct {
	// Version of the journal, and the reader that it needs; 0 when another version says it all.
	Version   string
	MinReader int
}

// Error names the remedy.
func (e *TooNewError) Error() string {
	if e.Version != contract.JournalVersion {
		return fmt.Sprintf("it was written by a newer Assay (format %s, this manager reads %s): upgrade the manager, the run goes on then",
			e.Version, contract.JournalVersion)
	}
	return fmt.Sprintf("it was written by a newer Assay (it needs reader %d, this manager has %d): upgrade the manager, the run goes on then",
		e.MinReader, contract.JournalReader)
}

// header is what every part begins with.
type header struct {
	// Version is always contract.JournalVersion.
	Version string `json:"version"`
	// MinReader is the least reader that may go on with the part; absent for 1.
	MinReader int `json:"minReader,omitempty"`
}

// check refuses a part that is not for this reader.
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
		return nil, fmt.Errorf("encoding a part of the journal: %d bytes, more than %d", len(plain), maxPart)
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(plain); err != nil {
		return nil, fmt.Errorf("encoding a part of the journal: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("encoding a part of the journal: %w", err)
	}
	return out.Bytes(), nil
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

// open unpacks a part that is for this reader. The header is read first, because a part for
// a newer reader may have any shape.
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
	return plain, nil
}
