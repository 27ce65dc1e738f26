package claims

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// one source with a margin of 25 %, whose end is log(1.25) = 0.2231 away.
var one = Source{Margin: 0.25, Runs: 3, Groups: []Group{{Heading: "group", Quoted: "table"}, {Heading: "other", Quoted: "another"}}}

// claimOf a ratio between two sides of that name.
func claimOf(name string, ratio float64) Claim {
	return Claim{Says: name, Ratio: ratio, Measurement: "throughput", Of: map[string]string{"driver": name}, To: map[string]string{"driver": "base of " + name}}
}

// runsOf claims: each run has the ratio e^x in all of its blocks.
func runsOf(blocks int, logs map[string][]float64) (out []Run) {
	for name, of := range logs {
		c := claimOf(name, 1)
		for i, x := range of {
			for len(out) <= i {
				out = append(out, Run{Play: len(out) + 1})
			}
			a, b := Side{c.Measurement, c.Of, "ops/s", map[int32]float64{}}, Side{c.Measurement, c.To, "ops/s", map[int32]float64{}}
			for block := range int32(blocks) {
				to := 100 + float64(block)
				a.Values[block], b.Values[block] = to*math.Exp(x), to
			}
			out[i].Sides = append(out[i].Sides, a, b)
		}
	}
	return out
}

func rowsOf(t *testing.T, all []Claim, runs []Run) []Row {
	t.Helper()
	rows, err := Decide(one, all, runs)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// around x are three runs.
func around(x, d float64) []float64 { return []float64{x - d, x, x + d} }

// Of three runs the test is Student's with two degrees of freedom, for which P(T > t) = (1 - t/sqrt(2+t²))/2. Runs at x-d, x and x+d have a
// standard error of d/sqrt(3). The p-value is twice that of the nearest end of the region.
func TestDecide(t *testing.T) {
	log2 := math.Log(2)
	tests := map[string]struct {
		ratio  float64
		logs   []float64
		blocks int
		want   Verdict
		p      float64
		why    string
	}{
		// t = 0.2231/(0.01/sqrt(3)) = 38.65, p = 2*0.000334
		"the published ratio": {2, around(log2, 0.01), 8, Reproduced, 0.00067, ""},
		// t = 0.2231/(0.04/sqrt(3)) = 9.66, p = 2*0.00527. The interval is 4.303*0.0231 = 0.0994 to either side of log(1.1) = 0.0953.
		"the published ratio, which is little": {1.1, around(math.Log(1.1), 0.04), 8, Reproduced, 0.01054, "its interval, at this level, holds 1, too"},
		"one that is little less":              {1 / 1.1, around(-math.Log(1.1), 0.04), 8, Reproduced, 0.01054, "its interval, at this level, holds 1, too"},
		"equality":                             {1, around(0, 0.04), 8, Reproduced, 0.01054, ""},
		// The lower end of the region is at log(1.1/1.25) = -0.1278, which is 0.0778 away: t = 0.0778/(0.002/sqrt(3)) = 67.4, p = 2*0.00011.
		"within the margin, on the other side": {1.1, around(-0.05, 0.002), 8, Reproduced, 0.00022, "its interval is on the other side of 1"},
		// t = 1.932, p = 2*0.0965. At 0.025 and with a power of 80 %, 8 runs have 0.2*(2.365+0.896)/sqrt(8) = 0.2306, and 9 have 0.2130.
		"runs that differ": {2, around(log2, 0.2), 8, Undecided, 0.193, `if the ratio stays, about 9 runs would show "reproduced"`},
		// From 1.25, where no difference ends, log(2/1.25) = 0.470, and from 4/1.25 again: t = 81.4.
		"half of it": {4, around(log2, 0.01), 8, AnotherSize, 0.00015, ""},
		// log(2) - 0.2231 above the published one.
		"twice as much":              {1.000001, around(log2, 0.01), 8, AnotherSize, 0.00015, ""},
		"twice as much, of equality": {1, around(log2, 0.01), 8, Contradicted, 0.00015, ""},
		// log(1.25*2) = 0.916 below it: t = 158.7, p = 2*0.0000198.
		"the other side of 1": {2, around(-log2, 0.01), 8, Contradicted, 0.00004, ""},
		// 0.2231 below the end of no difference.
		"no difference of much":  {55, around(0, 0.01), 8, Contradicted, 0.00067, ""},
		"less, of less":          {0.5, around(-2*log2, 0.01), 8, AnotherSize, 0.00015, ""},
		"more, of less":          {0.5, around(log2, 0.01), 8, Contradicted, 0.00004, ""},
		"just beside the margin": {2, around(log2+0.2231, 0.2), 8, Undecided, 0.9998, "it is too near the end of what counts as reproduced, or as no difference, for 1,000 runs"},
		"two runs":               {2, []float64{log2, log2 + 0.01}, 8, Waiting, 1, "2 of 3 runs"},
		"blocks that are lost":   {2, around(log2, 0.01), 5, Undecided, 1, "0 of 3 runs have both sides in 6 blocks"},
		"nothing was measured":   {2, around(log2, 0.01), 0, Undecided, 1, "0 of 3 runs have both sides in 6 blocks"},
		"nothing published":      {0, around(log2, 0.01), 8, Unclaimed, 1, "no claim of the source"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := rowsOf(t, []Claim{claimOf("c", tt.ratio)}, runsOf(tt.blocks, map[string][]float64{"c": tt.logs}))[0]
			if got.Verdict != tt.want || got.Why != tt.why || math.Abs(got.P-tt.p) > 0.05*tt.p {
				t.Errorf("%s (p %.6f): %s\nwant %s (p %.6f): %s", got.Verdict, got.P, got.Why, tt.want, tt.p, tt.why)
			}
		})
	}
}

