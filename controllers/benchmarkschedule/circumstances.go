package benchmarkschedule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

const (
	// maxNamed changes of the circumstances are named.
	maxNamed = 6
	// maxFact of a value in a sentence, in bytes.
	maxFact = 48
)

// circumstances of the runs of a history: what else changed when a measurement did.
type circumstances struct {
	runs []contract.PastRun
	// known texts by the run: many measurements change in the same one.
	known map[string]string
}

func newCircumstances(runs []contract.PastRun) circumstances {
	return circumstances{runs: runs, known: map[string]string{}}
}

// changedIn says what else changed from the valid run before to the one of a name: what was asked of it, and machine, image,
// driver, server and settings as both runs recorded them. It is empty where nothing did, or nothing is known.
func (c circumstances) changedIn(name string) string {
	text, is := c.known[name]
	if !is {
		if before, at, both := pairOf(c.runs, name); both {
			text = alsoChanged(before, at)
		}
		c.known[name] = text
	}
	return text
}

// pairOf a run of a name and the valid one before it.
func pairOf(runs []contract.PastRun, name string) (before, at contract.PastRun, both bool) {
	for _, run := range runs {
		if run.Name == name {
			return before, run, before.Name != ""
		}
		if run.Valid == string(metav1.ConditionTrue) {
			before = run
		}
	}
	return before, at, false
}

// alsoChanged from a run to another one, such as
//
//	, where also server/version (10.11.8 to 10.11.9) and target/machine changed
func alsoChanged(before, at contract.PastRun) string {
	var words []string
	for _, d := range differences(before, at) {
		word := d.Name
		// The name of a machine says nothing: it is a number of its last start.
		if !strings.HasSuffix(d.Name, "/machine") {
			word += fmt.Sprintf(" (%s to %s)", fact(d.First), fact(d.Second))
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if more := len(words) - maxNamed; more > 0 {
		words = append(words[:maxNamed], fmt.Sprintf("%d more", more))
	}
	text := ""
	if len(words) > 0 {
		text = ", where also " + joined(words) + " changed"
	}
	if before.SpecHash != "" && at.SpecHash != "" && before.SpecHash != at.SpecHash {
		text += "; that run has another spec than the one before"
	}
	return text
}

// differences of the circumstances of each target that both runs have: machines, images and versions before settings.
func differences(before, at contract.PastRun) []likeness.Difference {
	var out []likeness.Difference
	for _, e := range at.Environment {
		i := slices.IndexFunc(before.Environment, func(b contract.PastEnvironment) bool { return b.Target == e.Target })
		if i < 0 {
			continue
		}
		side := func(e contract.PastEnvironment) likeness.Side {
			return likeness.Side{Name: e.Target, Records: []contract.Record{{Facts: e.Facts, MachineSpeed: e.MachineSpeed}}}
		}
		found := likeness.Compare(likeness.Input{First: side(before.Environment[i]), Second: side(e), Factor: likeness.OfParameters})
		out = append(out, found.Differences...)
	}
	slices.SortStableFunc(out, func(a, b likeness.Difference) int { return cmp.Compare(order(a), order(b)) })
	return out
}

// order of a difference in the sentence.
func order(d likeness.Difference) int {
	switch {
	case d.Class == likeness.Image:
		return 0
	case d.Class == likeness.CPU || d.Class == likeness.Kernel || strings.HasSuffix(d.Name, "/machine"):
		return 1
	}
	return 2
}

// fact is a value in a sentence.
func fact(value string) string {
	return contract.Cut(cmp.Or(contract.Line(value), "unset"), maxFact)
}

// joined words, with "and" before the last one.
func joined(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
