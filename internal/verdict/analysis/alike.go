package analysis

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// alike says in what two targets are.
type alike struct {
	// differences that are known to change what is measured and are no part of what is compared, the most
	// important one first.
	differences []v1alpha1.SideDifference
	// unmet says which required aspects differ or are unknown; empty where all are alike.
	unmet string
}

// likeness of the sides of a comparison of targets. Other factors have the same servers on both sides.
func (a *analyst) likeness(c Contrast) alike {
	key := [2]int32{c.Value.Target, c.Baseline.Target}
	found, known := a.alike[key]
	if known || c.Value.Target == c.Baseline.Target {
		return found
	}
	value, baseline := a.Layout.Plan.Targets[c.Value.Target], a.Layout.Plan.Targets[c.Baseline.Target]
	compared := likeness.Compare(likeness.Input{
		First: a.side(baseline, baseline, likeness.OfTargets), Second: a.side(value, value, likeness.OfTargets), Factor: likeness.OfTargets,
	})
	found.differences = objections(compared)
	if require := a.Declaration.Require; len(require) > 0 {
		found.unmet = compared.Unlike(ClassesOf(require))
	}
	a.alike[key] = found
	if len(found.differences) > 0 {
		a.differing = append(a.differing, v1alpha1.SideDifferences{Value: value, Baseline: baseline, Differences: found.differences})
	}
	return found
}

// side of a comparison of circumstances: a target, under this name. What its spec sets counts where the targets are
// what is compared.
func (in Input) side(name, target string, factor likeness.Factor) likeness.Side {
	out := likeness.Side{Name: name, Records: in.Succeeded(target)}
	for _, axis := range in.Layout.Plan.Axes {
		if variable, is := (v1alpha1.Axis{Name: axis}).Setting(); is {
			out.Varied = append(out.Varied, variable)
		}
	}
	if factor == likeness.OfTargets {
		out.Settings = in.Settings[target]
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

// ClassesOf the aspects that a spec requires to be alike: they have the same names.
func ClassesOf(aspects []v1alpha1.LikeAspect) (out []likeness.Class) {
	for _, aspect := range aspects {
		out = append(out, likeness.Class(aspect))
	}
	return out
}

// between the trials of one target in two runs. Where the target itself is another one, its image and what its
// spec sets are what is compared, and no objection.
func between(first, second Run, target string, factor likeness.Factor) likeness.Comparison {
	return likeness.Compare(likeness.Input{First: first.side(first.Name, target, factor), Second: second.side(second.Name, target, factor), Factor: factor})
}

// Succeeded are the records of the trials of a target that the run shows.
func (in Input) Succeeded(target string) (out []contract.Record) {
	for _, t := range countedTrials(in.Layout, in.Records, summary.LeftOutShown) {
		if in.Layout.Plan.Targets[t.Target] == target {
			out = append(out, *t.record)
		}
	}
	return out
}
