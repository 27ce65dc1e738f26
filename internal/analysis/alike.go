package analysis

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/likeness"
)

// maxDiffering names stand in one comparison: as many as are known of two sides.
const maxDiffering = likeness.MaxDifferences

// Alike compares the circumstances of two targets of a run.
func Alike(sides Sides) Likeness {
	c := likeness.Compare(likeness.Input{
		First:  likeness.Side{Name: sides.Baseline, Records: sides.BaselineRecords},
		Second: likeness.Side{Name: sides.Value, Records: sides.ValueRecords}, Factor: likeness.OfTargets,
	})
	out := Likeness{Differences: objections(c), Words: c.DiffersIn()}
	if len(sides.Require) > 0 {
		out.Unmet = c.Unlike(classesOf(sides.Require))
	}
	return out
}

// objections by their names.
func objections(c likeness.Comparison) (out []string) {
	for _, d := range c.Objections() {
		if len(out) < maxDiffering {
			out = append(out, d.Name)
		}
	}
	return out
}

// classesOf the aspects that a spec requires to be alike: they have the same names.
func classesOf(aspects []v1alpha1.LikeAspect) (out []likeness.Class) {
	for _, aspect := range aspects {
		out = append(out, likeness.Class(aspect))
	}
	return out
}

// between the trials of one target in two runs. Where the target itself is another one, its image
// is what is compared, and no objection.
func between(first, second Run, target string, factor likeness.Factor) likeness.Comparison {
	return likeness.Compare(likeness.Input{
		First:  likeness.Side{Name: first.Name, Records: first.of(target)},
		Second: likeness.Side{Name: second.Name, Records: second.of(target)}, Factor: factor,
	})
}

// of a target: the records of its trials that count.
func (r Run) of(target string) (out []contract.Record) {
	for _, t := range countedTrials(r.Layout, r.Records) {
		if r.Layout.Plan.Targets[t.Target] == target {
			out = append(out, *t.record)
		}
	}
	return out
}
