package claims

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// one source with a margin of 25 %, whose end is log(1.25) = 0.2231 away.
var one = Source{Margin: 0.25, Groups: []Group{{Heading: "group"}}}

// runsOf a claim in places: each run has the ratio e^x in all of its blocks.
func runsOf(says string, blocks int, places map[string][]float64) (out []Run) {
	for name, logs := range places {
		for i, x := range logs {
			for len(out) <= i {
				out = append(out, Run{Play: len(out) + 1})
			}
			m := Measured{Group: "group", Says: says, Place: name, Unit: "ops/s"}
			for block := range blocks {
				to := 100 + float64(block)
				m.Of, m.To = append(m.Of, to*math.Exp(x)), append(m.To, to)
			}
			out[i].Measured = append(out[i].Measured, m)
		}
	}
	return out
}

// Of three runs the test is Student's with two degrees of freedom, for which P(T > t) = (1 - t/sqrt(2+t²))/2. Runs at x-d, x and x+d have a
// standard error of d/sqrt(3).
func TestDecide(t *testing.T) {
	log2 := math.Log(2)
	around := func(x, d float64) []float64 { return []float64{x - d, x, x + d} }
	tests := map[string]struct {
		ratio  float64
		places map[string][]float64
		blocks int
		want   Verdict
		p      float64
		why    string
	}{
		// t = 0.2231/(0.01/sqrt(3)) = 38.65, p = 0.00033
		"the published ratio": {2, map[string][]float64{"": around(log2, 0.01)}, 8, Reproduced, 0.00033, ""},
		// t = 1.93, p = 0.0965. Of 4 runs t would be 2.23 of 2.35, of 5 runs 2.49 of 2.13.
		"runs that differ": {2, map[string][]float64{"": around(log2, 0.2)}, 8, Undecided, 0.0965, "5 runs of 8 blocks would decide"},
		// log(2)-0.2231 = 0.47, t = 81.4, p = 2*0.0000754
		"another ratio":   {1, map[string][]float64{"": around(log2, 0.01)}, 8, Contradicted, 0.00015, ""},
		"a smaller one":   {4, map[string][]float64{"": around(log2, 0.01)}, 8, Contradicted, 0.00015, ""},
		"all places":      {2, map[string][]float64{"a": around(log2, 0.01), "b": around(log2+0.1, 0.01)}, 8, Reproduced, 0.0011, ""},
		"another, in all": {1, map[string][]float64{"a": around(log2, 0.01), "b": around(log2+1, 0.01)}, 8, Contradicted, 0.00015, ""},
		"places that differ": {
			2, map[string][]float64{"a": around(log2, 0.01), "b": around(log2+1, 0.01), "c": around(log2-1, 0.01)}, 8, Undecided, 1,
			"the places differ: 1 within the margin, 1 above it, 1 below it; no number of runs would decide",
		},
		"just beside the margin": {2, map[string][]float64{"": around(log2+0.2231, 0.2)}, 8, Undecided, 0.4999, "it would take more than 1,000 runs"},
		"two runs":               {2, map[string][]float64{"": {log2, log2 + 0.01}}, 8, Undecided, 1, "2 of 3 runs with 6 blocks that count"},
		"blocks that are lost":   {2, map[string][]float64{"": around(log2, 0.01)}, 5, Undecided, 1, "0 of 3 runs with 6 blocks that count"},
		"no place":               {2, map[string][]float64{}, 8, Waiting, 1, ""},
		"nothing published":      {0, map[string][]float64{"": around(log2, 0.01)}, 8, Unclaimed, 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rows := Decide(one, []Claim{{Says: "claim", Ratio: tt.ratio}}, runsOf("claim", tt.blocks, tt.places))
			got := rows[0]
			if got.Verdict != tt.want || got.Why != tt.why || math.Abs(got.P-tt.p) > 0.03*tt.p {
				t.Errorf("%s (p %.5f): %s\nwant %s (p %.5f): %s", got.Verdict, got.P, got.Why, tt.want, tt.p, tt.why)
			}
		})
	}
}

// A claim alone with p = 0.0305 is reproduced, and beside one like it neither is: that is Holm's 0.0305 * 2. What cannot be had and what
// nobody has published count in no family.
func TestClaimsOfASourceAreOneFamily(t *testing.T) {
	logs := []float64{-0.1, 0, 0.1}
	a, b := Claim{Says: "a", Ratio: 1}, Claim{Says: "b", Ratio: 1}
	runs := runsOf("a", 8, map[string][]float64{"": logs})
	for i, run := range runsOf("b", 8, map[string][]float64{"": logs}) {
		runs[i].Measured = append(runs[i].Measured, run.Measured...)
	}
	verdicts := func(all ...Claim) (out []Verdict) {
		for _, r := range Decide(one, all, runs) {
			out = append(out, r.Verdict)
		}
		return out
	}
	none, unclaimed := Claim{Says: "c", Not: "no"}, Claim{Says: "b"}
	if diff := cmp.Diff([]Verdict{Reproduced, NotObtainable, Unclaimed}, verdicts(a, none, unclaimed)); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Verdict{Undecided, Undecided}, verdicts(a, b)); diff != "" {
		t.Errorf("beside another (-want +got):\n%s", diff)
	}
}

// A run that did not come to its end is as none, and says nothing.
func TestARunWithoutAVerdictIsNone(t *testing.T) {
	runs := runsOf("claim", 8, map[string][]float64{"": {0, 0.01, 0.02}})
	runs[1].NoVerdict = "the run ended as Failed"
	got := Decide(one, []Claim{{Says: "claim", Ratio: 1}}, runs)[0]
	if got.Verdict != Undecided || got.Places[0].Runs != 2 || got.Places[0].Blocks != 16 {
		t.Errorf("%+v", got)
	}
	for i := range runs {
		runs[i].NoVerdict = "the run ended as Failed"
	}
	if got := Decide(one, []Claim{{Says: "claim", Ratio: 1}}, runs)[0]; got.Verdict != Waiting {
		t.Errorf("without any run: %+v", got)
	}
}

// The interval is that over runs: 0 and 0.2 have a mean of 0.1 and a standard error of 0.1, and t(1) at 0.975 is 12.706.
func TestPlaceOfTwoRuns(t *testing.T) {
	got := places(one, Claim{Says: "claim"}, runsOf("claim", 6, map[string][]float64{"a": {0, 0.2}}))
	if len(got) != 1 || got[0].Interval == nil {
		t.Fatalf("%+v", got)
	}
	want := stats.Interval{Low: math.Exp(0.1 - 1.2706), High: math.Exp(0.1 + 1.2706)}
	if i := got[0].Interval; math.Abs(i.Low/want.Low-1) > 1e-3 || math.Abs(i.High/want.High-1) > 1e-3 || math.Abs(got[0].Ratio-math.Exp(0.1)) > 1e-9 {
		t.Errorf("%v %+v, want %v", got[0].Ratio, *i, want)
	}
}
