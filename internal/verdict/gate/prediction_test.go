package gate

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// repeatedAt is the baseline of several runs with these levels.
func repeatedAt(t *testing.T, levels ...float64) *v1alpha1.BenchmarkBaseline {
	t.Helper()
	source := baseline.Source{Promotion: v1alpha1.Promotion{Author: "ada", Reason: "release 1"}}
	for i, level := range levels {
		run := experiment{blocks: 8, level: level, spread: 0.002, seed: uint64(i)}.run(t, fmt.Sprint("before-", i))
		object := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name}}
		if i == 0 {
			source.Run, source.Recorded = object, run
			continue
		}
		source.Repetitions = append(source.Repetitions, baseline.Repetition{Run: object, Recorded: run})
	}
	spec, err := baseline.Make(source)
	if err != nil {
		t.Fatal(err)
	}
	return &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Name: "release"}, Spec: spec}
}

// What runs of one server differ by is part of a prediction: the test calls such a run slower, and the prediction does not. It takes
// three runs.
func TestPrediction(t *testing.T) {
	five := repeatedAt(t, 100, 102, 98, 101, 99)
	prediction := v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%"}}
	for name, tt := range map[string]struct {
		gate v1alpha1.Gate
		was  *v1alpha1.BenchmarkBaseline
		// level of the run.
		level float64
		want  string
		text  []string
	}{
		"like the others":                   {prediction, five, 98, "True/Succeeded 0 0 0 of 2", []string{"worse or more would have been found in each that passed, in four of five such runs"}},
		"a test of one run calls it slower": {v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "1%"}}, five, 98, "False/Slower 2 0 0 of 2", []string{oneRunEach}},
		"far beyond them": {prediction, five, 88, "False/Slower 2 0 0 of 2", []string{
			"(12 % worse), worse than 5 runs predict of one more with p 0.0", "latency.percentile{p=95}: 11.3"}},
		"far better":                   {prediction, five, 120, "True/Succeeded 0 0 0 of 2", nil},
		"by less than is allowed":      {v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%", MinimumEffect: "10%"}}, five, 88, "True/Succeeded 0 0 0 of 2", nil},
		"an effect that allows it all": {v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{MinimumEffect: "100%"}}, five, 10, "False/Slower 1 0 0 of 1", []string{"a minimum effect of 100 % allows a rate of 0"}},
		"a baseline of one run": {prediction, promoted(t, experiment{blocks: 8}.run(t, "before")), 50, "Unknown/NotJudged 0 0 0 of 0", []string{
			"the baseline has 0 medians of runs, and a prediction takes 3: kubectl assay baseline promote with several runs writes them"}},
		"a threshold beside it decides": {v1alpha1.Gate{Threshold: "25%", Prediction: prediction.Prediction}, promoted(t, experiment{blocks: 8}.run(t, "before")), 50, "False/Slower 2 0 0 of 2", nil},
		"runs that are one":             {prediction, equalRuns(t), 50, "Unknown/NotJudged 0 0 0 of 0", []string{"nothing is predicted: all runs have one value"}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.gate.Baseline = "release"
			got := Judge(Input{Gate: tt.gate, Baselines: []Read{{Baseline: tt.was}}, Run: experiment{blocks: 8, level: tt.level, spread: 0.002, seed: 9}.run(t, "now")})
			if text := inShort(got); text != tt.want {
				t.Errorf("got %s, want %s: %s", text, tt.want, got.Message)
			}
			for _, text := range tt.text {
				if !strings.Contains(got.Message, text) {
					t.Errorf("no %q in %q", text, got.Message)
				}
			}
		})
	}
}

func equalRuns(t *testing.T) *v1alpha1.BenchmarkBaseline {
	t.Helper()
	out := repeatedAt(t, 100, 101, 102)
	for i, m := range out.Spec.Measurements {
		out.Spec.Measurements[i].Runs = []string{m.Runs[0], m.Runs[0], m.Runs[0]}
	}
	return out
}

// Each measurement that passed says what would have been found: by the rule that finds the smaller change, and beyond what is allowed.
func TestWhatAGateWouldHaveMissed(t *testing.T) {
	five := repeatedAt(t, 100, 102, 98, 101, 99)
	found := func(gate v1alpha1.Gate) (all []float64) {
		t.Helper()
		gate.Baseline = "release"
		got := Judge(Input{Gate: gate, Baselines: []Read{{Baseline: five}}, Run: experiment{blocks: 8, level: 100, spread: 0.002, seed: 9}.run(t, "now")})
		for _, e := range got.Gate.Entries {
			v, ok := figure.Decimal(e.DetectableEffect)
			if e.Outcome != v1alpha1.OutcomePassed || !ok || !strings.Contains(e.Text, "worse or more would have been found in four of five such runs") {
				t.Fatalf("%+v", e)
			}
			all = append(all, v)
		}
		return all
	}
	test, prediction := &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}, &v1alpha1.GatePrediction{ErrorRate: "5%"}
	byTest, byPrediction, byBoth := found(v1alpha1.Gate{Test: test}), found(v1alpha1.Gate{Prediction: prediction}), found(v1alpha1.Gate{Test: test, Prediction: prediction})
	for i := range byTest {
		if !(byTest[i] > 0.05 && byTest[i] < 0.06) || !(byPrediction[i] > byTest[i]) || byBoth[i] != byTest[i] {
			t.Errorf("the test finds %v, the prediction %v, both %v", byTest[i], byPrediction[i], byBoth[i])
		}
	}
	if all := found(v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%", MinimumEffect: "5%"}}); !(all[0] > byPrediction[0]+0.04) {
		t.Errorf("with a minimum effect of 5 %% the prediction finds %v, without %v", all, byPrediction)
	}
}
