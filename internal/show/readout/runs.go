package readout

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// ComparisonVersion names the format of Comparisons. A reader refuses any other.
const ComparisonVersion = "assay.dev/cli/comparison/v1"

// Comparisons are what several runs show together: `compare -o json`.
type Comparisons struct {
	// Version is always ComparisonVersion.
	Version string `json:"version"`
	// Runs that were compared, in the order of the command line.
	Runs []string `json:"runs"`
	// Kind is OverRuns for repetitions of one experiment, or RunAgainstRun for the second run against the first one.
	Kind string `json:"kind"`
	// Answer is what the runs show, the first comparison first: at least one statement.
	Answer []Statement `json:"answer"`
	// Comparisons: those that were declared before the data, then the control.
	Comparisons []RunsVerdict `json:"comparisons"`
	// Compared are the fields of the targets that differ; absent unless two runs are compared with each other.
	Compared []string `json:"compared,omitempty"`
	// Between says what differs between the runs, or is not known of them, besides that.
	Between []string `json:"between,omitempty"`
	// Caveats say why a run may not be relied on.
	Caveats []string `json:"caveats,omitempty"`
	// Method says where ratios, intervals and p-values come from.
	Method string `json:"method"`
}

// RunsVerdict is a comparison over runs.
type RunsVerdict struct {
	Verdict
	// Ratios that the runs have by themselves, in their order; empty for a run without one. Absent where two runs are compared
	// with each other.
	Ratios []string `json:"ratios,omitempty"`
	// Variation of the ratio; absent where a run has none.
	Variation *Variation `json:"variation,omitempty"`
}

// Variation of a ratio within runs and between them.
type Variation struct {
	// WithinRuns and BetweenRuns are standard deviations of its logarithm, from block to block and from run to run.
	WithinRuns  string `json:"withinRuns,omitempty"`
	BetweenRuns string `json:"betweenRuns,omitempty"`
	// BetweenShare of the variance of the result comes from the differences between runs, 0 to 1.
	BetweenShare string `json:"betweenShare,omitempty"`
	// Buy is Trial for more blocks, Run for more runs; absent where nothing varies.
	Buy string `json:"buy,omitempty"`
	// Text is all of it in one line.
	Text string `json:"text"`
}

// OverRuns is the readout of an analysis of several runs. Names are those of the runs as the reader has them, declared is what they
// declared, and caveats say why one of them may not be relied on.
func OverRuns(names []string, result analysis.RunsResult, declared analysis.Declaration, caveats []string) Comparisons {
	out := Comparisons{
		Version: ComparisonVersion, Runs: names, Kind: string(result.Kind), Comparisons: []RunsVerdict{}, Caveats: caveats, Method: MethodOfRuns(result.Kind),
		Compared: RunDifferences(result.Compared), Between: RunDifferences(result.Between),
	}
	a := about{errorRate: declared.ErrorRate, minimumEffect: declared.MinimumEffect}
	families := map[string][]Verdict{}
	for _, c := range result.Comparisons {
		one := RunsVerdict{Verdict: a.overRuns(c, result.Kind), Ratios: c.Ratios, Variation: variationOf(c.Variation)}
		out.Comparisons = append(out.Comparisons, one)
		families[one.Family] = append(families[one.Family], one.Verdict)
	}
	primary := families[string(v1alpha1.FamilyPrimary)]
	if len(caveats) > 0 {
		out.Answer = append(out.Answer, Statement{Bad, "NOT EVERY RUN CAN BE RELIED ON", "see the caveats"})
	}
	if len(primary) > 0 {
		out.Answer = append(out.Answer, primary[0].statement())
	}
	if len(primary) > 1 {
		out.Answer = append(out.Answer, Statement{Plain, "", remaining(primary[1:])})
	}
	for _, text := range unlike(primary) {
		out.Answer = append(out.Answer, Statement{Plain, "", text})
	}
	if text := resolution(families[string(v1alpha1.FamilyControl)], declared.ErrorRate); text != "" {
		out.Answer = append(out.Answer, Statement{Plain, "CONTROL", text})
	}
	how := "over " + figure.Counted(len(names), "run")
	if result.Kind == analysis.RunAgainstRun && len(names) == 2 {
		how = fmt.Sprintf("run %s against run %s", names[1], names[0])
	}
	out.Answer = append(out.Answer, Statement{Plain, "", how})
	return out
}

