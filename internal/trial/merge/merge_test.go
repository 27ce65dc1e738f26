package merge

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestMergeOfTwoClients(t *testing.T) {
	merged, _ := merge(t, clientResult(1, 0, nil), clientResult(0, 0, nil))
	n := new(int64(300))
	want := []contract.Measurement{
		{
			Name: contract.NameThroughput, Unit: "tx/s", N: n, Value: new(30.0),
			Intervals: []contract.Interval{{1, new(28.0)}, {2, new(30.0)}, {3, new(32.0)}},
		},
		{Name: contract.NameLatencyMin, Unit: "ms", N: n, Value: new(1.0)},
		{
			Name: contract.NameLatencyAvg, Unit: "ms", N: n, Value: new(10.0),
			Histogram: &contract.Histogram{Unit: "ms", Buckets: []contract.Bucket{{1, 150}, {2, 50}, {3, 100}}},
		},
		{Name: contract.NameLatencyMax, Unit: "ms", N: n, Value: new(6.0)},
		{Name: contract.NameLatencyPercentile, Labels: map[string]string{"p": "95"}, Unit: "ms", N: n, Value: new(3.0)},
		{Name: contract.NameLatencySum, Unit: "ms", Value: new(3000.0)},
		{Name: contract.NameTotalTime, Unit: "s", Value: new(3.001)},
		{Name: "threads.events", Labels: map[string]string{"stat": "avg", "client": "0"}, Unit: "1", Value: new(0.0)},
		{Name: "threads.events", Labels: map[string]string{"stat": "avg", "client": "1"}, Unit: "1", Value: new(1.0)},
	}
	if diff := cmp.Diff(want, merged.Measurements, within); diff != "" {
		t.Errorf("measurements (-want +got):\n%s", diff)
	}
	if merged.RawSHA256 != "" || merged.Trial.Client != 0 || len(merged.Problems) > 0 {
		t.Errorf("merged = %+v, want the identity of client 0, no raw output and no problems", merged)
	}
	if err := merged.Validate(); err != nil {
		t.Error(err)
	}
}

func TestMergeOfOneClientChangesNothing(t *testing.T) {
	want := clientResult(3, 0.25, func(r *contract.Result) {
		r.State, r.Failure = contract.Failed, &contract.Failure{contract.ReasonConnectionLost, "gone"}
	})
	got, skew := merge(t, want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Skew{Clients: []ClientSkew{{Client: 3, Seconds: new(0.25)}}}, skew); diff != "" {
		t.Errorf("skew (-want +got):\n%s", diff)
	}
}

