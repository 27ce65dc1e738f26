package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSearchStepByStep(t *testing.T) {
	const yes, no = true, false
	three := Search{Low: 100, High: 1600, Precision: 0.5, Unit: 1, Trials: 3}
	tests := map[string]struct {
		search  Search
		history []Probe
		want    Step
	}{
		"low first":                           {three, nil, Step{Rate: 100}},
		"until its majority is certain":       {three, []Probe{{100, yes}}, Step{Rate: 100}},
		"then high":                           {three, []Probe{{100, yes}, {100, yes}}, Step{Rate: 1600, Held: 100}},
		"one of three does not decide":        {three, []Probe{{100, yes}, {100, no}}, Step{Rate: 100}},
		"low fails: nothing holds":            {three, []Probe{{100, no}, {100, yes}, {100, no}}, Step{Done: true, Failed: 100}},
		"high holds: at least that":           {one(three), []Probe{{100, yes}, {1600, yes}}, Step{Done: true, Held: 1600}},
		"then the geometric mean":             {one(three), []Probe{{100, yes}, {1600, no}}, Step{Rate: 400, Held: 100, Failed: 1600}},
		"of what is left above":               {one(three), []Probe{{100, yes}, {1600, no}, {400, yes}}, Step{Rate: 800, Held: 400, Failed: 1600}},
		"of what is left below":               {one(three), []Probe{{100, yes}, {1600, no}, {400, no}}, Step{Rate: 200, Held: 100, Failed: 400}},
		"until the bounds are close":          {one(three), []Probe{{100, yes}, {1600, no}, {400, yes}, {800, no}, {566, no}}, Step{Done: true, Held: 400, Failed: 566}},
		"or nothing is between them":          {Search{Low: 10, High: 11, Precision: 0.001, Unit: 1, Trials: 1}, []Probe{{10, yes}, {11, no}}, Step{Done: true, Held: 10, Failed: 11}},
		"one of two does not decide":          {Search{Low: 1, High: 2, Precision: 0.1, Trials: 2}, []Probe{{1, yes}}, Step{Rate: 1}},
		"an even number needs more than half": {Search{Low: 1, High: 2, Precision: 0.1, Trials: 2}, []Probe{{1, no}}, Step{Done: true, Failed: 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tc.search.Next(tc.history)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func one(s Search) Search {
	s.Trials = 1
	return s
}

func TestSearchRefuses(t *testing.T) {
	good := Search{Low: 1, High: 2, Precision: 0.1, Trials: 1}
	for name, s := range map[string]Search{
		"no low":       {High: 2, Precision: 0.1, Trials: 1},
		"low is high":  {Low: 2, High: 2, Precision: 0.1, Trials: 1},
		"endless":      {Low: 1, High: math.Inf(1), Precision: 0.1, Trials: 1},
		"no precision": {Low: 1, High: 2, Trials: 1},
		"no trials":    {Low: 1, High: 2, Precision: 0.1},
		"a unit of -1": {Low: 1, High: 2, Precision: 0.1, Unit: -1, Trials: 1},
		"not a number": {Low: math.NaN(), High: 2, Precision: 0.1, Trials: 1},
	} {
		if _, err := s.Next(nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, history := range map[string][]Probe{
		"another rate":     {{3, true}},
		"after the end":    {{1, false}, {1, false}},
		"a rate too early": {{1, true}, {1.5, true}},
	} {
		if got, err := good.Next(history); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	whole := Search{Low: 10, High: 11, Precision: 0.001, Unit: 1, Trials: 1}
	if got, err := whole.Next([]Probe{{10, true}, {11, false}, {10, true}}); err == nil {
		t.Errorf("a known rate after the end: %+v", got)
	}
}

// Every search ends, within MostTrials, and with bounds about the truth where trials do not vary.
func TestSearchEndsWithTheAnswer(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	longest := 0.0
	for range 3000 {
		s := Search{Low: 1 + 1000*random.Float64(), Precision: 0.001 + random.Float64()/5, Trials: 1 + random.IntN(4), Unit: float64(random.IntN(2))}
		s.Low = math.Ceil(s.Low)
		s.High = math.Ceil(s.Low * (1.01 + 100*random.Float64()))
		capacity := s.Low * math.Pow(2*s.High/s.Low, random.Float64()*1.2-0.1)
		noisy := random.IntN(2) == 1
		var history []Probe
		for {
			next, err := s.Next(history)
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			if next.Done {
				if !noisy {
					checkAnswer(t, s, capacity, next)
				}
				break
			}
			held := next.Rate <= capacity
			if noisy {
				held = random.IntN(2) == 1
			}
			history = append(history, Probe{next.Rate, held})
			if len(history) > s.MostTrials() {
				t.Fatalf("%+v: more than %d trials", s, s.MostTrials())
			}
		}
		longest = max(longest, float64(len(history))/float64(s.MostTrials()))
	}
	if longest < 0.9 {
		t.Errorf("no search took more than %.0f %% of its bound", 100*longest)
	}
}

func checkAnswer(t *testing.T, s Search, capacity float64, end Step) {
	t.Helper()
	switch {
	case capacity < s.Low && (end.Held != 0 || end.Failed != s.Low),
		capacity >= s.High && end.Held != s.High,
		end.Held > capacity,
		end.Failed > 0 && end.Failed <= capacity,
		end.Held > 0 && end.Failed > 0 && s.Unit == 0 && end.Failed > end.Held*(1+s.Precision)*1.000001:
		t.Fatalf("%+v: the capacity is %v, the search says %+v", s, capacity, end)
	}
}
