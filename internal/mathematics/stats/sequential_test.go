package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLooks(t *testing.T) {
	tests := map[string]struct {
		least, most, comparisons int
		want                     []Interim
	}{
		"one comparison": {6, 40, 1, interims(0.05/4, 8, 14, 23, 40)},
		"a family needs more before its first interim analysis": {6, 40, 100, interims(0.05/3, 14, 24, 40)},
		"the user's least":                             {20, 40, 1, interims(0.05/2, 20, 40)},
		"no room for a second interim analysis":        {6, 7, 1, interims(0.05, 7)},
		"too few for the family: one interim analysis": {6, 8, 1000, interims(0.05, 8)},
		"the least is the most":                        {10, 10, 1, interims(0.05, 10)},
		"a hundred blocks":                             {6, 100, 1, interims(0.05/6, 8, 13, 22, 36, 60, 100)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := Interims(tc.least, tc.most, tc.comparisons, 0.05)
			if diff := cmp.Diff(tc.want, got, about); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			sum := 0.0
			for _, l := range got {
				sum += l.ErrorRate
			}
			if math.Abs(sum-0.05) > 1e-12 {
				t.Errorf("the interim analyses spend %v, want 0.05", sum)
			}
		})
	}
}

func interims(rate float64, blocks ...int) []Interim {
	var all []Interim
	for _, b := range blocks {
		all = append(all, Interim{b, rate})
	}
	return all
}

// The worst way to stop: as soon as something differs.
func TestSequentialExperimentsKeepTheirErrorRate(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	const rounds, errorRate = 1500, 0.05
	all := Interims(6, 40, 1, errorRate)
	alarms, naive := 0, 0
	for range rounds {
		a, b := make([]float64, 40), make([]float64, 40)
		for i := range a {
			a[i], b[i] = math.Exp(0.02*random.NormFloat64()), math.Exp(0.02*random.NormFloat64())
		}
		alarm, naiveAlarm := false, false
		for _, l := range all {
			c, err := ComparePaired(a[:l.Blocks], b[:l.Blocks])
			if err != nil {
				t.Fatal(err)
			}
			alarm, naiveAlarm = alarm || Decide([]Comparison{c}, l.ErrorRate, 0)[0].P <= l.ErrorRate, naiveAlarm || c.P() <= errorRate
		}
		alarms, naive = alarms+count(alarm), naive+count(naiveAlarm)
	}
	if share := float64(alarms) / rounds; share > errorRate+3*math.Sqrt(errorRate*(1-errorRate)/rounds) {
		t.Errorf("%.3f of the experiments have a false difference, want at most %v", share, errorRate)
	}
	if share := float64(naive) / rounds; share < 2*errorRate {
		t.Errorf("without dividing the error rate, %.3f have one: this test shows nothing", share)
	}
}
