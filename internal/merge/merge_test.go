package merge

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/contract"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// within allows for the rounding of sums in another order.
var within = cmpopts.EquateApprox(1e-9, 0)

// clientResult is a result of 3 s by one client that began some seconds late. Its process
// was started 0.2 s before the tool began to count.
func clientResult(client int, late float64, change func(*contract.Result)) contract.Result {
	began := noon.Add(time.Duration(late * float64(time.Second)))
	started, planned := began.Add(-200*time.Millisecond), noon
	ended := began.Add(3010 * time.Millisecond)
	n := int64(100 * (client + 1))
	rate := func(name, unit string, perSecond float64) contract.Measurement {
		m := contract.Measurement{Name: name, Unit: unit, N: new(n), Value: new(perSecond)}
		for i := range 3 {
			m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: new(perSecond + float64(i-1))})
		}
		return m
	}
	latency := func(name string, v float64) contract.Measurement {
		return contract.Measurement{Name: name, Unit: "ms", N: new(n), Value: &v}
	}
	avg := latency(contract.NameLatencyAvg, 2)
	avg.Histogram = &contract.Histogram{Unit: "ms", Buckets: []contract.Bucket{{Value: 1, Count: n / 2}, {Value: float64(client + 2), Count: n - n/2}}}
	percentile := latency(contract.NameLatencyPercentile, 1)
	percentile.Labels = map[string]string{contract.LabelPercentile: "95"}
	percentile.Intervals = []contract.Interval{{AtSeconds: 1, Value: new(1.0)}}
	r := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded, Tool: contract.Tool{Name: "sysbench"}, RawSHA256: strings.Repeat("0a", 32),
		Trial:  contract.TrialRef{RunUID: "u", Phase: "Run", Index: new(7), Block: new(2), Target: "innodb", Client: client},
		Client: contract.Client{Environment: contract.Environment{Machine: contract.Machine{BootID: "one"}}},
		Times:  contract.Times{Planned: &planned, MeasureStarted: &started, MeasureEnded: &ended},
		Measurements: []contract.Measurement{
			rate(contract.NameThroughput, "tx/s", float64(10*(client+1))), latency(contract.NameLatencyMin, float64(client+1)), avg,
			latency(contract.NameLatencyMax, float64(client+5)), percentile,
			{Name: contract.NameLatencySum, Unit: "ms", Value: new(float64(1000 * (client + 1)))},
			{Name: contract.NameTotalTime, Unit: "s", Value: new(3 + float64(client)/1000)},
			{Name: "threads.events", Labels: map[string]string{contract.LabelStat: "avg"}, Unit: "1", Value: new(float64(client))},
		},
	}
	if change != nil {
		change(&r)
	}
	if m, ok := r.Find(contract.NameTotalTime, nil); ok && r.Times.MeasureStarted != nil { // the process ends with the window
		*r.Times.MeasureEnded = began.Add(time.Duration(*m.Value * float64(time.Second)))
	}
	return r
}

func measurement(r *contract.Result, name string) *contract.Measurement {
	for i := range r.Measurements {
		if r.Measurements[i].Name == name {
			return &r.Measurements[i]
		}
	}
	panic("no " + name)
}

func without(name string) func(*contract.Result) {
	return func(r *contract.Result) {
		r.Measurements = slices.DeleteFunc(r.Measurements, func(m contract.Measurement) bool { return m.Name == name })
	}
}

func merge(t *testing.T, results ...contract.Result) (contract.Result, Skew) {
	t.Helper()
	merged, skew, err := Results(results)
	if err != nil {
		t.Fatal(err)
	}
	return merged, skew
}

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

// pool is what one client would have reported that did the work of all: the
// operations are latencies in ms.
func pool(latencies []float64) contract.Histogram {
	counts := map[float64]int64{}
	for _, l := range latencies {
		counts[bucketOf(l)]++
	}
	h := contract.Histogram{Unit: "ms"}
	for v, n := range counts {
		h.Buckets = append(h.Buckets, contract.Bucket{Value: v, Count: n})
	}
	slices.SortFunc(h.Buckets, func(a, b contract.Bucket) int { return int(math.Copysign(1, a.Value-b.Value)) })
	return h
}

// bucketOf rounds up to a bound as a tool does: logarithmic, three decimals.
func bucketOf(latency float64) float64 {
	bound := math.Exp(math.Ceil(math.Log(latency)/0.018) * 0.018)
	return math.Round(bound*1000) / 1000
}

// split is the results of clients that shared the operations among them.
func split(random *rand.Rand, latencies []float64, clients int) []contract.Result {
	shares := make([][]float64, clients)
	for _, l := range latencies {
		i := random.IntN(clients)
		shares[i] = append(shares[i], l)
	}
	var results []contract.Result
	for client, share := range shares {
		results = append(results, clientResult(client, random.Float64(), func(r *contract.Result) {
			h, sum, n := pool(share), 0.0, int64(len(share))
			for _, l := range share {
				sum += l
			}
			avg := measurement(r, contract.NameLatencyAvg)
			avg.N, avg.Histogram, avg.Value = &n, &h, nil
			if n > 0 {
				avg.Value = new(sum / float64(n))
			}
			measurement(r, contract.NameLatencySum).Value = &sum
			m := measurement(r, contract.NameThroughput)
			m.N, m.Value = &n, new(float64(n)/3)
		}))
	}
	return results
}

func TestMergeOfPartsIsTheWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		latencies := make([]float64, 1+random.IntN(500))
		whole := 0.0
		for i := range latencies {
			latencies[i] = 0.1 + random.ExpFloat64()*10
			whole += latencies[i]
		}
		results := split(random, latencies, 2+random.IntN(4))
		merged, _ := merge(t, results...)
		pooled := pool(latencies)
		avg, _ := merged.Find(contract.NameLatencyAvg, nil)
		if avg.Histogram == nil {
			t.Fatal("no histogram")
		}
		if diff := cmp.Diff(pooled, *avg.Histogram); diff != "" {
			t.Fatalf("histogram (-pooled +merged):\n%s", diff)
		}
		if math.Abs(*avg.Value-whole/float64(len(latencies))) > 1e-9*whole {
			t.Errorf("mean = %v, want %v", *avg.Value, whole/float64(len(latencies)))
		}
		want, _ := pooled.Percentile(95)
		if p, _ := merged.Find(contract.NameLatencyPercentile, nil); p.Value == nil || *p.Value != want {
			t.Errorf("95th percentile = %v, want %v", p.Value, want)
		}
		if m, _ := merged.Find(contract.NameThroughput, nil); *m.N != int64(len(latencies)) {
			t.Errorf("n = %d, want %d", *m.N, len(latencies))
		}
	}
}

func TestMergeIgnoresTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		latencies := make([]float64, 100)
		for i := range latencies {
			latencies[i] = 1 + random.Float64()
		}
		results := split(random, latencies, 5)
		want, wantSkew := merge(t, results...)
		random.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
		got, gotSkew := merge(t, results...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("result of another order (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantSkew, gotSkew); diff != "" {
			t.Fatalf("skew of another order (-want +got):\n%s", diff)
		}
	}
}

func TestMergeLeavesItsArgumentsAlone(t *testing.T) {
	results := []contract.Result{clientResult(1, 0, nil), clientResult(0, 0.2, nil)}
	for i := range results {
		results[i].Errors = []contract.ErrorCount{{contract.ErrorIgnored, 1}}
		results[i].Problems = []contract.Problem{{"run/stdout", 1, "x"}}
	}
	before, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	merge(t, results...)
	after, err := json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("arguments (-before +after):\n%s", diff)
	}
}

// FuzzMerge builds the results of two clients from bytes, and holds the sums.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, []byte{5, 6}, 0.3)
	f.Add([]byte{}, []byte{0, 255}, -2.5)
	f.Add([]byte{200, 200, 200}, []byte{1}, 1e18)
	f.Fuzz(func(t *testing.T, a, b []byte, late float64) {
		make := func(client int, data []byte, late float64) contract.Result {
			return clientResult(client, late, func(r *contract.Result) {
				m := measurement(r, contract.NameThroughput)
				m.N, m.Intervals = new(int64(len(data))), nil
				at := 0.0
				for i, v := range data {
					at += float64(v%8) / 4
					m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: at, Value: new(float64(i))})
				}
				h := &contract.Histogram{Unit: "ms"}
				for i, v := range data {
					h.Buckets = append(h.Buckets, contract.Bucket{Value: float64(i), Count: int64(v)})
				}
				measurement(r, contract.NameLatencyAvg).Histogram = h
			})
		}
		results := []contract.Result{make(0, a, 0), make(1, b, late)}
		merged, _, err := Results(results)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := contract.Encode(merged); err != nil {
			t.Errorf("cannot be encoded: %v", err)
		}
		other, _, err := Results([]contract.Result{results[1], results[0]})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(merged, other); diff != "" {
			t.Errorf("another order (-first +second):\n%s", diff)
		}
		rate, _ := merged.Find(contract.NameThroughput, nil)
		if v := rate.Value; *rate.N != int64(len(a)+len(b)) || v != nil && (!(*v >= 0) || math.IsInf(*v, 0)) {
			t.Errorf("throughput = %v", rate)
		}
		for i, p := range rate.Intervals {
			if i > 0 && p.AtSeconds <= rate.Intervals[i-1].AtSeconds {
				t.Errorf("interval %d is not after the one before", i)
			}
		}
		var sum int64
		for _, v := range slices.Concat(a, b) {
			sum += int64(v)
		}
		if avg, _ := merged.Find(contract.NameLatencyAvg, nil); avg.Histogram.N() != sum {
			t.Errorf("the histogram holds %d, want %d", avg.Histogram.N(), sum)
		}
	})
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
