package analysis

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Run is one of several that are compared.
type Run struct {
	// Name of the run, for messages.
	Name string
	// Spec of the run, and the SHA-256 of the files of its workload; empty without files.
	Spec        v1alpha1.BenchmarkRunSpec
	FilesSHA256 string
	// Seconds from its start to its end; 0 where that is not known.
	Seconds float64
	// Input of its analysis.
	Input
}

// Kind of an analysis of several runs.
type Kind string

// Kinds.
const (
	// OverRuns: the runs repeat one experiment. What they compare is compared over all.
	OverRuns Kind = "OverRuns"
	// RunAgainstRun: the targets of the second run against those of the first one.
	RunAgainstRun Kind = "RunAgainstRun"
)

// RunsResult is what several runs show together.
type RunsResult struct {
	// Kind of the analysis.
	Kind Kind `json:"kind"`
	// Comparisons: the primary family, then the control.
	Comparisons []RunsComparison `json:"comparisons"`
	// Compared are the fields of the targets that differ; empty unless two runs are compared.
	Compared []RunDifference `json:"compared,omitempty"`
	// Between is what differs between the runs, or is not known of them, besides that.
	Between []RunDifference `json:"between,omitempty"`
}

// RunsComparison is a comparison with the ratio that each run has by itself.
type RunsComparison struct {
	v1alpha1.ComparisonEntry
	// Ratios in the order of the runs, as decimals; empty for a run without one. Nil where two
	// runs are compared with each other.
	Ratios []string `json:"ratios,omitempty"`
	// Differences of the sides, besides what the spec sets differently for them: of several runs, each name
	// with the values of the first run in which the sides differ.
	Differences []v1alpha1.SideDifference `json:"differences,omitempty"`
	// BetweenRuns are differences of the compared targets between the first run (baseline) and another one
	// (value), each name with the values of the first such run; none where two runs are compared with each other.
	BetweenRuns []v1alpha1.SideDifference `json:"betweenRuns,omitempty"`
	// Variation of the ratio within the runs and between them; nil where it has no value in every run,
	// and where two runs are compared with each other.
	Variation *Variation `json:"variation,omitempty"`
}

// NotOneExperimentError is the error for runs that cannot be analysed together.
type NotOneExperimentError struct {
	// Runs by their names, and what differs between them.
	First, Second string
	Differences   []string
}

// Error names what differs.
func (e *NotOneExperimentError) Error() string {
	return fmt.Sprintf("runs %s and %s did not measure the same: they differ in %s", e.First, e.Second, someOf(e.Differences))
}

var (
	errNoRun     = errors.New("there is no run to analyse")
	errOneTarget = errors.New("the runs have no target of one name: a run is compared with another one in the targets that both measured")
)

// ConcludeRuns compares over several runs. Runs of one experiment, with the same targets, repeat
// it: each has one ratio for each comparison that was declared, and the interval includes
// how they differ from one another. Two runs whose targets differ, or that compare nothing, are
// compared with each other.
//
// It fails with a NotOneExperimentError where the runs did not measure the same, and as FamilyOf
// does.
func ConcludeRuns(all []Run) (RunsResult, error) {
	if len(all) == 0 {
		return RunsResult{}, errNoRun
	}
	first := all[0]
	var targets, around []RunDifference
	for i, run := range all[1:] {
		if slices.ContainsFunc(all[:i+1], func(r Run) bool { return r.Name == run.Name }) {
			return RunsResult{}, fmt.Errorf("run %s is given twice: it counts once", run.Name)
		}
		d, err := differences(first, run)
		if err != nil {
			return RunsResult{}, err
		}
		if len(d.measured) > 0 || len(d.targets) > 0 && len(all) > 2 {
			for _, field := range d.targets {
				d.measured = append(d.measured, field.inSpec())
			}
			return RunsResult{}, &NotOneExperimentError{first.Name, run.Name, d.measured}
		}
		targets, around = append(targets, d.targets...), append(around, d.around...)
	}
	family, err := FamilyOf(first.Layout, first.Declaration, first.Names, first.Limit)
	if err != nil {
		return RunsResult{}, err
	}
	// Runs that may stop early are analysed at the error rate of an interim analysis, as each of them is by itself: they
	// stop for the width of their intervals, and not for what those show.
	all = slices.Clone(all)
	for i := range all {
		all[i].Declaration = all[i].Declaration.stopping(family)
	}
	first = all[0]
	empty := len(family.Primary)+len(family.Control) == 0
	switch {
	case len(all) == 2 && (len(targets) > 0 || empty):
		return againstRun(first, all[1], differing{targets: targets, around: around})
	case empty:
		return RunsResult{}, fmt.Errorf("run %s compares nothing, and so more than two runs of it cannot be analysed: give two, to compare one with the other", first.Name)
	}
	return newOver(all, family).conclude(around), nil
}

// over several runs of one experiment.
type over struct {
	runs     []Run
	analysts []*analyst
	family   Family
	// between the first run and each other one, by target.
	between map[string][]likeness.Comparison
}

func newOver(all []Run, family Family) *over {
	o := &over{runs: all, family: family, between: map[string][]likeness.Comparison{}}
	for i, run := range all {
		o.analysts = append(o.analysts, &analyst{Input: run.Input, family: family, series: readSeries(run.Layout, run.Records, summary.LeftOut), limits: limitsOf(run.Layout, run.Records, summary.LeftOut), alike: map[[2]int32]alike{}})
		for _, target := range run.Layout.Plan.Targets {
			if i > 0 {
				o.between[target] = append(o.between[target], between(all[0], run, target, likeness.OfParameters))
			}
		}
	}
	return o
}

func (o *over) conclude(around []RunDifference) RunsResult {
	out := RunsResult{Kind: OverRuns, Between: slices.Concat(around, o.sameOrder())}
	for _, target := range o.runs[0].Layout.Plan.Targets {
		for i, c := range o.between[target] {
			out.Between = append(out.Between, differencesOf(o.runs[0], o.runs[i+1], target, c)...)
		}
	}
	d := o.analysts[0].Declaration
	primary := o.compareAll(o.family.Primary)
	for i, decision := range stats.Decide(comparisons(primary), d.ErrorRate, d.MinimumEffect) {
		out.Comparisons = append(out.Comparisons, o.primary(primary[i], d.known(decision, primary[i].above)))
	}
	controls := o.compareAll(o.family.Control)
	for i, decision := range stats.Decide(comparisons(controls), controlErrorRate, d.MinimumEffect) {
		out.Comparisons = append(out.Comparisons, o.control(controls[i], decision))
	}
	return out
}

// sameOrder are runs whose trials had the same random order as those of the first one: what the
// order does to the numbers, it does in both.
func (o *over) sameOrder() (out []RunDifference) {
	first := o.runs[0]
	for _, run := range o.runs[1:] {
		if seed := run.Layout.Plan.Seed; seed == first.Layout.Plan.Seed {
			out = append(out, RunDifference{Code: SameRandomOrder, First: first.Name, Second: run.Name, Seed: new(seed)})
		}
	}
	return out
}

func comparisons(all []overRuns) (out []stats.Comparison) {
	for _, one := range all {
		out = append(out, one.comparison)
	}
	return out
}
