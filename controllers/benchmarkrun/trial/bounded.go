package trial

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// maxFindings of a trial stand in its record.
const maxFindings = 50

// most values of a trial that stand in its record.
func (in Input) mostValues() int {
	trials := 1
	if in.Plan != nil {
		trials = len(in.Plan.Trials)
	}
	return journal.MostValues(in.Limits.ResultMemory.Value(), trials)
}

// recordBytes is what the record may take of the budget of its run.
func (in Input) recordBytes(rec contract.Record) int64 {
	cell := int64(0)
	for name, value := range rec.Parameters {
		cell += int64(len(name) + len(value.Text) + 16)
	}
	return budget.OfRecord(int64(in.Run.ClientCount()), int64(in.mostValues()), cell)
}

// What is left of a record whose findings do not fit.
const (
	fewFindings  = 10
	shortMessage = 256
)

// bounded is a record that fits into the journal, into the status and into its part of the budget,
// whatever a tool, a server or the cluster said. One that does not fit is the record of a failure.
func (in Input) bounded(rec contract.Record) contract.Record {
	rec.Reason, rec.Message = contract.Cut(rec.Reason, contract.MaxName), contract.Cut(rec.Message, contract.MaxMessage)
	rec.ClientImageID, rec.TargetNodeName = contract.Cut(rec.ClientImageID, contract.MaxText), contract.Cut(rec.TargetNodeName, contract.MaxName)
	rec.Findings = boundedFindings(rec.Findings, maxFindings, contract.MaxMessage)
	if err := journal.CheckRecord(rec, in.recordBytes(rec)); err != nil {
		rec.Values, rec.Valid = nil, nil
		rec.Findings = boundedFindings(rec.Findings, fewFindings, shortMessage)
		rec.State, rec.Reason = contract.Failed, v1alpha1.ReasonResultTooLarge
		rec.Message = contract.Cut(err.Error()+": print fewer measurements, or shorter names and labels", contract.MaxMessage)
	}
	return rec
}

// boundedFindings are the first of them, but those that are against the result before the others.
func boundedFindings(all []contract.RecordedFinding, most, message int) []contract.RecordedFinding {
	out := slices.Clone(all)
	if more := len(out) - most; more > 0 {
		slices.SortStableFunc(out, func(a, b contract.RecordedFinding) int { return weight(b) - weight(a) })
		out = append(out[:most-1], contract.RecordedFinding{
			Check: "findings-cut", Severity: string(validity.Note), Message: fmt.Sprintf("%d more findings about this trial are not kept", more+1),
		})
	}
	for i := range out {
		out[i].Message = contract.Cut(out[i].Message, message)
	}
	return out
}

func weight(f contract.RecordedFinding) int {
	return slices.Index([]string{string(validity.Note), string(validity.Warning), string(validity.Disturbed), string(validity.Invalid)}, f.Severity)
}
