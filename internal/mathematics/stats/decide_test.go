package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHolm(t *testing.T) {
	tests := map[string]struct {
		p, wantAdjusted, wantLevels []float64
	}{
		"nothing": {nil, []float64{}, []float64{}},
		"one":     {[]float64{0.05}, []float64{0.05}, []float64{0.05}},
		// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"). The third value stops the procedure.
		"the textbook's":           {[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}, []float64{0.05 / 3, 0.05 / 2, 0.05 / 2, 0.05 / 4}},
		"all are significant":      {[]float64{0.001, 0.002, 0.003}, []float64{0.003, 0.004, 0.004}, []float64{0.05 / 3, 0.05 / 2, 0.05}},
		"none is above 1":          {[]float64{0.9, 0.8}, []float64{1, 1}, []float64{0.025, 0.025}},
		"equal ones share a level": {[]float64{0.002, 0.03, 0.002, 0.02}, []float64{0.008, 0.04, 0.008, 0.04}, []float64{0.0125, 0.05, 0.0125, 0.025}},
		"in any order":             {[]float64{0.03, 0.002, 0.02, 0.002}, []float64{0.04, 0.008, 0.04, 0.008}, []float64{0.05, 0.0125, 0.025, 0.0125}},
		"equal and not shown":      {[]float64{0.01, 0.03, 0.03}, []float64{0.03, 0.06, 0.06}, []float64{0.05 / 3, 0.025, 0.025}},
		"what is missing counts":   {[]float64{math.NaN(), 0.025}, []float64{1, 0.05}, []float64{0.05, 0.025}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.wantAdjusted, Holm(tc.p), about); diff != "" {
				t.Errorf("adjusted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.wantLevels, HolmLevels(tc.p, 0.05), about); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
		})
	}
}

// Holm's procedure rejects what the closed test rejects: every set of hypotheses with this one in
// it has a value of at most errorRate divided by its size.
func TestHolmIsTheClosedTest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const errorRate = 0.05
	for range 2000 {
		p := make([]float64, 1+random.IntN(6))
		for i := range p {
			p[i] = random.Float64() * 0.08
		}
		adjusted, levels := Holm(p), HolmLevels(p, errorRate)
		for i := range p {
			closed := true
			for set := range 1 << len(p) {
				if set>>i&1 == 0 {
					continue
				}
				size, smallest := 0, 1.0
				for j := range p {
					if set>>j&1 == 1 {
						size, smallest = size+1, min(smallest, p[j])
					}
				}
				closed = closed && smallest <= errorRate/float64(size)
			}
			if got := adjusted[i] <= errorRate; got != closed || closed != (p[i] <= levels[i]) {
				t.Fatalf("%v, value %d: adjusted %v, level %v, want significant %v", p, i, adjusted[i], levels[i], closed)
			}
		}
	}
}

// What is published of a comparison does not depend on its place in the spec, whatever is as certain as it is.
func TestTheOrderOfAFamilyDecidesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		family := make([]Comparison, 2+random.IntN(5))
		for i := range family { // of 8 blocks, many have equal p-values
			family[i] = around(t, 8, 1+0.06*random.NormFloat64(), 0.08*random.Float64())
		}
		want, order := Decide(family, 0.05, 0.03), random.Perm(len(family))
		shuffled := make([]Comparison, len(family))
		for to, from := range order {
			shuffled[to] = family[from]
		}
		for to, got := range Decide(shuffled, 0.05, 0.03) {
			if diff := cmp.Diff(want[order[to]], got); diff != "" {
				t.Fatalf("comparison %d at place %d of %d (-before +after):\n%s", order[to], to, len(family), diff)
			}
		}
	}
}

