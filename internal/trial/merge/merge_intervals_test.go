package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// points of a series of one length, from the first interval on.
func points(values ...float64) []contract.Interval {
	var series []contract.Interval
	for i, v := range values {
		series = append(series, contract.Interval{AtSeconds: float64(i + 1), Value: &v})
	}
	return series
}

func lasting(seconds float64, series []contract.Interval) func(*contract.Result) {
	return func(r *contract.Result) {
		measurement(r, contract.NameThroughput).Intervals = series
		measurement(r, contract.NameTotalTime).Value = &seconds
	}
}

func TestMergeAlignsIntervals(t *testing.T) {
	gap := []contract.Interval{{1, new(1.0)}, {3, new(3.0)}}
	unknown := []contract.Interval{{1, new(1.0)}, {2, nil}, {3, new(3.0)}}
	tests := map[string]struct {
		first, second contract.Result
		want          []contract.Interval
	}{
		"both began together": {
			clientResult(0, 0, lasting(3.006, points(1, 2, 3))), clientResult(1, 0, lasting(3.006, points(10, 20, 30))),
			[]contract.Interval{{1, new(11.0)}, {2, new(22.0)}, {3, new(33.0)}}},
		"one began less than half an interval late": {
			clientResult(0, 0.4, lasting(3, points(1, 2, 3))), clientResult(1, 0, lasting(3, points(10, 20, 30))),
			[]contract.Interval{{1, new(11.0)}, {2, new(22.0)}, {3, new(33.0)}}},
		"one began more than half an interval late": {
			clientResult(0, 0, lasting(3, points(1, 2, 3))), clientResult(1, 0.6, lasting(3, points(10, 20, 30))),
			[]contract.Interval{{1, new(1.0)}, {2, new(12.0)}, {3, new(23.0)}, {4, new(30.0)}}},
		"one began as the other was ending": {
			clientResult(0, 0, lasting(2.6, points(1, 2))), clientResult(1, 2.51, lasting(1, points(10))),
			[]contract.Interval{{1, new(1.0)}, {2, new(2.0)}, {4, new(10.0)}}},
		"one ended in the middle of an interval": {
			clientResult(0, 0, lasting(2.5, points(1, 2))), clientResult(1, 0, lasting(3, points(10, 20, 30))),
			[]contract.Interval{{1, new(11.0)}, {2, new(22.0)}}},
		"one ended before": {
			clientResult(0, 0, lasting(2.01, points(1, 2))), clientResult(1, 0, lasting(3, points(10, 20, 30))),
			[]contract.Interval{{1, new(11.0)}, {2, new(22.0)}, {3, new(30.0)}}},
		"one has a gap": {
			clientResult(0, 0, lasting(3, gap)), clientResult(1, 0, lasting(3, points(10, 20, 30))),
			[]contract.Interval{{1, new(11.0)}, {3, new(33.0)}}},
		"one printed no number": {
			clientResult(0, 0, lasting(3, unknown)), clientResult(1, 0, lasting(3, points(10, 20, 30))),
			[]contract.Interval{{1, new(11.0)}, {2, nil}, {3, new(33.0)}}},
		"one has the end of its window as a point": {
			clientResult(0, 0, lasting(2.06, append(points(1, 2), contract.Interval{2.06, new(0.1)}))), clientResult(1, 0, lasting(2, points(10, 20))),
			[]contract.Interval{{1, new(11.0)}, {2, new(22.0)}}},
		"one has no series": {
			clientResult(0, 0, lasting(3, nil)), clientResult(1, 0, lasting(3, points(10, 20, 30))), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			merged, _ := merge(t, tc.first, tc.second)
			got, _ := merged.Find(contract.NameThroughput, nil)
			if diff := cmp.Diff(tc.want, got.Intervals, within); diff != "" {
				t.Errorf("intervals (-want +got):\n%s", diff)
			}
			if len(merged.Problems) > 0 {
				t.Errorf("problems: %+v", merged.Problems)
			}
		})
	}
}

