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
package journal

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Version names the format of every part. A reader refuses any other.
const Version = "assay.dev/journal/v1"

// maxPart bounds the uncompressed JSON of a part, in bytes: what gzip blows up
// beyond it was not written by this package.
const maxPart = 16 << 20

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

// decode reads what encode wrote: no unknown fields, nothing after the end, and the
// version that the value names.
func decode(gz []byte, into any, version func() string) error {
	zip, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return fmt.Errorf("decoding a part of the journal: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(zip, maxPart+1))
	if err != nil {
		return fmt.Errorf("decoding a part of the journal: %w", err)
	}
	if len(plain) > maxPart {
		return fmt.Errorf("decoding a part of the journal: more than %d bytes", maxPart)
	}
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("decoding a part of the journal: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("decoding a part of the journal: more data after the end")
	}
	if got := version(); got != Version {
		return fmt.Errorf("decoding a part of the journal: version: got %q, want %q", got, Version)
	}
	return nil
}
