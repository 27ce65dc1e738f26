package readout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// Differences between two targets that are compared.
type Differences struct {
	Value    string `json:"value"`
	Baseline string `json:"baseline"`
	// Differences, the most important ones first.
	Differences []Difference `json:"differences"`
}

// Difference is one property in which the sides differ besides what is compared, such as log_bin or target/cpu.
type Difference struct {
	v1alpha1.SideDifference
	// Meaning is why it matters; absent where that is unknown.
	Meaning string `json:"meaning,omitempty"`
}

// Favours is the name of the target that such a difference can help; empty where that is unknown.
func (d Differences) Favours(one Difference) string {
	switch one.Faster {
	case v1alpha1.FasterValue:
		return d.Value
	case v1alpha1.FasterBaseline:
		return d.Baseline
	}
	return ""
}

// fewDiffering names stand in a line; of more, the number.
const fewDiffering = 3

// differ is what a line says of differences; empty without any. Nodes are told apart: what of a difference is that of the
// machines is not known, whatever the settings are.
func differ(all []v1alpha1.SideDifference) string {
	rest := slices.DeleteFunc(slices.Clone(all), func(d v1alpha1.SideDifference) bool { return d.Name == likeness.FactNode })
	text := properties(rest)
	if len(rest) == len(all) {
		return text
	}
	return strings.TrimSuffix("on different nodes; "+text, "; ")
}

// properties that differ, for a line; empty without any.
func properties(all []v1alpha1.SideDifference) string {
	var names []string
	settings := 0
	for _, d := range all {
		names = append(names, contract.Line(d.Name))
		if !strings.Contains(d.Name, "/") {
			settings++
		}
	}
	switch others := len(all) - settings; {
	case len(all) == 0:
		return ""
	case len(all) <= fewDiffering:
		return "differs in " + strings.Join(names, ", ")
	case others == 0:
		return fmt.Sprintf("%d settings that matter differ", settings)
	case settings == 0:
		return fmt.Sprintf("%d properties that matter differ", others)
	default:
		return fmt.Sprintf("%s and %s that matter differ", figure.Counted(settings, "setting"), plural(others, "other property", "other properties"))
	}
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return figure.Grouped(fmt.Sprint(n)) + " " + more
}

// between two targets.
func (a about) between(value, baseline string) []v1alpha1.SideDifference {
	for _, d := range a.differences {
		if d.Value == value && d.Baseline == baseline {
			return d.Differences
		}
	}
	return nil
}

// differencesOf all pairs of a run.
func differencesOf(all []v1alpha1.SideDifferences) (out []Differences) {
	for _, pair := range all {
		one := Differences{Value: pair.Value, Baseline: pair.Baseline}
		for _, d := range pair.Differences {
			one.Differences = append(one.Differences, Difference{d, likeness.Meaning(d.Name)})
		}
		out = append(out, one)
	}
	return out
}