func TestMergeCannotAlign(t *testing.T) {
	tests := map[string]struct {
		change func(*contract.Result)
		want   string
	}{
		"a client that began nobody knows when": {
			func(r *contract.Result) { r.Times.MeasureStarted = nil }, "throughput: the intervals are left out, as the start of client 1 is unknown"},
		"a client with shorter intervals": {
			func(r *contract.Result) {
				measurement(r, contract.NameThroughput).Intervals = []contract.Interval{{0.1, nil}, {0.2, nil}, {0.3, nil}}
			},
			"throughput: the intervals are left out, as those of client 1 are not of one length"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			merged, _ := merge(t, clientResult(0, 0, nil), clientResult(1, 0, tc.change))
			m, _ := merged.Find(contract.NameThroughput, nil)
			if len(m.Intervals) > 0 || m.Value == nil || *m.Value != 30 {
				t.Errorf("throughput = %+v, want the sum without intervals", m)
			}
			if diff := cmp.Diff([]contract.Problem{{Source: sourceMerge, Text: tc.want}}, merged.Problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// known is the skew of clients that share a clock, whose processes lived for some seconds (slack)
// outside of their windows, of which the longest had so many.
func known(clients []ClientSkew, spread, overlap *float64, slack, longest float64) Skew {
	return Skew{
		Clients: clients, SpreadSeconds: spread, Overlap: overlap, SpreadUncertaintySeconds: &slack, OverlapUncertainty: new(slack / longest),
		FromSeconds: spread, ToSeconds: new(*spread + *overlap*longest),
	}
}

func TestSkew(t *testing.T) {
	noTotal := func(r *contract.Result) { without(contract.NameTotalTime)(r) }
	never := func(r *contract.Result) { r.Times.MeasureStarted = nil }
	tests := map[string]struct {
		results []contract.Result
		want    Skew
	}{
		"clients that began together": {
			[]contract.Result{clientResult(0, 0, lasting(10, nil)), clientResult(1, 0, lasting(10, nil))},
			known([]ClientSkew{{0, new(0.0)}, {1, new(0.0)}}, new(0.0), new(1.0), 0.2, 10)},
		"one that began late and one early": {
			[]contract.Result{clientResult(0, -0.5, lasting(10, nil)), clientResult(1, 1.5, lasting(10, nil)), clientResult(2, 0, lasting(10, nil))},
			known([]ClientSkew{{0, new(-0.5)}, {1, new(1.5)}, {2, new(0.0)}}, new(2.0), new(0.8), 0.2, 10)},
		"one that ended early": {
			[]contract.Result{clientResult(0, 0, lasting(10, nil)), clientResult(1, 0, lasting(4, nil))},
			known([]ClientSkew{{0, new(0.0)}, {1, new(0.0)}}, new(0.0), new(0.4), 0.2, 10)},
		"clients that never measured together": {
			[]contract.Result{clientResult(0, 0, lasting(1, nil)), clientResult(1, 5, lasting(1, nil))},
			known([]ClientSkew{{0, new(0.0)}, {1, new(5.0)}}, new(5.0), new(0.0), 0.2, 1)},
		"a tool without a clock": {
			[]contract.Result{clientResult(0, 0, noTotal), clientResult(1, 0.321, noTotal)},
			known([]ClientSkew{{0, new(-0.2)}, {1, new(0.121)}}, new(0.321), new(0.9), 0, 3.21)},
		"one that never began": {
			[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, never)},
			Skew{Clients: []ClientSkew{{0, new(0.0)}, {1, nil}}}},
		"a start that nobody planned": {
			[]contract.Result{clientResult(0, 0, func(r *contract.Result) { r.Times.Planned = nil }), clientResult(1, 0, nil)},
			known([]ClientSkew{{0, nil}, {1, new(0.0)}}, new(0.0), new(3/3.001), 0.2, 3.001)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, got := merge(t, tc.results...)
			if diff := cmp.Diff(tc.want, got, within); diff != "" {
				t.Errorf("skew (-want +got):\n%s", diff)
			}
		})
	}
}