func TestMergeTakesFromTheFirstClient(t *testing.T) {
	first := clientResult(0, 0.5, func(r *contract.Result) {
		r.Server, r.Data, r.Target, r.Client.Node = &contract.Server{Version: "11.8"}, &contract.Data{}, &contract.Environment{}, "node-a"
		r.Errors = []contract.ErrorCount{{contract.ErrorIgnored, 3}}
		r.Problems = []contract.Problem{{"run/stdout", 12, "what?"}}
		r.Warmup = []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Value: new(1.0)}}
	})
	second := clientResult(1, 0, func(r *contract.Result) {
		r.Client.Node = "node-b"
		r.Errors = []contract.ErrorCount{{contract.ErrorReconnects, 1}, {contract.ErrorIgnored, 4}}
		r.Problems = []contract.Problem{{"run/stderr", 1, "no"}}
		r.Warmup = []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Value: new(2.0)}}
	})
	got, _ := merge(t, first, second)
	want := first
	want.RawSHA256 = ""
	want.Measurements = got.Measurements
	want.Times.MeasureStarted, want.Times.MeasureEnded = second.Times.MeasureStarted, first.Times.MeasureEnded
	want.Errors = []contract.ErrorCount{{contract.ErrorIgnored, 7}, {contract.ErrorReconnects, 1}}
	want.Problems = []contract.Problem{{"client-0/run/stdout", 12, "what?"}, {"client-1/run/stderr", 1, "no"}}
	want.Warmup = []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Value: new(3.0)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestMergeOfStates(t *testing.T) {
	failing := func(reason contract.Reason) func(*contract.Result) {
		return func(r *contract.Result) {
			r.State, r.Failure, r.Measurements = contract.Failed, &contract.Failure{reason, "why"}, nil
		}
	}
	tests := map[string]struct {
		results []contract.Result
		want    *contract.Failure
	}{
		"all did their work": {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, nil)}, nil},
		"one failed": {
			[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, failing(contract.ReasonConnectionLost))}, &contract.Failure{contract.ReasonConnectionLost, "client 1: why"}},
		"the first that failed by itself": {
			[]contract.Result{clientResult(0, 0, failing(contract.ReasonInterrupted)), clientResult(1, 0, failing(contract.ReasonTargetOverloaded)), clientResult(2, 0, failing(contract.ReasonConnectionLost))},
			&contract.Failure{contract.ReasonTargetOverloaded, "client 1: why"}},
		"all were told to stop": {
			[]contract.Result{clientResult(0, 0, failing(contract.ReasonInterrupted)), clientResult(1, 0, failing(contract.ReasonInterrupted))},
			&contract.Failure{contract.ReasonInterrupted, "client 0: why"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := merge(t, tc.results...)
			if diff := cmp.Diff(tc.want, got.Failure); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
			if err := got.Validate(); err != nil {
				t.Error(err)
			}
			if _, ok := got.Find(contract.NameThroughput, nil); ok != (tc.want == nil) || len(got.Problems) > 0 {
				t.Errorf("throughput = %v, problems = %v; want one only of all clients", ok, got.Problems)
			}
		})
	}
}

// What a client lacks is absent in the whole, and the problem says so.
func TestMergeLeavesOut(t *testing.T) {
	tests := map[string]struct {
		change  func(*contract.Result)
		absent  string
		problem string
	}{
		"a rate that a client has not": {without(contract.NameThroughput), contract.NameThroughput, "throughput: left out, as these of 2 clients have none: 1"},
		"a percentile without a histogram": {
			func(r *contract.Result) { measurement(r, contract.NameLatencyAvg).Histogram = nil }, contract.NameLatencyPercentile,
			"latency.percentile p=95: left out, as a client has no histogram"},
		"a percentile of histograms in other units": {
			func(r *contract.Result) { measurement(r, contract.NameLatencyAvg).Histogram.Unit = "us" }, contract.NameLatencyPercentile,
			"latency.percentile p=95: left out, as a client has no histogram"},
		"a percentile that is no number": {
			func(r *contract.Result) {
				measurement(r, contract.NameLatencyPercentile).Labels = map[string]string{"p": "most"}
			}, contract.NameLatencyPercentile,
			"latency.percentile p=95: left out, as these of 2 clients have none: 1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := merge(t, clientResult(0, 0, nil), clientResult(1, 0, tc.change))
			if m, ok := got.Find(tc.absent, nil); ok {
				t.Errorf("%s is there: %+v", tc.absent, m)
			}
			if len(got.Problems) == 0 || got.Problems[0].Source != sourceMerge || !strings.Contains(got.Problems[0].Text, tc.problem) {
				t.Errorf("problems = %+v, want one with %q", got.Problems, tc.problem)
			}
		})
	}
}

