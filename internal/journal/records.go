package journal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-bench/assay/internal/contract"
)

// PerPart is the number of records in a part: one of 2 KiB each is far from the
// limit of a ConfigMap even before compression. ValuesPerPart is how many values they
// may have together, of some 250 bytes each, which compression makes ten times smaller.
const (
	PerPart       = 100
	ValuesPerPart = 10000
)

// Records is one part of the records of a run, in the order in which the attempts
// ended.
type Records struct {
	// Part is the number of the part, from 0.
	Part int32
	// Before are the totals of all parts before this one.
	Before contract.Totals
	// Records, until it is Full.
	Records []contract.Record

	// read is the part as it was read, by field, and written the records in it, as they were
	// read: what a newer manager put there is kept.
	read    map[string]json.RawMessage
	written []json.RawMessage
}

// Full says that the next record goes into another part. That depends on nothing but the
// records that are there, so every manager decides the same.
func (r Records) Full() bool {
	values := 0
	for _, rec := range r.Records {
		values += len(rec.Values)
	}
	return len(r.Records) >= PerPart || values >= ValuesPerPart
}

// Next is the empty part after a full one.
func (r Records) Next() Records {
	return Records{Part: r.Part + 1, Before: r.Totals()}
}

// Last is the latest record; nil when there is none in this part.
func (r Records) Last() *contract.Record {
	if len(r.Records) == 0 {
		return nil
	}
	return &r.Records[len(r.Records)-1]
}

// Add returns the part with one record more. The receiver stays as it is.
func (r Records) Add(rec contract.Record) Records {
	r.Records = append(slices.Clip(r.Records), rec)
	return r
}

// Totals counts the trials up to the end of this part.
func (r Records) Totals() contract.Totals {
	t := r.Before
	for _, rec := range r.Records {
		if rec.Attempt > 0 {
			t.Retries++
		}
		if !rec.Final {
			continue
		}
		t.Done++
		switch {
		case rec.State == contract.Failed:
			t.Failed++
			continue
		case rec.Valid != nil && !*rec.Valid:
			t.Invalid++
		case rec.Disturbed:
			t.Disturbed++
		}
		t.Succeeded++
	}
	return t
}

// Position is the attempt that comes next: the trial at Index of the plan.
type Position struct {
	Index, Attempt int32
}

// Position follows from the last record: trials are measured in the order of the
// plan, one at a time. An empty part continues the totals of those before it.
func (r Records) Position() Position {
	last := r.Last()
	if last == nil {
		return Position{Index: r.Before.Done}
	}
	if last.Final {
		return Position{Index: last.Index + 1}
	}
	return Position{Index: last.Index, Attempt: last.Attempt + 1}
}

// recordsJSON is a part on the wire.
type recordsJSON struct {
	header
	Part    int32             `json:"part"`
	Before  contract.Totals   `json:"before"`
	Records []json.RawMessage `json:"records"`
}

// Encode writes a part. Records that were read go out as they came, and so do fields of
// the part that this program does not know.
func (r Records) Encode() ([]byte, error) {
	fields := maps.Clone(r.read)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	records := slices.Clone(r.written)
	for _, rec := range r.Records[len(r.written):] {
		data, err := json.Marshal(rec)
		if err != nil {
			return nil, fmt.Errorf("encoding the record of trial %d: %w", rec.Index, err)
		}
		records = append(records, data)
	}
	for name, value := range map[string]any{"version": contract.JournalVersion, "part": r.Part, "before": r.Before, "records": records} {
		if _, read := r.read[name]; read && name != "records" {
			continue
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encoding %s of the records: %w", name, err)
		}
		fields[name] = data
	}
	return encode(fields)
}

// DecodeRecords reads a part. A TooNewError says that it is for a newer manager.
func DecodeRecords(gz []byte) (Records, error) {
	var wire recordsJSON
	if err := decode(gz, &wire); err != nil {
		return Records{}, err
	}
	r := Records{Part: wire.Part, Before: wire.Before, written: wire.Records}
	if err := decode(gz, &r.read); err != nil {
		return Records{}, err
	}
	for i, data := range wire.Records {
		var rec contract.Record
		if err := json.Unmarshal(data, &rec); err != nil {
			return Records{}, fmt.Errorf("decoding record %d of part %d: %w", i, wire.Part, err)
		}
		r.Records = append(r.Records, rec)
	}
	return r, nil
}
