package analysis

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// Alike compares the circumstances of two targets of a run.
func Alike(sides Sides) Likeness {
	c := likeness.Compare(likeness.Input{
		First:  likeness.Side{Name: sides.Baseline, Records: sides.BaselineRecords, Settings: sides.BaselineSettings},
		Second: likeness.Side{Name: sides.Value, Records: sides.ValueRecords, Settings: sides.ValueSettings}, Factor: likeness.OfTargets,
	})
	out := Likeness{Differences: objections(c)}
	if len(sides.Require) > 0 {
		out.Unmet = c.Unlike(classesOf(sides.Require))
	}
	return out
}

// SettingsOf the servers of a run: what its spec sets, with the ConfigMaps that it names, by target. Settings
// that Assay derives are none of them.
func SettingsOf(resolved *v1alpha1.Resolved) map[string][]contract.Setting {
	out := map[string][]contract.Setting{}
	if resolved == nil {
		return out
	}
	for _, target := range resolved.Targets {
		for _, s := range target.Settings {
			if s.Source == v1alpha1.SourceSpec {
				out[target.Name] = append(out[target.Name], contract.Setting{Name: s.Name, Value: s.Value})
			}
		}
	}
	return out
}

// objections with the values of both sides in force.
func objections(c likeness.Comparison) (out []v1alpha1.SideDifference) {
	for _, d := range c.Objections() {
		one := v1alpha1.SideDifference{Name: d.Name, Value: cut(d.Second, maxSideValue), Baseline: cut(d.First, maxSideValue)}
		switch d.Faster {
		case likeness.FirstFaster:
			one.Faster = v1alpha1.FasterBaseline
		case likeness.SecondFaster:
			one.Faster = v1alpha1.FasterValue
		}
		out = append(out, one)
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

// between the trials of one target in two runs. Where the target itself is another one, its image and what its
// spec sets are what is compared, and no objection.
func between(first, second Run, target string, factor likeness.Factor) likeness.Comparison {
	in := likeness.Input{
		First:  likeness.Side{Name: first.Name, Records: first.of(target)},
		Second: likeness.Side{Name: second.Name, Records: second.of(target)}, Factor: factor,
	}
	if factor == likeness.OfTargets {
		in.First.Settings, in.Second.Settings = first.Settings[target], second.Settings[target]
	}
	return likeness.Compare(in)
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