func TestMergeOfValuesThatAreAbsent(t *testing.T) {
	nothing := clientResult(1, 0, func(r *contract.Result) {
		m := measurement(r, contract.NameLatencyAvg)
		m.N, m.Value, m.Histogram = new(int64(0)), nil, nil
		measurement(r, contract.NameLatencySum).Value = new(0.0)
		measurement(r, contract.NameLatencyMin).Value = nil
	})
	got, _ := merge(t, clientResult(0, 0, nil), nothing)
	avg, _ := got.Find(contract.NameLatencyAvg, nil)
	if avg.Histogram == nil || avg.Histogram.N() != 100 || *avg.Value != 10 {
		t.Errorf("a client that did nothing changes the mean or the histogram: %+v", avg)
	}
	if m, _ := got.Find(contract.NameLatencyMin, nil); m.Value != nil {
		t.Errorf("the shortest latency is %v, though that of a client is not known", *m.Value)
	}
	noSum := func(r *contract.Result) { without(contract.NameLatencySum)(r) }
	got, _ = merge(t, clientResult(0, 0, noSum), clientResult(1, 0, noSum))
	if m, _ := got.Find(contract.NameLatencyAvg, nil); m.Value == nil || math.Abs(*m.Value-2) > 1e-9 {
		t.Errorf("mean = %v, want that of means and counts, 2", m.Value)
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := map[string]struct {
		results []contract.Result
		want    string
	}{
		"nothing":               {nil, "there are none"},
		"one client twice":      {[]contract.Result{clientResult(1, 0, nil), clientResult(0, 0, nil), clientResult(1, 0, nil)}, "client 1 has two results"},
		"another trial":         {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *contract.Result) { r.Trial.Index = new(8) })}, "client 1 has a result of another trial"},
		"a trial and a loading": {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *contract.Result) { r.Trial.Index = nil })}, "another trial"},
		"another cell":          {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *contract.Result) { r.Trial.Cell = new(1) })}, "another trial"},
		"another attempt":       {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *contract.Result) { r.Trial.Attempt = 1 })}, "another trial"},
		"another target":        {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *contract.Result) { r.Trial.Target = "b" })}, "another trial"},
		"another tool":          {[]contract.Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *contract.Result) { r.Tool.Name = "ycsb" })}, "client 1 ran ycsb, and client 0 sysbench"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Results(tc.results); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func roundedUp(h contract.Histogram) contract.Histogram {
	h.RoundUp = true
	return h
}

func TestMergeOfHistogramsThatAreReadInTwoWays(t *testing.T) {
	h := contract.Histogram{Unit: "ms", Buckets: []contract.Bucket{{1, 2}}}
	if _, ok := contract.MergeHistograms(h, roundedUp(h)); ok {
		t.Error("they are merged, and nobody knows how to read a percentile")
	}
	if merged, ok := contract.MergeHistograms(roundedUp(h), roundedUp(h)); !ok || !merged.RoundUp || merged.N() != 4 {
		t.Errorf("merged = %+v, %v", merged, ok)
	}
}

