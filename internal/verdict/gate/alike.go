package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// likeness of the circumstances of both sides, target by target. A run is compared with an earlier one
// of the same target, so that another image of the server is a difference, too.
func (j *judgement) likeness() {
	var targets []string
	most := maxDifferences / len(j.Gate.Baselines())
	for _, e := range j.expected {
		if slices.Contains(targets, e.Key.Target) || !slices.Contains(j.Run.Layout.Plan.Targets, e.Key.Target) {
			continue
		}
		targets = append(targets, e.Key.Target)
		c := likeness.Compare(likeness.Input{
			First:  likeness.Side{Name: "baseline", Records: baseline.Records(j.Baseline.Spec, e.Key.Target)},
			Second: likeness.Side{Name: "run", Records: j.Run.Succeeded(e.Key.Target)}, Factor: likeness.OfParameters,
		})
		for _, d := range c.Objections() {
			text := e.Key.Target + ": " + d.Name + " (" + cmp.Or(d.First, "absent") + " became " + cmp.Or(d.Second, "absent") + ")"
			if d.Class == likeness.MachineSpeed {
				text = e.Key.Target + ": " + d.Name + " (" + d.Why + ")"
			}
			if len(j.status.Differences) < most {
				j.status.Differences = append(j.status.Differences, contract.Cut(text, maxText))
			}
		}
		if unmet := c.Unlike(analysis.ClassesOf(j.Gate.RequireLike)); unmet != "" && j.unmet == "" {
			j.unmet = contract.Cut(e.Key.Target+": "+unmet, maxText)
		}
	}
}

// otherWorkload says in what the workload differs from that of the baseline's run; empty where it does
// not, and where it is not known.
func (j *judgement) otherWorkload() string {
	all := baseline.Differing(j.Baseline.Spec.Run.Workload, j.Workload)
	text := strings.Join(all[:min(len(all), maxNamed)], ", ")
	if more := len(all) - maxNamed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return contract.Cut(text, maxText)
}
