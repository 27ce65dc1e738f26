package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// gatedBy is an experiment with a gate over these comparisons, without records.
func gatedBy(t *testing.T, p *plan.Plan, margin string, a *v1alpha1.Analysis) Input {
	t.Helper()
	spec := specOf(len(p.Targets), a)
	spec.Gate = &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: margin}
	in := Input{Layout: Layout{Plan: p}, Names: names, Limit: 1000}
	var err error
	if in.Declaration, err = Declare(spec, names); err != nil {
		t.Fatal(err)
	}
	return in
}

// throughputOf targets against the first one.
func throughputOf(require ...v1alpha1.LikeAspect) *v1alpha1.Analysis {
	a := analysisOf(v1alpha1.Comparison{Factor: v1alpha1.FactorTarget, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}})
	a.RequireLike = require
	return a
}

// bothOf are a rate and a time, of which a loss has opposite signs.
func bothOf() *v1alpha1.Analysis {
	return analysisOf(v1alpha1.Comparison{Factor: v1alpha1.FactorTarget, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}, {Name: "latency.percentile"}}})
}

func TestLosses(t *testing.T) {
	few := func(n int) func([]contract.Record) []contract.Record {
		return func(records []contract.Record) []contract.Record {
			return slices.DeleteFunc(records, func(r contract.Record) bool { return int(r.Block) >= n })
		}
	}
	of := func(target string, change func(*contract.Record)) func([]contract.Record) []contract.Record {
		return func(records []contract.Record) []contract.Record {
			for i := range records {
				if records[i].Target == target {
					change(&records[i])
				}
			}
			return records
		}
	}
	tests := map[string]struct {
		plan     *plan.Plan
		analysis *v1alpha1.Analysis
		ratio    float64
		spread   float64
		change   func([]contract.Record) []contract.Record
		// want are the outcomes and the reasons of the comparisons, and that of the gate.
		want string
		// blocks says whether the number of blocks that would decide is known.
		blocks bool
	}{
		"equal":                          {ratio: 1, spread: 0.003, want: "Passed | Passed"},
		"faster":                         {ratio: 1.2, spread: 0.003, want: "Passed | Passed"},
		"a loss of a tenth":              {ratio: 0.9, spread: 0.003, want: "Slower | Slower"},
		"a loss of 1 % in 3":             {ratio: 0.99, spread: 0.003, want: "Passed | Passed"},
		"too noisy for the margin":       {ratio: 1, spread: 0.1, want: "NotJudged | NotJudged", blocks: true},
		"a rate and a time, both worse":  {analysis: bothOf(), ratio: 0.9, spread: 0.003, want: "Slower, Slower | Slower"},
		"a rate and a time, both better": {analysis: bothOf(), ratio: 1.1, spread: 0.003, want: "Passed, Passed | Passed"},
		"a rate and a time in one label of two": {analysis: analysisOf(v1alpha1.Comparison{Factor: v1alpha1.FactorTarget, Measurements: []v1alpha1.MeasurementRef{
			{Name: "throughput"}, {Name: "latency.percentile", Labels: map[string]string{"p": "99"}}}}), ratio: 1, spread: 0.003, want: "Passed, Passed | Passed"},
		"one of two targets is slower": {plan: planOf(10, 1, "a", "b", "c"), ratio: 0.9, spread: 0.003, want: "Slower, Passed | Slower"},
		"the loads of one target": {plan: planOf(10, 2, "a"), analysis: analysisOf(v1alpha1.Comparison{Factor: "threads", Baseline: value(intstr.FromInt(2)), Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}),
			ratio: 1, spread: 0.003, want: "Passed | Passed"},
		"five blocks":                {plan: planOf(5, 1, "a", "b"), ratio: 0.5, spread: 0.003, want: "NotJudged TooFewBlocks | NotJudged"},
		"five of ten blocks count":   {ratio: 0.5, spread: 0.003, change: few(5), want: "NotJudged TooFewBlocks | NotJudged"},
		"six of ten blocks count":    {ratio: 0.5, spread: 0.003, change: few(6), want: "Slower | Slower"},
		"one side without a value":   {ratio: 1, spread: 0.003, change: of("b", func(r *contract.Record) { r.Values = r.Values[1:] }), want: "NotJudged NotMeasured | NotJudged"},
		"one side that failed":       {ratio: 1, spread: 0.003, change: of("b", func(r *contract.Record) { r.State, r.Valid, r.Values = contract.Failed, nil, nil }), want: "NotJudged NotMeasured | NotJudged"},
		"another unit on one side":   {ratio: 1, spread: 0.003, change: of("b", func(r *contract.Record) { r.Values[0].Unit = "ops/s" }), want: "NotJudged NotMeasured | NotJudged"},
		"a rate of 0":                {ratio: 1, spread: 0.003, change: of("b", func(r *contract.Record) { r.Values[0].Value = 0 }), want: "NotJudged NotPositive | NotJudged"},
		"equal to the last digit":    {ratio: 1, spread: 0.003, change: func(r []contract.Record) []contract.Record { return of("a", hundred)(of("b", hundred)(r)) }, want: "Passed | Passed"},
		"no direction":               {ratio: 1, spread: 0.003, change: of("a", func(r *contract.Record) { r.Values[0].Direction = "" }), want: "NotJudged NotMeasured | NotJudged"},
		"no direction on both sides": {ratio: 1, spread: 0.003, change: func(r []contract.Record) []contract.Record { return of("a", undirected)(of("b", undirected)(r)) }, want: "NotJudged | NotJudged"},
		"in sequence":                {plan: inSequence(planOf(10, 1, "a", "b")), ratio: 0.5, spread: 0.003, want: "NotJudged InSequence | NotJudged"},
		"targets that are not alike": {analysis: throughputOf(v1alpha1.LikeCPU), ratio: 0.5, spread: 0.003, want: "NotJudged NotAlike | NotJudged"},
		"one undecided beside one that failed": {plan: planOf(10, 1, "a", "b", "c"), ratio: 0.5, spread: 0.003,
			change: of("c", func(r *contract.Record) { r.Values = nil }), want: "Slower, NotJudged NotMeasured | Slower"},
		"one undecided beside one that passed": {plan: planOf(10, 1, "a", "b", "c"), ratio: 1, spread: 0.003,
			change: of("c", func(r *contract.Record) { r.Values = nil }), want: "Passed, NotJudged NotMeasured | NotJudged"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.plan == nil {
				tt.plan = planOf(10, 1, "a", "b")
			}
			if tt.analysis == nil {
				tt.analysis = throughputOf()
			}
			in := gatedBy(t, tt.plan, "3%", tt.analysis)
			in.Records = recordsOf(tt.plan, tt.spread, bOver(tt.ratio))
			if tt.change != nil {
				in.Records = tt.change(in.Records)
			}
			got, err := LossesOf(in)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, v := range got.All {
				text := string(v.Outcome)
				for _, r := range v.Reasons {
					text += " " + string(r.Code)
				}
				texts = append(texts, text)
				if (v.BlocksNeeded > 10) != tt.blocks {
					t.Errorf("%s: %d blocks are needed", v.Comparison.Value, v.BlocksNeeded)
				}
				if n := len(v.Value.Blocks); n != len(v.Baseline.Blocks) {
					t.Errorf("%d and %d values", n, len(v.Baseline.Blocks))
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(texts, ", ")+" | "+string(got.Outcome())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func hundred(r *contract.Record)    { r.Values[0].Value = 100 }
func undirected(r *contract.Record) { r.Values[0].Direction = "" }

// inSequence is a plan that measures one target after the other.
func inSequence(p *plan.Plan) *plan.Plan {
	p.Order = v1alpha1.OrderSequential
	return p
}

// A gate ends a run that may stop early where it is decided, at a part of the error rate, however wide the intervals are.
func TestAGateEndsARun(t *testing.T) {
	for name, tt := range map[string]struct {
		ratio, spread float64
		margin        float64
		want          StopReason
	}{
		"a loss, and wide":      {0.7, 0.05, 0.03, StopGateFailed},
		"a gain, and wide":      {1.3, 0.05, 0.03, StopGatePassed},
		"not decided":           {0.97, 0.05, 0.03, ""},
		"no gate over the data": {0.7, 0.05, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := mayStop(t, 40, 1, precise("1%"))
			in.Declaration.Margin = tt.margin
			in.Records = until(recordsOf(in.Layout.Plan, tt.spread, bOver(tt.ratio)), 14)
			got, err := Interim(in, 14)
			if err != nil {
				t.Fatal(err)
			}
			if got.Stop != tt.want || got.Widest <= got.Rule.Precision {
				t.Errorf("%+v, want %q", got, tt.want)
			}
			if tt.margin == 0 {
				return
			}
			losses, err := LossesOf(in)
			if err != nil || losses.ErrorRate != 0.05/4 {
				t.Errorf("at the end the error rate is %v, %v, want that of each of 4 interim analyses", losses.ErrorRate, err)
			}
		})
	}
}

func TestDeclareReadsTheMargin(t *testing.T) {
	spec := specOf(2, throughputOf())
	for name, tt := range map[string]struct {
		gate *v1alpha1.Gate
		want float64
		err  string
	}{
		"no gate":              {nil, 0, ""},
		"a gate by a baseline": {&v1alpha1.Gate{Baseline: "release", Threshold: "25%"}, 0, ""},
		"comparisons":          {&v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: "2.5%"}, 0.025, ""},
		"no margin":            {&v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared}, 0, "spec.gate.margin: "},
	} {
		spec.Gate = tt.gate
		d, err := Declare(spec, names)
		if d.Margin != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: %v, %v", name, d.Margin, err)
		}
	}
}