// around is a comparison of n pairs whose ratios are about the given one, up to spread apart.
func around(t *testing.T, n int, ratio, spread float64) Comparison {
	t.Helper()
	a, b := make([]float64, n), make([]float64, n)
	for i := range a {
		a[i], b[i] = 100*ratio*(1+spread*(2*float64(i)/float64(n-1)-1)), 100
	}
	c, err := ComparePaired(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecide(t *testing.T) {
	tests := map[string]struct {
		n             int
		ratio, spread float64
		others        int // comparisons of nothing in the family
		want, latency Verdict
		equivalent    bool
	}{
		"above 1":                              {10, 1.1, 0.03, 0, Faster, Slower, false},
		"below 1":                              {10, 0.9, 0.03, 0, Slower, Faster, false},
		"about 1 and certain":                  {10, 1, 0.01, 0, Equivalent, Equivalent, true},
		"above 1, by less than matters":        {10, 1.01, 0.002, 0, Faster, Slower, true},
		"about 1 and uncertain":                {10, 1, 0.2, 0, Inconclusive, Inconclusive, false},
		"by the 90 % interval alone":           {10, 1, 0.04, 0, Equivalent, Equivalent, true},
		"few blocks":                           {5, 2, 0.001, 0, Exploratory, Exploratory, false},
		"10 blocks carry 25 comparisons":       {10, 2, 0.001, 24, Faster, Slower, false},
		"10 blocks do not carry 26":            {10, 2, 0.001, 25, Inconclusive, Inconclusive, false},
		"10 blocks carry equivalence among 51": {10, 1, 0.001, 50, Equivalent, Equivalent, true},
		"and not among 52":                     {10, 1, 0.001, 51, Inconclusive, Inconclusive, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := around(t, tc.n, tc.ratio, tc.spread)
			d := Decide(append([]Comparison{c}, make([]Comparison, tc.others)...), 0.05, 0.02)[0]
			if d.Verdict(HigherIsBetter) != tc.want || d.Verdict(LowerIsBetter) != tc.latency || d.Equivalent != tc.equivalent {
				t.Errorf("%s, %s, equivalent %v, want %s, %s, %v: %+v", d.Verdict(HigherIsBetter), d.Verdict(LowerIsBetter), d.Equivalent, tc.want, tc.latency, tc.equivalent, d)
			}
			if (d.Interval == nil) != (c.tail(0) > 0.025/float64(tc.others+1)) {
				t.Errorf("interval %v, and the smallest tail is %v", d.Interval, c.tail(0))
			}
		})
	}
	if got := Decide([]Comparison{around(t, 10, 1.1, 0.01)}, 0.05, 0)[0]; got.Verdict(NoDirection) != Higher || got.Equivalent {
		t.Errorf("without direction and margin: %s, equivalent %v", got.Verdict(NoDirection), got.Equivalent)
	}
	if got := Decide([]Comparison{around(t, 10, 0.9, 0.01)}, 0.05, 0)[0]; got.Verdict(NoDirection) != Lower {
		t.Errorf("without direction: %s, want %s", got.Verdict(NoDirection), Lower)
	}
}

// Two one-sided tests at 5 % each are the 90 % interval: that of 95 % may reach beyond the margin.
func TestEquivalenceIsDecidedByItsOwnInterval(t *testing.T) {
	d := Decide([]Comparison{around(t, 10, 1, 0.04)}, 0.05, 0.02)[0]
	if !d.Equivalent || d.Interval.High <= 1.02 || d.EquivalenceInterval.High >= 1.02 || d.EquivalenceInterval.Coverage < 0.9 {
		t.Errorf("equivalent %v by %+v, beside %+v", d.Equivalent, d.EquivalenceInterval, d.Interval)
	}
	if d := Decide([]Comparison{around(t, 10, 1, 0.04)}, 0.05, 0)[0]; d.EquivalenceInterval != nil {
		t.Errorf("without a margin there is the interval %+v", d.EquivalenceInterval)
	}
}

// A one-sided test of a bound agrees with the interval of twice its error rate, with pairs, without and over runs.
func TestOneSidedTests(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		a, b := make([]float64, 8), make([]float64, 8)
		for i := range a {
			a[i], b[i] = math.Exp(0.05*random.NormFloat64()), math.Exp(0.05*random.NormFloat64())
		}
		paired, _ := ComparePaired(a, b)
		unpaired, _ := CompareUnpaired(a, b)
		runs, _ := CompareRuns([]Comparison{paired, unpaired, around(t, 8, 1.02, 0.01)})
		for _, c := range []Comparison{paired, unpaired, runs} {
			i, _ := c.Interval(0.1)
			for _, bound := range []float64{0.9, 0.97, 1, 1.03, 1.1} {
				if above, below := c.PAbove(bound) <= 0.05, c.PBelow(bound) <= 0.05; above != (i.Low > bound) || below != (i.High < bound) {
					t.Fatalf("bound %v: above %v, below %v, interval %+v", bound, c.PAbove(bound), c.PBelow(bound), i)
				}
			}
		}
	}
	if c := (Comparison{}); c.PAbove(1) != 1 || c.PBelow(1) != 1 || around(t, 8, 1.5, 0.01).PAbove(0) != 1 {
		t.Error("nothing, or a bound that is not positive, shows something")
	}
}