// A published range is reproduced by what is in it, whatever the margin; that says what is no difference.
func TestARange(t *testing.T) {
	c := claimOf("c", math.Sqrt(10*50))
	c.Low, c.High, c.Printed = 10, 50, "10x to 50x"
	for ratio, want := range map[float64]Verdict{1.4: Contradicted, 1.6: AnotherSize, 9.5: AnotherSize, 10.5: Reproduced, 48: Reproduced, 53: AnotherSize, 50: Undecided} {
		s := Source{Runs: 3, Margin: 0.5, Groups: []Group{{Claims: []Sentence{{Range: []float64{10, 50}}}}}}
		rows, err := Decide(s, []Claim{c}, runsOf(8, map[string][]float64{"c": around(math.Log(ratio), 0.005)}))
		if err != nil {
			t.Fatal(err)
		}
		if rows[0].Verdict != want {
			t.Errorf("%v is %s, want %s", ratio, rows[0].Verdict, want)
		}
		if line := rows[0].line(); !strings.Contains(line, "| 10x to 50x |") || !strings.Contains(line, "| 10 to 50 |") || strings.Contains(line, "22.36") {
			t.Errorf("the line: %s", line)
		}
		if !strings.Contains(s.rules(), "Where a range was published") {
			t.Error("the page does not say how a range is reproduced")
		}
	}
}

