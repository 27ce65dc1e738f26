package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestBars(t *testing.T) {
	tests := map[string]struct {
		bar   bar
		value float64
		want  bool // missed
		text  string
	}{
		"between":                   {between(0.03, 0.07), 0.05, false, "3.00 % to 7.00 %"},
		"below":                     {between(0.03, 0.07), 0.029, true, "3.00 % to 7.00 %"},
		"above":                     {between(0.03, 0.07), 0.071, true, "3.00 % to 7.00 %"},
		"as much as is allowed":     {atMost(0.05), 0.069, false, "at most 5.00 %, within 2.0 ±"},
		"more":                      {atMost(0.05), 0.071, true, "at most 5.00 %, within 2.0 ±"},
		"about":                     {exactly(0.95), 0.916, false, "95.00 %, within 3.5 ±"},
		"too far below":             {exactly(0.95), 0.914, true, "95.00 %, within 3.5 ±"},
		"too far above":             {exactly(0.95), 0.986, true, "95.00 %, within 3.5 ±"},
		"more than enough":          {atLeastAbout(0.95), 1, false, "at least 95.00 %, within 3.5 ±"},
		"no bar":                    {none, 0.5, false, ""},
		"nothing came out":          {none, math.NaN(), true, ""},
		"a number that is no share": {bar{low: math.Inf(-1), high: 3, plain: true}, 3.1, true, "at most 3"},
	}
	for name, tc := range tests {
		if got := tc.bar.missedBy(row{value: tc.value, standardError: 0.01}); got != tc.want || tc.bar.String() != tc.text {
			t.Errorf("%s: missed %v, %q; want %v, %q", name, got, tc.bar, tc.want, tc.text)
		}
	}
}

// A simulation that is chosen plays, and the others do not.
func TestSimulationsPlay(t *testing.T) {
	all, rows := play(200, 1, "Laplace")
	played := 0
	for i, r := range rows {
		if r.rounds > 0 {
			played++
			if r.value < 0.6 || r.value > 1 {
				t.Errorf("%s: %+v", all[i].name, r)
			}
		}
	}
	if played != 2 || len(all) < 70 {
		t.Errorf("%d of %d simulations were played, want 2", played, len(all))
	}
}

// A rule that a simulation plays decides something: a rate of no false alarms may come from a gate that judges nothing.
func TestGatesAreJudged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	rules := map[string]v1alpha1.Gate{
		"threshold": {Threshold: "25%"},
		"test":      {Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}},
		"also":      {Threshold: "25%", Also: []v1alpha1.FurtherBaseline{{Name: "last-week"}}},
	}
	for name, rule := range rules {
		for want, slower := range map[bool]float64{true: 0.5, false: 0} {
			if got := (gated{noise: 0.02, slower: slower, gate: rule}).failed(random); got != want {
				t.Errorf("%s: a run that is slower by %g fails: %t, want %t", name, slower, got, want)
			}
		}
	}
	predicted := gated{noise: 0.02, between: 0.02, slower: 0.5, history: 10, gate: v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%"}}}
	if !predicted.failed(random) {
		t.Error("prediction: a run that is slower by half does not fail")
	}
	if !(watched{gated{noise: 0.02, slower: 0.5, gate: rules["threshold"]}, 2, 1}).alarms(random) {
		t.Error("a schedule that is slower by half raises no alarm")
	}
}