// Whatever the family: what is said of a comparison can be read from its intervals.
func TestDecisionsAgreeWithTheirIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const margin = 0.03
	seen := map[Verdict]int{}
	for range 400 {
		family := make([]Comparison, 1+random.IntN(8))
		for i := range family {
			family[i] = around(t, 6+random.IntN(10), 1+0.04*random.NormFloat64(), 0.06*random.Float64())
		}
		equivalence := make([]float64, len(family))
		for i, c := range family {
			equivalence[i] = c.Equivalence(margin)
		}
		equivalence = Holm(equivalence)
		for i, d := range Decide(family, 0.05, margin) {
			seen[d.Verdict(HigherIsBetter)]++
			excludes := d.Interval != nil && (d.Interval.Low > 1 || d.Interval.High < 1)
			if (d.Larger || d.Smaller) != excludes || excludes != (d.P <= 0.05) || d.Larger && d.Smaller || d.Larger && family[i].Ratio < 1 {
				t.Fatalf("comparison %d of %d: %+v %v", i, len(family), d, d.Interval)
			}
			within := d.EquivalenceInterval != nil && d.EquivalenceInterval.Low > 1/(1+margin) && d.EquivalenceInterval.High < 1+margin
			if d.Equivalent != within || within != (equivalence[i] <= 0.05) {
				t.Fatalf("comparison %d of %d: %+v %v", i, len(family), d, d.EquivalenceInterval)
			}
		}
	}
	for _, v := range []Verdict{Faster, Slower, Equivalent, Inconclusive} {
		if seen[v] < 20 {
			t.Errorf("%s was decided %d times only", v, seen[v])
		}
	}
}

// In families of comparisons without a difference, at most errorRate have a false one.
func TestFamiliesRaiseFewFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const rounds, cells, blocks, errorRate = 400, 20, 12, 0.05
	alarms := 0
	for range rounds {
		family := make([]Comparison, cells)
		for i := range family {
			a, b := make([]float64, blocks), make([]float64, blocks)
			for j := range a {
				a[j], b[j] = math.Exp(0.03*random.NormFloat64()), math.Exp(0.03*random.NormFloat64())
			}
			family[i], _ = ComparePaired(a, b)
		}
		alarm := false
		for _, d := range Decide(family, errorRate, 0.02) {
			alarm = alarm || d.Larger || d.Smaller
		}
		alarms += count(alarm)
	}
	if share, most := float64(alarms)/rounds, errorRate+4*math.Sqrt(errorRate*(1-errorRate)/rounds); share > most {
		t.Errorf("%.3f of the families have a false difference, want at most %.3f", share, most)
	}
}

// The twenty controls of docs/evidence/verdicts.md, 17 of 8 blocks and 3 of 7: how often three or more of them exclude 1 where there
// is no difference. Few blocks have few p-values, so that the test rejects less often than in 5 of 100.
func TestControlsThatExcludeOneByChance(t *testing.T) {
	attained := map[int]float64{}
	for _, blocks := range []int{7, 8} {
		for signs := range 1 << blocks {
			a, b := make([]float64, blocks), make([]float64, blocks)
			for i := range a {
				a[i], b[i] = math.Exp(0.01*float64(i+1)*float64(2*(signs>>i&1)-1)), 1
			}
			c, err := ComparePaired(a, b)
			if err != nil {
				t.Fatal(err)
			}
			attained[blocks] += float64(count(c.P() <= 0.05)) / float64(int(1)<<blocks)
		}
	}
	chance := []float64{1} // of so many that exclude 1
	for i := range 20 {
		p := attained[8]
		if i < 3 {
			p = attained[7]
		}
		next := make([]float64, len(chance)+1)
		for n, c := range chance {
			next[n], next[n+1] = next[n]+c*(1-p), next[n+1]+c*p
		}
		chance = next
	}
	page, err := os.ReadFile("../../../docs/evidence/verdicts.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, want := range []string{
		fmt.Sprintf("%.1f of the 20 are expected", 17*attained[8]+3*attained[7]),
		fmt.Sprintf("no p-value between %.1f %% and 5 %% with 8 blocks, and none between %.1f %% and 5 %% with 7", 100*attained[8], 100*attained[7]),
		fmt.Sprintf("3 or more come in %.0f of 100 such series", 100*(1-chance[0]-chance[1]-chance[2])),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/evidence/verdicts.md lacks %q", want)
		}
	}
}
