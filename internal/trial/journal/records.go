package journal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unique"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// PerPart is the maximum number of records in a part. Each pass of the manager reads the last part, about 6 KB of JSON per record:
// with 100 records the time between two trials was 0.1 s longer at the end of a part than at the begin of the next.
// ValuesPerPart is the maximum number of values in a part: about 250 bytes each, compressed to a tenth.
const (
	PerPart       = 25
	ValuesPerPart = 10000
	// mostRecords of a part are read: stored runs have parts of as many.
	mostRecords = 100
)

// Sizes in bytes. Labels that do not compress would make a part of few records too large for a
// ConfigMap (1 MiB).
const (
	// maxRecordJSON and maxRecord are those of one record, before and after compression.
	maxRecordJSON = 4 << 20
	maxRecord     = 300 << 10
	// fullJSON and full are the sizes at which a part is full.
	fullJSON = 8 << 20
	full     = 500 << 10
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

	// read has the fields of the part as they were read, and written its records as they are
	// stored. Fields of a newer manager are kept.
	read    map[string]json.RawMessage
	written []json.RawMessage
	// size and sizeJSON are the bytes of the part as it was read.
	size, sizeJSON int
	// next attempt, where the part has no record.
	next Position
	// links of the part to what is before it.
	links
	// err of a record that cannot be encoded; Encode returns it.
	err error
}

// Full reports whether the next record goes into another part. It depends only on the existing
// records, so every manager decides the same.
func (r Records) Full() bool {
	values := 0
	for _, rec := range r.Records {
		values += len(rec.Values)
	}
	return len(r.Records) >= PerPart || values >= ValuesPerPart || r.size >= full || r.sizeJSON >= fullJSON
}

// Next is the empty part after a full part.
func (r Records) Next() Records {
	return Records{Part: r.Part + 1, Before: r.Totals(), next: r.Position(), links: r.linksOfNext(), err: r.err}
}

// Last is the latest record; nil for an empty part.
func (r Records) Last() *contract.Record {
	if len(r.Records) == 0 {
		return nil
	}
	return &r.Records[len(r.Records)-1]
}

// Add returns the part with one more record, linked to the one before. The receiver is
// unchanged.
func (r Records) Add(rec contract.Record) Records {
	rec.Previous = r.Head()
	r.Records = append(slices.Clip(r.Records), rec)
	r.written, r.stored = slices.Clip(r.written), ""
	for _, rec := range r.Records[len(r.written):] {
		data, err := json.Marshal(rec)
		if err != nil {
			r.err = fmt.Errorf("encoding the record of trial %d: %w", rec.Index, err)
		}
		r.written = append(r.written, data)
		r.follow(rec, data)
	}
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

// recordsJSON is a part on the wire.
type recordsJSON struct {
	header
	Part    int32             `json:"part"`
	Before  contract.Totals   `json:"before"`
	Records []json.RawMessage `json:"records"`
}

// Encode writes a part. Records that were read, and unknown fields of the part, are written
// unchanged.
func (r Records) Encode() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
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
	values := map[string]any{"version": contract.JournalVersion, "minReader": max(r.minReader, contract.ChainReader),
		"part": r.Part, "before": r.Before, "records": records}
	if r.previous != "" {
		values["previous"] = r.previous
	}
	for name, value := range values {
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

// maxValues of a trial stand in its record.
const maxValues = 5000

// MostValues of a trial stand in its record: the records of all trials are read together at the end of
// the run, in so much memory, and a quarter of that is for the rest of them.
func MostValues(memory int64, trials int) int {
	return min(maxValues, int(memory*3/4/ValueBytes)/max(trials, 1))
}

// Bytes of the part as it was read; 0 for one that was not.
func (r Records) Bytes() int64 { return int64(r.size) }

// CheckRecord fails for a record that is too large for any part, or takes more than these bytes
// compressed.
func CheckRecord(rec contract.Record, most int64) error {
	most = min(most, maxRecord)
	plain, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encoding the record of trial %d: %w", rec.Index, err)
	}
	if len(plain) > maxRecordJSON {
		return fmt.Errorf("the record of the trial with its %d values takes %d bytes, and a record has at most %d", len(rec.Values), len(plain), maxRecordJSON)
	}
	if int64(len(plain)) <= most {
		return nil
	}
	packed, err := encode(rec)
	if err != nil {
		return err
	}
	if int64(len(packed)) > most {
		return fmt.Errorf("the record of the trial with its %d values takes %d bytes compressed, and a record has at most %d", len(rec.Values), len(packed), most)
	}
	return nil
}

// DecodeRecords reads a part. It fails with a TooNewError for the part of a newer manager.
func DecodeRecords(gz []byte) (Records, error) {
	var wire recordsJSON
	if err := decode(gz, &wire); err != nil {
		return Records{}, err
	}
	if n := len(wire.Records); n > mostRecords {
		return Records{}, fmt.Errorf("decoding part %d: it has %d records, and a part has at most %d", wire.Part, n, mostRecords)
	}
	r := Records{Part: wire.Part, Before: wire.Before, next: Position{Index: wire.Before.Done}, written: wire.Records, size: len(gz)}
	r.links = links{minReader: wire.MinReader, previous: wire.Previous, stored: contract.Digest(gz)}
	if err := decode(gz, &r.read); err != nil {
		return Records{}, err
	}
	for i, data := range wire.Records {
		var rec contract.Record
		if err := json.Unmarshal(data, &rec); err != nil {
			return Records{}, fmt.Errorf("decoding record %d of part %d: %w", i, wire.Part, err)
		}
		// Most trials of a run have the same circumstances: thousands of records share one text.
		rec.Facts = unique.Make(rec.Facts).Value()
		r.Records = append(r.Records, rec)
		r.follow(rec, data)
		r.sizeJSON += len(data)
	}
	return r, nil
}