// The mean of two claims has the geometric mean of their ratios in each run that has both.
func TestAMeanOfClaims(t *testing.T) {
	a, b := claimOf("a", 0), claimOf("b", 0)
	mean := Claim{Says: "mean", Measurement: "throughput", Mean: [][2]map[string]string{{a.Of, a.To}, {b.Of, b.To}}}
	runs := runsOf(8, map[string][]float64{"a": {0.1, 0.2, 0.3}, "b": {0.3, 0.4, 0.5}})
	delete(runs[0].Sides[0].Values, 3)
	got := rowsOf(t, []Claim{a, b, mean}, runs)[2]
	if want := math.Exp(0.3); got.Verdict != Unclaimed || got.Runs != 3 || math.Abs(got.Ratio-want) > 1e-9 || got.Interval == nil || got.Interval.Low > want {
		t.Errorf("%+v, want a ratio of %v in 3 runs", got, want)
	}
	if strings.Contains(got.line(), " over ") {
		t.Errorf("rates of unlike loads have no mean: %s", got.line())
	}
	few := runsOf(8, map[string][]float64{"a": {0.1, 0.2, 0.3}, "b": {0.3, 0.4, 0.5}})
	for block := range int32(3) {
		delete(few[0].Sides[2].Values, block)
	}
	if got := rowsOf(t, []Claim{a, b, mean}, few)[2]; got.Runs != 2 || math.Abs(got.Ratio-math.Exp(0.35)) > 1e-9 {
		t.Errorf("%+v, want a ratio of the 2 runs that have both in enough blocks", got)
	}
	if n := len(mean.Sides()); n != 4 {
		t.Errorf("%d sides", n)
	}
	if got := rowsOf(t, []Claim{{Says: "mean", Measurement: "throughput", Mean: [][2]map[string]string{{a.Of, a.To}, {{"driver": "c"}, b.To}}}}, runs)[0]; got.Verdict != Waiting {
		t.Errorf("of a side that was not measured: %+v", got)
	}
}

// The regions of a ratio cover the line, each of them once, and the interval that is shown lies in that of the verdict.
func TestRegions(t *testing.T) {
	for _, ratio := range []float64{0.01, 0.5, 0.79, 0.81, 0.99, 1, 1.01, 1.24, 1.26, 1.5, 1.6, 55} {
		all := regionsOf(claimOf("", ratio), 0.25)
		if all[0].low != 0 || !math.IsInf(all[len(all)-1].high, 1) {
			t.Errorf("%v: from %v to %v", ratio, all[0].low, all[len(all)-1].high)
		}
		for i, r := range all[1:] {
			if r.low != all[i].high || r.high < r.low {
				t.Errorf("%v: %+v after %+v", ratio, r, all[i])
			}
		}
		within := func(x float64) (v Verdict) {
			for _, r := range all {
				if r.low < x && x < r.high {
					v = r.verdict
				}
			}
			return v
		}
		if got := within(ratio); got != Reproduced {
			t.Errorf("%v itself is %s", ratio, got)
		}
		if got := within(1 / ratio); ratio != 1 && math.Abs(math.Log(ratio)) > 0.2 && got != Contradicted {
			t.Errorf("of %v the inverse is %s", ratio, got)
		}
	}
	rows := rowsOf(t, []Claim{claimOf("a", 1), claimOf("b", 1)}, runsOf(8, map[string][]float64{"a": {-0.01, 0, 0.01}, "b": {0.49, 0.5, 0.51}}))
	if in := rows[0].Interval; rows[0].Verdict != Reproduced || in == nil || in.Low < 0.8 || in.High > 1.25 {
		t.Errorf("%s: %+v", rows[0].Verdict, in)
	}
	if in := rows[1].Interval; rows[1].Verdict != Contradicted || in == nil || in.Low < 1.25 {
		t.Errorf("%s: %+v", rows[1].Verdict, in)
	}
}

