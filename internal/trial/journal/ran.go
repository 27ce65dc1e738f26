package journal

import (
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Ran is a plan without the trials that decisions of the records leave out: those behind a stop, and
// those that were skipped. They are not missing. The plan itself stays as it is.
func Ran(p *plan.Plan, records []contract.Record) *plan.Plan {
	type span struct{ from, to int32 }
	var out []span
	for _, rec := range records {
		switch d := rec.Decision; {
		case d == nil || !rec.Final:
		case d.Stop:
			out = append(out, span{rec.Index + 1, int32(len(p.Trials))})
		case d.Next != nil:
			out = append(out, span{rec.Index + 1, *d.Next})
		}
	}
	if len(out) == 0 {
		return p
	}
	ran := *p
	ran.Trials = slices.DeleteFunc(slices.Clone(p.Trials), func(t plan.Trial) bool {
		return slices.ContainsFunc(out, func(s span) bool { return t.Index >= s.from && t.Index < s.to })
	})
	return &ran
}
