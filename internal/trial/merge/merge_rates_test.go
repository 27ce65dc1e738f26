package merge

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// rated has a series, a rate over its whole window, and the length of that.
func rated(seconds, whole float64, series []contract.Interval) func(*contract.Result) {
	return func(r *contract.Result) {
		lasting(seconds, series)(r)
		measurement(r, contract.NameThroughput).Value = &whole
	}
}

func TestRatesAreThoseOfTheCommonTime(t *testing.T) {
	steady := func(v float64) []contract.Interval { return points(v, v, v, v, v, v, v, v, v, v) }
	tests := map[string]struct {
		results []contract.Result
		want    float64 // NaN for none
		problem string
	}{
		"the same window: the tools' own figures": {
			[]contract.Result{clientResult(0, 0, rated(10, 100.25, steady(100))), clientResult(1, 0, rated(10, 50.5, steady(50)))}, 150.75, ""},
		// Alone a client had the whole server: 200 per second in the first 4 s, then 100.
		"what a client did alone does not count": {
			[]contract.Result{
				clientResult(0, 0, rated(10, 140, points(200, 200, 200, 200, 100, 100, 100, 100, 100, 100))),
				clientResult(1, 4, rated(10, 140, points(100, 100, 100, 100, 100, 100, 200, 200, 200, 200)))}, 200, ""},
		"an interval counts by the part that lies within": {
			[]contract.Result{
				clientResult(0, 0, rated(4, 150, points(300, 100, 100, 100))),
				clientResult(1, 0.5, rated(3.5, 10, points(10, 10, 10)))}, (0.5*300+300)/3.5 + 10, ""},
		"what no point holds is spread over the rest": {
			// 40 operations of 10 s, 24 of them in the points up to 8: 8 per second at the end.
			[]contract.Result{
				clientResult(0, 0, rated(10, 4, points(3, 3, 3, 3, 3, 3, 3, 3))),
				clientResult(1, 9, rated(1, 7, points(7)))}, 8 + 7, ""},
		"a point without a number": {
			[]contract.Result{
				clientResult(0, 0, rated(4, 5, []contract.Interval{{1, new(2.0)}, {2, nil}, {3, new(4.0)}, {4, new(4.0)}})),
				clientResult(1, 1, rated(1, 1, points(1)))}, 10 + 1, ""},
		"no series, but nearly the same window: the sum": {
			[]contract.Result{clientResult(0, 0, rated(10, 100, nil)), clientResult(1, 0.4, rated(10, 50, nil))}, 150, ""},
		"no series, and another window": {
			[]contract.Result{clientResult(0, 0, rated(10, 100, steady(100))), clientResult(1, 1, rated(10, 50, nil))}, math.NaN(),
			"throughput: left out, as all clients measured in only 90.0 % of the longest window, and client 1 has no intervals"},
		"never together": {
			[]contract.Result{clientResult(0, 0, rated(10, 100, steady(100))), clientResult(1, 11, rated(10, 50, steady(50)))}, math.NaN(),
			"throughput: left out, as there was no time in which all clients measured"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			merged, _ := merge(t, tc.results...)
			m, ok := merged.Find(contract.NameThroughput, nil)
			if !ok || *m.N != 300 {
				t.Fatalf("throughput = %+v, want it with the count of both windows", m)
			}
			if (m.Value == nil) != math.IsNaN(tc.want) || m.Value != nil && math.Abs(*m.Value-tc.want) > 1e-6 {
				t.Errorf("throughput = %v, want %v", *cmp.Or(m.Value, new(math.NaN())), tc.want)
			}
			if got := texts(merged.Problems); got != tc.problem {
				t.Errorf("problems = %q, want %q", got, tc.problem)
			}
		})
	}
}

func texts(problems []contract.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Text)
	}
	return strings.Join(all, "; ")
}

// The time base is that of the tools: processes that were started at the same instant, of which
// one took 4 s to begin (a JVM, a warm-up), did not measure together from the start.
func TestSkewIsNotThatOfTheProcesses(t *testing.T) {
	slow := clientResult(1, 4, rated(10, 1, points(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)))
	slow.Times.MeasureStarted = clientResult(0, 0, nil).Times.MeasureStarted
	_, skew := merge(t, clientResult(0, 0, lasting(10, nil)), slow)
	if *skew.SpreadSeconds != 4 || math.Abs(*skew.Overlap-0.6) > 1e-9 {
		t.Errorf("spread %v s, overlap %v; want 4 s and 0.6", *skew.SpreadSeconds, *skew.Overlap)
	}
}

// Whatever the cut, the parts of a window hold what the whole holds.
func TestRateWithinAddsUp(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		n := 2 + random.IntN(20)
		length := float64(n) + random.Float64()
		var series []contract.Interval
		done := 0.0
		for i := range n {
			v := random.Float64() * 100
			done += v
			if random.IntN(10) > 0 {
				series = append(series, contract.Interval{AtSeconds: float64(i + 1), Value: &v})
			}
		}
		if len(series) < 2 {
			continue
		}
		whole := (done + 5) / length
		cut := (0.01 + 0.98*random.Float64()) * length
		before, ok1 := rateWithin(whole, series, length, 0, cut)
		after, ok2 := rateWithin(whole, series, length, cut, length)
		if got := before*cut + after*(length-cut); !ok1 || !ok2 || math.Abs(got-whole*length) > 1e-6*whole*length {
			t.Fatalf("%v + %v operations of %v, cut at %v of %v", before*cut, after*(length-cut), whole*length, cut, length)
		}
	}
}

func TestMergedTimes(t *testing.T) {
	at := func(s float64) *time.Time { return new(noon.Add(time.Duration(s * float64(time.Second)))) }
	windowed := func(from, to float64) func(*contract.Result) {
		return func(r *contract.Result) { r.Times.WindowStarted, r.Times.WindowEnded = at(from), at(to) }
	}
	merged, skew := merge(t, clientResult(0, 0, windowed(1, 11)), clientResult(1, 0, windowed(1.5, 11.2)), clientResult(2, 0, nil))
	if !merged.Times.WindowStarted.Equal(*at(1)) || !merged.Times.WindowEnded.Equal(*at(11.2)) {
		t.Errorf("window %v to %v, want the first begin and the last end", merged.Times.WindowStarted, merged.Times.WindowEnded)
	}
	if *skew.SpreadSeconds != 1.5 {
		t.Errorf("spread %v, want that of the windows", *skew.SpreadSeconds)
	}
}

// What is offered follows from schedules, and not from how long a server let the clients wait at
// the end of their windows: the trials in which it did would else be those without it.
func TestWhatIsOfferedIsTheSumOfAllClients(t *testing.T) {
	offering := func(client int, late, seconds float64) contract.Result {
		r := clientResult(client, late, rated(seconds, 90, nil))
		r.Measurements = append(r.Measurements, contract.Measurement{Name: contract.NameOffered, Unit: "tx/s", Value: new(100.0)})
		return r
	}
	merged, _ := merge(t, offering(0, 0, 12), offering(1, 0, 10))
	if m, ok := merged.Find(contract.NameOffered, nil); !ok || m.Value == nil || *m.Value != 200 {
		t.Errorf("offered %+v, want 200 of both", m)
	}
}
