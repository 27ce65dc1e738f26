package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	manifests "github.com/assay-bench/assay/internal/cli/manifest"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/runners"
)

// Every manifest is a spec of the API that the manager accepts, and asks for what its case says.
func TestManifests(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			t.Errorf("two cases have the name %s", c.Name)
		}
		seen[c.Name] = true
		_, object, err := manifests.Objects([]byte(c.Manifest(7)))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		run, err := manifests.Complete(object)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		d := run.Spec.Design
		if string(d.CPUs) != c.CPUs || (d.ClientPods == v1alpha1.ClientPodsStanding) != (c.Pods == "Standing") || d.Warmup.Duration != c.Warmup || string(d.Starts) != c.Starts || d.Duration.Duration != c.Window || d.Within.Duration != c.Length || *d.Seed != 7 {
			t.Errorf("%s: %+v", c.Name, d)
		}
		if asked := strings.TrimSuffix(string(d.Precision), "%"); (asked != "") != (c.Precision > 0) || asked != "" && asked != fmt.Sprintf("%g", 100*c.Precision) {
			t.Errorf("%s: a precision of %s", c.Name, d.Precision)
		}
		if g := run.Spec.Gate; (g != nil) != (c.Margin > 0) || g != nil && (string(g.Margin) != fmt.Sprintf("%g%%", 100*c.Margin) || g.Comparisons != "Declared") {
			t.Errorf("%s: gate %+v", c.Name, g)
		}
		if injected := len(run.Spec.Matrix) == 1; injected != c.oneServer() || injected == (len(run.Spec.Targets) == 2) {
			t.Errorf("%s: %d axes and %d targets", c.Name, len(run.Spec.Matrix), len(run.Spec.Targets))
		}
		run.Spec.SetDefaults()
		if _, err := experiment.Preview(run, experiment.Catalogue{Tool: runners.Find, Engine: engines.Find, Config: config.Default()}); err != nil {
			t.Errorf("the manager would refuse %s: %v", c.Name, err)
		}
	}
}

func TestTheNextCaseIsThatWithTheFewestPlays(t *testing.T) {
	a, b := cases[0], cases[1]
	all := []Figures{{Case: a.Name, Play: 1}}
	if got := fewest([]Case{a, b}, all); got.Name != b.Name {
		t.Errorf("%s, want %s", got.Name, b.Name)
	}
	all = append(all, Figures{Case: b.Name, Play: 1})
	if got := fewest([]Case{a, b}, all); got.Name != a.Name {
		t.Errorf("%s, want %s", got.Name, a.Name)
	}
	if _, err := matching([]string{"nothing*"}); err == nil {
		t.Error("a pattern that matches no case is accepted")
	}
}

