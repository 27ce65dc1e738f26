package journal

import (
	"github.com/assay-bench/assay/api/v1alpha1"
)

// PerPart is the number of records in a part: one of 2 KiB each is far from the
// limit of a ConfigMap even before compression. ValuesPerPart is how many values they
// may have together, of some 250 bytes each, which compression makes ten times smaller.
const (
	PerPart       = 100
	ValuesPerPart = 10000
)

// Record is what became of one attempt at a trial.
type Record struct {
	v1alpha1.TrialStatus
	// Final: the trial has ended with this attempt.
	Final bool `json:"final"`
	// Throttled are the shares of the CPU periods of the window in which the target (CPU) or a
	// client (Client; the one that waited most) had to wait, also where they are too small for
	// a label in LimitedBy.
	Throttled []v1alpha1.Limit `json:"throttled,omitempty"`
	// Findings about its result.
	Findings []v1alpha1.Finding `json:"findings,omitempty"`
}

// Records is one part of the records of a run, in the order in which the attempts
// ended.
type Records struct {
	// Version is always the constant Version.
	Version string `json:"version"`
	// Part is the number of the part, from 0.
	Part int32 `json:"part"`
	// Before are the totals of all parts before this one.
	Before v1alpha1.Totals `json:"before"`
	// Records, until it is Full.
	Records []Record `json:"records"`
}

// First is the empty first part.
func First() Records { return Records{Version: Version} }

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
	return Records{Version: Version, Part: r.Part + 1, Before: r.Totals()}
}

// Last is the latest record; nil when there is none in this part.
func (r Records) Last() *Record {
	if len(r.Records) == 0 {
		return nil
	}
	return &r.Records[len(r.Records)-1]
}

// Add returns the part with one record more. The receiver stays as it is.
func (r Records) Add(rec Record) Records {
	r.Records = append(append([]Record(nil), r.Records...), rec)
	return r
}

// Totals counts the trials up to the end of this part.
func (r Records) Totals() v1alpha1.Totals {
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
		case rec.State == v1alpha1.TrialFailed:
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

// Encode writes a part.
func (r Records) Encode() ([]byte, error) { return encode(r) }

// DecodeRecords reads a part.
func DecodeRecords(gz []byte) (Records, error) {
	var r Records
	err := decode(gz, &r, func() string { return r.Version })
	return r, err
}