// Each alone has a p of 2*0.0193 = 0.039 (t = 0.2231/(0.075/sqrt(3)) = 5.15): two of one table are decided neither, and each of two tables is.
// They share a side, so that their spreads know of each other half as much: with a freedom of 4/(2+2*0.25)*2 = 3.2.
func TestClaimsOfOneTableAreAFamily(t *testing.T) {
	logs := []float64{-0.075, 0, 0.075}
	a, b := claimOf("a", 1), claimOf("b", 1)
	if n := independent([]Row{{Claim: a}, {Claim: b}, {Claim: Claim{Measurement: "throughput", Of: a.Of, To: b.To}}}, []int{0, 1, 2}); math.Abs(n-9.0/4) > 1e-9 {
		t.Errorf("%v independent of three, of which one shares a side with each other, want 9/(3+4*0.25)", n)
	}
	runs := runsOf(8, map[string][]float64{"a": logs, "b": logs})
	p := func(all ...Claim) (out []float64) {
		for _, r := range rowsOf(t, all, runs) {
			out = append(out, r.P)
		}
		return out
	}
	other := b
	other.Group = 1
	alone, apart, together := p(a), p(a, other), p(a, b)
	if math.Abs(alone[0]-0.0358) > 0.001 {
		t.Errorf("alone: %v", alone)
	}
	if apart[0] >= alone[0] {
		t.Errorf("a second table narrows the spread: %v of %v alone", apart, alone)
	}
	if math.Abs(together[0]-2*apart[0]) > 1e-9 || together[0] != together[1] {
		t.Errorf("together: %v, want twice %v", together, apart)
	}
	none, small, unclaimed := Claim{Says: "c", Not: "no"}, Claim{Says: "d", NotSmall: "later"}, claimOf("b", 0)
	rows := rowsOf(t, []Claim{a, none, small, unclaimed}, runs)
	var got []Verdict
	for _, r := range rows {
		got = append(got, r.Verdict)
	}
	if diff := cmp.Diff([]Verdict{Reproduced, NotObtainable, NotSmall, Unclaimed}, got); diff != "" || rows[0].P != apart[0] {
		t.Errorf("p %v (-want +got):\n%s", rows[0].P, diff)
	}
	if rows[3].Interval == nil || math.Abs(rows[3].Interval.Coverage-0.95) > 1e-9 {
		t.Errorf("what nobody claims has its interval: %+v", rows[3].Interval)
	}
}

// The verdict is that of the first runs, as many as the source says: whoever plays on until it pleases him has no other.
func TestTheNumberOfRunsIsFixed(t *testing.T) {
	three := map[string][]float64{"c": {-0.2, 0, 0.2}}
	more := map[string][]float64{"c": {-0.2, 0, 0.2, 0, 0, 0, 0, 0}}
	a, b := rowsOf(t, []Claim{claimOf("c", 1)}, runsOf(8, three))[0], rowsOf(t, []Claim{claimOf("c", 1)}, runsOf(8, more))[0]
	if a.Verdict != Undecided || b.Verdict != Undecided || a.P != b.P || b.Runs != 3 {
		t.Errorf("%s, p %v; with more runs %s, p %v of %d", a.Verdict, a.P, b.Verdict, b.P, b.Runs)
	}
}

// A run that was measured before a claim was changed has nothing of it, and says so.
func TestARunThatWasNotAsked(t *testing.T) {
	got := rowsOf(t, []Claim{claimOf("new", 1)}, runsOf(8, map[string][]float64{"old": {0, 0.1, 0.2}}))[0]
	if got.Verdict != Waiting || got.Why != "the runs were measured before this claim was written" {
		t.Errorf("%s: %s", got.Verdict, got.Why)
	}
}

// Of two runs the interval is that over runs: 0 and 0.2 have a mean of 0.1 and a standard error of 0.1, and t(1) at 0.975 is 12.706.
func TestIntervalOfTwoRuns(t *testing.T) {
	s := one
	s.Runs = 2
	rows, err := Decide(s, []Claim{claimOf("c", 0)}, runsOf(6, map[string][]float64{"c": {0, 0.2}}))
	if err != nil || rows[0].Interval == nil || rows[0].Blocks != 12 {
		t.Fatalf("%v, %+v", err, rows)
	}
	want := stats.Interval{Low: math.Exp(0.1 - 1.2706), High: math.Exp(0.1 + 1.2706)}
	if i := rows[0].Interval; math.Abs(i.Low/want.Low-1) > 1e-3 || math.Abs(i.High/want.High-1) > 1e-3 || math.Abs(rows[0].Ratio-math.Exp(0.1)) > 1e-9 {
		t.Errorf("%v %+v, want %v", rows[0].Ratio, *i, want)
	}
}
