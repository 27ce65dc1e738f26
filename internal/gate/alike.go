package gate

import (
	"slices"

	"github.com/assay-bench/assay/internal/baseline"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/likeness"
)

// likeness of the circumstances of both sides, target by target. A run is compared with an earlier one
// of the same target, so that another image of the server is a difference, too.
func (j *judgement) likeness(expected []baseline.Expected) {
	var classes []likeness.Class
	for _, aspect := range j.Gate.RequireLike {
		classes = append(classes, likeness.Class(aspect))
	}
	var targets []string
	for _, e := range expected {
		if slices.Contains(targets, e.Key.Target) || !slices.Contains(j.Run.Layout.Plan.Targets, e.Key.Target) {
			continue
		}
		targets = append(targets, e.Key.Target)
		c := likeness.Compare(likeness.Input{
			First:  likeness.Side{Name: "baseline", Records: baseline.Records(j.Baseline.Spec, e.Key.Target)},
			Second: likeness.Side{Name: "run", Records: j.Run.Succeeded(e.Key.Target)}, Factor: likeness.OfParameters,
		})
		for _, d := range c.Objections() {
			text := e.Key.Target + ": " + d.Name + " (" + orNone(d.First) + " became " + orNone(d.Second) + ")"
			if d.Class == likeness.MachineSpeed {
				text = e.Key.Target + ": " + d.Name + " (" + d.Why + ")"
			}
			if len(j.status.Differences) < maxDifferences {
				j.status.Differences = append(j.status.Differences, contract.Cut(text, maxText))
			}
		}
		if unmet := c.Unlike(classes); unmet != "" && j.unmet == "" {
			j.unmet = contract.Cut(e.Key.Target+": "+unmet, maxText)
		}
	}
}

func orNone(value string) string {
	if value == "" {
		return "absent"
	}
	return value
}
