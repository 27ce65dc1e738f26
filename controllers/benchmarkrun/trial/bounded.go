package trial

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/validity"
)

// maxFindings of a trial stand in its record.
const maxFindings = 50

// most values of a trial that stand in its record: the records of all trials are read together at
// the end of the run, and a quarter of that memory is for the rest of them.
func (in Input) mostValues() int {
	all := in.Limits.ResultMemory.Value() * 3 / 4 / journal.ValueBytes
	trials := 1
	if in.Plan != nil {
		trials = max(len(in.Plan.Trials), 1)
	}
	return min(maxValues, int(all)/trials)
}

// bounded is a record that fits into the journal and into the status, whatever a tool, a server or
// the cluster said. One whose values do not fit is the record of a failure.
func bounded(rec contract.Record) contract.Record {
	rec.Reason, rec.Message = contract.Cut(rec.Reason, contract.MaxName), contract.Cut(rec.Message, contract.MaxMessage)
	rec.ClientImageID, rec.TargetNodeName = contract.Cut(rec.ClientImageID, contract.MaxText), contract.Cut(rec.TargetNodeName, contract.MaxName)
	rec.Findings = boundedFindings(rec.Findings)
	if err := journal.CheckRecord(rec); err != nil {
		rec.Values, rec.Valid = nil, nil
		rec.State, rec.Reason = contract.Failed, v1alpha1.ReasonResultTooLarge
		rec.Message = contract.Cut(err.Error()+": print fewer measurements, or shorter names and labels", contract.MaxMessage)
	}
	return rec
}

// boundedFindings are the first of them, but those that are against the result before the others.
func boundedFindings(all []contract.RecordedFinding) []contract.RecordedFinding {
	out := slices.Clone(all)
	if more := len(out) - maxFindings; more > 0 {
		slices.SortStableFunc(out, func(a, b contract.RecordedFinding) int { return weight(b) - weight(a) })
		out = append(out[:maxFindings-1], contract.RecordedFinding{
			Check: "findings-cut", Severity: string(validity.Note), Message: fmt.Sprintf("%d more findings about this trial are not kept", more+1),
		})
	}
	for i := range out {
		out[i].Message = contract.Cut(out[i].Message, contract.MaxMessage)
	}
	return out
}

func weight(f contract.RecordedFinding) int {
	return slices.Index([]string{string(validity.Note), string(validity.Warning), string(validity.Disturbed), string(validity.Invalid)}, f.Severity)
}