func TestPercentile(t *testing.T) {
	hundred := contract.Histogram{}
	for i := range 100 {
		hundred.Buckets = append(hundred.Buckets, contract.Bucket{Value: float64(i + 1), Count: 1})
	}
	tests := map[string]struct {
		h    contract.Histogram
		p    float64
		want string
	}{
		"of nothing":                       {contract.Histogram{}, 50, ""},
		"of empty buckets":                 {contract.Histogram{Buckets: []contract.Bucket{{1, 0}}}, 50, ""},
		"percentile 0":                     {hundred, 0, ""},
		"above 100":                        {hundred, 100.1, ""},
		"not a number":                     {hundred, math.NaN(), ""},
		"a rank that is a whole number":    {hundred, 95, "95"},
		"nearer to the lower rank":         {hundred, 95.4, "95"},
		"nearer to the higher rank":        {hundred, 95.5, "96"},
		"all":                              {hundred, 100, "100"},
		"the smallest":                     {hundred, 0.001, "1"},
		"a rank that binary numbers miss":  {contract.Histogram{Buckets: []contract.Bucket{{1, 999}, {2, 1}}}, 99.9, "1"},
		"one operation":                    {contract.Histogram{Buckets: []contract.Bucket{{7, 1}}}, 1, "7"},
		"an empty bucket is passed over":   {contract.Histogram{Buckets: []contract.Bucket{{1, 1}, {2, 0}, {3, 1}}}, 80, "3"},
		"the bucket that holds the median": {contract.Histogram{Buckets: []contract.Bucket{{1, 1}, {2, 8}, {3, 1}}}, 50, "2"},
		"rounded up, 95.4 is the 96th":     {roundedUp(hundred), 95.4, "96"},
		"rounded up, a whole rank stays":   {roundedUp(hundred), 95, "95"},
		"rounded up, 99.9 % of 1000":       {roundedUp(contract.Histogram{Buckets: []contract.Bucket{{1, 999}, {2, 1}}}), 99.9, "1"},
		"rounded up, all":                  {roundedUp(hundred), 100, "100"},
	}
	for name, tc := range tests {
		got := ""
		if v, ok := tc.h.Percentile(tc.p); ok {
			got = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// Numbers at the end of what a number can be have no sum that JSON could hold.
func TestSumsAreFinite(t *testing.T) {
	huge := func(r *contract.Result) {
		for i := range r.Measurements {
			if m := &r.Measurements[i]; m.Name == contract.NameThroughput || m.Name == contract.NameLatencySum || m.Name == contract.NameLatencyAvg {
				m.Value, m.Intervals = new(1.7e308), nil
			}
		}
	}
	merged, _ := merge(t, clientResult(0, 0, huge), clientResult(1, 0, huge))
	for _, m := range merged.Measurements {
		if m.Value != nil && (math.IsInf(*m.Value, 0) || math.IsNaN(*m.Value)) {
			t.Errorf("%s is %g", m.Name, *m.Value)
		}
	}
	if len(merged.Problems) < 2 {
		t.Errorf("the problems are %v, want one for the throughput and one for the sum", merged.Problems)
	}
}

// Clients that executed the same queries have the geometric mean of their means, and none where one of them lacks its own.
func TestMergeOfGeometricMeans(t *testing.T) {
	of := func(seconds *float64) func(*contract.Result) {
		return func(r *contract.Result) {
			r.Measurements = append(r.Measurements, contract.Measurement{
				Name: contract.NameQueryMean, Unit: "s", Direction: contract.LowerIsBetter, Value: seconds, N: new(int64(22)),
			})
		}
	}
	got, _ := merge(t, clientResult(0, 0, of(new(2.0))), clientResult(1, 0, of(new(8.0))))
	if m, ok := got.Find(contract.NameQueryMean, nil); !ok || m.Value == nil || math.Abs(*m.Value-4) > 1e-12 || m.N == nil || *m.N != 44 {
		t.Errorf("the geometric mean of 2 s and 8 s: %+v", m)
	}
	for name, other := range map[string]*float64{"none": nil, "no time at all": new(0.0)} {
		got, _ = merge(t, clientResult(0, 0, of(new(2.0))), clientResult(1, 0, of(other)))
		if m, ok := got.Find(contract.NameQueryMean, nil); ok && m.Value != nil {
			t.Errorf("with a client that has %s: %+v", name, m)
		}
	}
}

// The parts of a load by several clients are those of the client that took longest, and what one client alone says stays its own.
func TestMergeOfLoads(t *testing.T) {
	of := func(client int, generating, writing float64) contract.Result {
		return clientResult(client, 0, func(r *contract.Result) {
			r.Measurements = []contract.Measurement{
				{Name: contract.NameLoadTime, Unit: "s", Value: new(generating + writing)},
				{Name: contract.NameGeneratingTime, Unit: "s", Value: &generating}, {Name: contract.NameWritingTime, Unit: "s", Value: &writing},
			}
		})
	}
	merged, _, err := Results([]contract.Result{of(0, 1, 4), of(1, 2, 3.5)})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{contract.NameLoadTime: 5.5, contract.NameGeneratingTime: 2, contract.NameWritingTime: 4} {
		if m, found := merged.Find(name, nil); !found || m.Value == nil || *m.Value != want || len(m.Labels) != 0 {
			t.Errorf("%s: %+v, want %g", name, m, want)
		}
	}
}