// overRuns is a comparison over runs, with what differs between its sides and between the runs.
func (a about) overRuns(c analysis.RunsComparison, kind analysis.Kind) Verdict {
	v := a.verdict(c.ComparisonEntry)
	if kind == analysis.RunAgainstRun { // no trial of one run is in a block with one of the other
		v.Evidence = strings.Replace(v.Evidence, " block", " trial", 1)
	}
	v.Differences = len(c.Differences) + len(c.BetweenRuns)
	words := []string{differ(c.Differences)}
	if text := differ(c.BetweenRuns); text != "" {
		words = append(words, "between the runs: "+text)
	}
	v.differ = strings.TrimPrefix(strings.Join(words, "; "), "; ")
	v.Text = v.line()
	return v
}

// RunDifferences between runs, a line each.
func RunDifferences(all []analysis.RunDifference) (out []string) {
	for _, d := range all {
		of := fmt.Sprintf("%s against %s", d.Second, d.First)
		if d.Target != "" {
			of += ", " + d.Target
		}
		switch {
		case d.Code == analysis.FieldDiffers:
			out = append(out, fmt.Sprintf("%s (%s: %s, %s: %s)", d.Name, d.First, cmp.Or(d.FirstValue, "absent"), d.Second, cmp.Or(d.SecondValue, "absent")))
		case d.Code == analysis.NotKnown:
			words := make([]string, 0, len(d.Unknown))
			for _, class := range d.Unknown {
				words = append(words, string(class))
			}
			out = append(out, of+": not known of both runs: "+strings.Join(words, ", "))
		case d.Code == analysis.SameRandomOrder && d.Seed != nil:
			out = append(out, fmt.Sprintf("%s: the trials had the same random order (seed %d), and an effect of the order repeats", of, *d.Seed))
		case d.Class == likeness.MachineSpeed:
			out = append(out, of+": "+d.Name+": "+d.Why)
		default:
			out = append(out, fmt.Sprintf("%s: %s differs (%s against %s)", of, d.Name, cmp.Or(d.SecondValue, "absent"), cmp.Or(d.FirstValue, "absent")))
		}
	}
	return out
}

// fewRuns tell little about how runs differ: with 5, the variance between them has a relative error of 70 %.
const fewRuns = 5

// variationOf a ratio, in words such as
//
//	1.2 % within a run, 2.4 % between runs, which is 98 % of the variance of the result (4 runs: rough): more runs, not more blocks
func variationOf(v *analysis.Variation) *Variation {
	if v == nil {
		return nil
	}
	out := Variation{WithinRuns: v.WithinRuns, BetweenRuns: v.BetweenRuns, BetweenShare: v.BetweenShare, Buy: string(v.Buy)}
	text := "one observation in each run"
	if v.WithinRuns != "" {
		text = figure.ShareText(v.WithinRuns) + " within a run"
	}
	if v.BetweenRuns == "" {
		out.Text = text + "; what differs between runs is not known: more runs"
		return &out
	}
	text += fmt.Sprintf(", %s between runs", figure.ShareText(v.BetweenRuns))
	share, known := figure.Decimal(v.BetweenShare)
	if known {
		text += ", which is " + figure.Share(share) + " of the variance of the result"
	}
	if v.Runs < fewRuns {
		text += fmt.Sprintf(" (%d runs: rough)", v.Runs)
	}
	switch {
	case v.Buy == stats.LevelRun && (share > 0.5 || !known):
		text += ": more runs, not more blocks"
	case v.Buy == stats.LevelRun:
		text += ": more runs, which also show better how runs differ"
	case v.Buy == stats.LevelTrial:
		text += ": more blocks in each run, not more runs"
	default:
		text += ": nothing varies"
	}
	out.Text = text
	return &out
}