func TestTable(t *testing.T) {
	same, effect := cases[0], cases[slices.IndexFunc(cases, func(c Case) bool { return c.Effect == 0.03 })]
	gate := cases[slices.IndexFunc(cases, func(c Case) bool { return c.Margin > 0 && c.Effect > 0 })]
	figures := []Figures{
		{Case: same.Name, Play: 1, Machine: "m", Seconds: 100, Blocks: 10, Ratio: 1.01, Low: 0.99, High: 1.03, Spread: 0.02},
		{Case: same.Name, Play: 2, Machine: "m", Seconds: 300, Blocks: 10, Ratio: 1.03, Low: 1.01, High: 1.05, Spread: 0.04},
		{Case: same.Name, Play: 3, Machine: "m", Seconds: 300, Blocks: 2, NoVerdict: "too few"},
		{Case: effect.Name, Play: 1, Machine: "n", Seconds: 100, Blocks: 10, Ratio: 0.97, Low: 0.96, High: 0.98, Spread: 0.01},
		{Case: effect.Name, Play: 2, Machine: "n", Seconds: 100, Blocks: 10, Ratio: 1.02, Low: 1.01, High: 1.03, Spread: 0.01},
		{Case: effect.Name, Play: 3, Machine: "n", Seconds: 100, Blocks: 10, Ratio: 0.99, Low: 0.97, High: 1.01, Spread: 0.01},
		{Case: cases[1].Name, Play: 1, Machine: "n", NoVerdict: "the run ended as Failed"},
		{Case: gate.Name, Play: 1, Machine: "n", Seconds: 30, Blocks: 10, Ratio: 0.8, Low: 0.75, High: 0.85, Gate: "False"},
		{Case: gate.Name, Play: 2, Machine: "n", Seconds: 60, Blocks: 20, Ratio: 0.99, Low: 0.95, High: 1.03, Gate: "True"},
		{Case: gate.Name, Play: 3, Machine: "n", Seconds: 90, Blocks: 30, Ratio: 0.9, Low: 0.85, High: 0.95, Gate: "Unknown"},
		{Case: gate.Name, Play: 4, Machine: "n", NoVerdict: "the run ended as Failed", Gate: "False"},
		{Case: "of another time", Machine: "o"},
	}
	for i := range figures[:11] {
		figures[i].Manifest = cases[slices.IndexFunc(cases, func(c Case) bool { return c.Name == figures[i].Case })].Digest()
	}
	figures = append(figures, Figures{Case: same.Name, Play: 4, Machine: "m", Manifest: "another", Blocks: 99})
	head := []string{
		"",
		"| What | Two sides | Starts | CPUs | Client pods | Warm-up | Window | Length | Runs | Blocks | Time per block that counts | Blocks vary by | Found in 5 min | in 10 min | Right | Wrong |",
		"| --- | --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
	}
	want := slices.Concat(
		[]string{"**m**"}, head,
		[]string{"| reads | two servers alike | PerBlock | Free | PerTrial | 1s | 1s | 5 min | 3, 1 without a verdict | 20 | 20.0 s | 3.0 % | 2.4 % | 1.6 % | 1 | 1 |", ""},
		[]string{"**n**"}, head,
		[]string{
			"| reads | two servers alike | PerBlock | Apart | PerTrial | 1s | 1s | 5 min | 1, none with a verdict | | | | | | | |",
			"| reads | 3 % more statements | One | Free | PerTrial | 1s | 5s | 5 min | 3 | 30 | 10.0 s | 1.0 % | 0.5 % | 0.4 % | 1 | 1 |",
			"",
			"| Gate | Two sides | Starts | CPUs | Margin | Runs | Without a verdict | Passed | Failed | Undecided | Wrong | Blocks that count, median | Most | From the first window to the last, median |",
			"| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
			"| gate | 25 % more statements | One | Free | 10.0 % | 4 | 1 | 1 | 1 | 1 | 1 | 20 | 30 | 60 s |",
		},
	)
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(tables(figures)), "\n")); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// A run that did not come to its end is one without a verdict, whether it has compared anything or not: it is added up, and the next case is
// played. Of one that did, the comparison counts.
func TestWhatARunCompared(t *testing.T) {
	compared := v1alpha1.ComparisonEntry{
		Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictInconclusive, BlockCount: 8, PlannedBlockCount: 10, Ratio: "0.99", IntervalLow: "0.97", IntervalHigh: "1.01", P: "0.3", Spread: "0.02",
	}
	short := compared
	short.Ratio, short.IntervalLow, short.IntervalHigh, short.P, short.Spread = "", "", "", "", ""
	exploratory := v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyExploratory}
	for name, tt := range map[string]struct {
		phase v1alpha1.Phase
		all   []v1alpha1.ComparisonEntry
		want  Figures
		err   string
	}{
		"complete":               {v1alpha1.PhaseComplete, []v1alpha1.ComparisonEntry{exploratory, compared}, Figures{Blocks: 8, Ratio: 0.99, Low: 0.97, High: 1.01, P: 0.3, Spread: 0.02}, ""},
		"too few blocks":         {v1alpha1.PhaseComplete, []v1alpha1.ComparisonEntry{short}, Figures{Blocks: 8, NoVerdict: "Inconclusive: 8 of 10 blocks count"}, ""},
		"failed":                 {v1alpha1.PhaseFailed, []v1alpha1.ComparisonEntry{compared}, Figures{Blocks: 8, NoVerdict: "the run ended as Failed"}, ""},
		"failed, no summary":     {v1alpha1.PhaseFailed, nil, Figures{NoVerdict: "the run ended as Failed"}, ""},
		"complete, no summary":   {v1alpha1.PhaseComplete, nil, Figures{}, "the run has 0 primary comparisons, not 1"},
		"complete, two compared": {v1alpha1.PhaseComplete, []v1alpha1.ComparisonEntry{compared, compared}, Figures{}, "the run has 2 primary comparisons, not 1"},
	} {
		t.Run(name, func(t *testing.T) {
			run := &stored.Run{Object: &v1alpha1.BenchmarkRun{}, Summary: journal.Summary{Comparisons: tt.all}}
			run.Object.Status.Phase = tt.phase
			got, err := comparedIn(run)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.err != "") || err != nil && err.Error() != tt.err {
				t.Errorf("%v, want %q", err, tt.err)
			}
		})
	}
}

// The figures of a stored run: the demo has two comparisons, and such a run is refused.
func TestARunWithoutOneComparisonIsRefused(t *testing.T) {
	_, err := figuresOf(t.Context(), "../../../docs/evidence/demo.assay.tar", "demo")
	if err == nil || !strings.Contains(err.Error(), "primary comparisons, not 1") {
		t.Errorf("error %v", err)
	}
}
