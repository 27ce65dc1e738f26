package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// lacks is what the verdict does not say, as far as the run itself knows it.
func lacks(in Input) (out []string) {
	primary := family(in, v1alpha1.FamilyPrimary)
	switch {
	case len(primary) == 0 && in.Run.Status.Gate != nil:
		out = append(out, "No comparison was declared before the data, so there is no verdict on differences within the run: they are hints for the next run. "+
			"The gate, above, compares with earlier runs.")
	case len(primary) == 0:
		out = append(out, "No comparison was declared before the data, so there is no verdict: differences between numbers are hints for the next run.")
	default:
		out = append(out, "It is about these servers on these nodes in this one run. How another run would differ is in no interval: "+
			"repeat the run, and analyse the runs together with kubectl assay compare.")
	}
	if text := inconclusive(primary); text != "" {
		out = append(out, text)
	}
	if names := differencesOf(in.Comparisons); len(names) > 0 {
		out = append(out, "The sides differ in more than what is compared: "+some(names)+".")
	}
	if n := len(family(in, v1alpha1.FamilyExploratory)); n > 0 && len(primary) > 0 {
		out = append(out, plural(n, "exploratory comparison")+" below have no error rate: they are hints.")
	}
	out = append(out, limitsOf(in.Entries)...)
	if text := leftOut(in.Entries); text != "" {
		out = append(out, text)
	}
	if len(in.Quoted) > 0 {
		out = append(out, "Quoted numbers were measured by somebody else, somewhere else. No test uses them.")
	}
	return out
}

// inconclusive comparisons, and the difference that all of them would have found; empty without one.
func inconclusive(primary []v1alpha1.ComparisonEntry) string {
	n, largest, known := 0, 0.0, true
	for _, e := range primary {
		if e.Verdict != v1alpha1.VerdictInconclusive {
			continue
		}
		d, ok := decimal(e.DetectableEffect)
		n, largest, known = n+1, max(largest, d), known && ok
	}
	switch {
	case n == 0:
		return ""
	case !known:
		return "Inconclusive is not equal."
	}
	return fmt.Sprintf("Inconclusive is not equal. Where the verdict is that, these blocks find a difference of %s or more in four of five runs, with this spread.",
		strings.TrimPrefix(percent(largest), "+"))
}

// Names of differences of all comparisons together, and the bytes of one: whatever a hostile summary holds.
const maxDiffering, maxName = 200, 80

// differencesOf all comparisons that are known to matter, each once.
func differencesOf(all []v1alpha1.ComparisonEntry) (out []string) {
	for _, e := range all {
		for _, name := range e.Differences {
			if !slices.Contains(out, name) && len(out) < maxDiffering {
				out = append(out, contract.Cut(contract.Line(name), maxName))
			}
		}
	}
	return out
}

// mainName of the measurements: that of the first entry.
func mainName(entries []v1alpha1.SummaryEntry) string {
	if len(entries) == 0 {
		return ""
	}
	return entries[0].Name
}

// Doubts beside the limits of a server, as limitsOf counts them.
const (
	saturated v1alpha1.LimitKind = "Saturated"
	unsteady  v1alpha1.LimitKind = "Unsteady"
)

// limitsOf the trials behind the main measurement: what else than the servers decided their numbers. A trial counts once,
// however many labelled values it has: of each cell and target the entry with most trials stands for all.
func limitsOf(entries []v1alpha1.SummaryEntry) (out []string) {
	type place struct {
		cell   int32
		target string
	}
	trials, doubts, targets := map[place]int32{}, map[v1alpha1.LimitKind]map[place]int32{}, map[string]bool{}
	for _, e := range entries {
		if e.Name != mainName(entries) {
			continue
		}
		at := place{e.Cell, e.Target}
		count := func(by v1alpha1.LimitKind, n int32) {
			if doubts[by] == nil {
				doubts[by] = map[place]int32{}
			}
			doubts[by][at] = max(doubts[by][at], n)
		}
		trials[at], targets[e.Target] = max(trials[at], e.TrialCount), true
		for _, l := range e.LimitedBy {
			count(l.By, l.TrialCount)
		}
		count(saturated, e.SaturatedTrialCount)
		if e.Steadiness != nil {
			count(unsteady, e.Steadiness.NotSteady)
		}
	}
	sum := func(of map[place]int32) (n int32) {
		for _, one := range of {
			n += one
		}
		return n
	}
	add := func(by v1alpha1.LimitKind, text string) {
		if n := sum(doubts[by]); n > 0 {
			out = append(out, fmt.Sprintf("In %d of %d trials %s.", n, sum(trials), text))
		}
	}
	cpu := "the server used up the CPU of its shape"
	if len(targets) > 1 {
		cpu += ": with more CPU the order may be another"
	}
	add(v1alpha1.LimitClient, "the client was at its own CPU limit: they say how fast the client is")
	add(v1alpha1.LimitCPU, cpu)
	add(v1alpha1.LimitMemory, "the server waited for memory within the limit of its shape")
	add(saturated, "the offered rate was not achieved, so that latencies grow with the length of the window")
	add(unsteady, "the throughput was not steady: it changed within the window by more than 5 %")
	return out
}

// leftOut says how many trials are not behind the main measurement, and why.
func leftOut(entries []v1alpha1.SummaryEntry) string {
	planned, counts := int32(0), map[v1alpha1.LeftOutReason]int32{}
	labels := ""
	for i, e := range entries {
		if e.Name != mainName(entries) {
			continue
		}
		if i == 0 {
			labels = labelKey(e.Labels)
		}
		if labelKey(e.Labels) != labels {
			continue // the same trials once more
		}
		planned += e.PlannedTrialCount
		for _, l := range e.LeftOut {
			counts[l.Reason] += l.TrialCount
		}
	}
	total, parts := int32(0), []string{}
	for _, reason := range []v1alpha1.LeftOutReason{v1alpha1.LeftOutFailed, v1alpha1.LeftOutInvalid, v1alpha1.LeftOutDisturbed,
		v1alpha1.LeftOutBlockDisturbed, v1alpha1.LeftOutNoValue, v1alpha1.LeftOutNotRun} {
		if n := counts[reason]; n > 0 {
			total, parts = total+n, append(parts, fmt.Sprintf("%d %s", n, words(string(reason))))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d trials are left out: %s.", total, planned, strings.Join(parts, ", "))
}
