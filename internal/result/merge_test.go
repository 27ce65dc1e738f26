package result

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
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// within allows for the rounding of sums in another order.
var within = cmpopts.EquateApprox(1e-9, 0)

// clientResult is a result of 3 s by one client that began some seconds late. Its process
// was started 0.2 s before the tool began to count.
func clientResult(client int, late float64, change func(*Result)) Result {
	began := noon.Add(time.Duration(late * float64(time.Second)))
	started, planned := began.Add(-200*time.Millisecond), noon
	ended := began.Add(3010 * time.Millisecond)
	n := int64(100 * (client + 1))
	rate := func(name, unit string, perSecond float64) Measurement {
		m := Measurement{Name: name, Unit: unit, N: new(n), Value: new(perSecond)}
		for i := range 3 {
			m.Intervals = append(m.Intervals, Interval{AtSeconds: float64(i + 1), Value: new(perSecond + float64(i-1))})
		}
		return m
	}
	latency := func(name string, v float64) Measurement {
		return Measurement{Name: name, Unit: "ms", N: new(n), Value: &v}
	}
	avg := latency(NameLatencyAvg, 2)
	avg.Histogram = &Histogram{Unit: "ms", Buckets: []Bucket{{Value: 1, Count: n / 2}, {Value: float64(client + 2), Count: n - n/2}}}
	percentile := latency(NameLatencyPercentile, 1)
	percentile.Labels = map[string]string{LabelPercentile: "95"}
	percentile.Intervals = []Interval{{AtSeconds: 1, Value: new(1.0)}}
	r := Result{
		Version: Version, State: Succeeded, Tool: Tool{Name: "sysbench"}, RawSHA256: strings.Repeat("0a", 32),
		Trial:  TrialRef{RunUID: "u", Phase: "Run", Index: new(7), Block: new(2), Target: "innodb", Client: client},
		Client: Client{Environment: Environment{Machine: Machine{BootID: "one"}}},
		Times:  Times{Planned: &planned, MeasureStarted: &started, MeasureEnded: &ended},
		Measurements: []Measurement{
			rate(NameThroughput, "tx/s", float64(10*(client+1))), latency(NameLatencyMin, float64(client+1)), avg,
			latency(NameLatencyMax, float64(client+5)), percentile,
			{Name: NameLatencySum, Unit: "ms", Value: new(float64(1000 * (client + 1)))},
			{Name: NameTotalTime, Unit: "s", Value: new(3 + float64(client)/1000)},
			{Name: "threads.events", Labels: map[string]string{LabelStat: "avg"}, Unit: "1", Value: new(float64(client))},
		},
	}
	if change != nil {
		change(&r)
	}
	if m, ok := r.Find(NameTotalTime, nil); ok && r.Times.MeasureStarted != nil { // the process ends with the window
		*r.Times.MeasureEnded = began.Add(time.Duration(*m.Value * float64(time.Second)))
	}
	return r
}

func measurement(r *Result, name string) *Measurement {
	for i := range r.Measurements {
		if r.Measurements[i].Name == name {
			return &r.Measurements[i]
		}
	}
	panic("no " + name)
}

func without(name string) func(*Result) {
	return func(r *Result) {
		r.Measurements = slices.DeleteFunc(r.Measurements, func(m Measurement) bool { return m.Name == name })
	}
}

func merge(t *testing.T, results ...Result) (Result, Skew) {
	t.Helper()
	merged, skew, err := Merge(results)
	if err != nil {
		t.Fatal(err)
	}
	return merged, skew
}

func TestMergeOfTwoClients(t *testing.T) {
	merged, _ := merge(t, clientResult(1, 0, nil), clientResult(0, 0, nil))
	n := new(int64(300))
	want := []Measurement{
		{
			Name: NameThroughput, Unit: "tx/s", N: n, Value: new(30.0),
			Intervals: []Interval{{1, new(28.0)}, {2, new(30.0)}, {3, new(32.0)}},
		},
		{Name: NameLatencyMin, Unit: "ms", N: n, Value: new(1.0)},
		{
			Name: NameLatencyAvg, Unit: "ms", N: n, Value: new(10.0),
			Histogram: &Histogram{Unit: "ms", Buckets: []Bucket{{1, 150}, {2, 50}, {3, 100}}},
		},
		{Name: NameLatencyMax, Unit: "ms", N: n, Value: new(6.0)},
		{Name: NameLatencyPercentile, Labels: map[string]string{"p": "95"}, Unit: "ms", N: n, Value: new(3.0)},
		{Name: NameLatencySum, Unit: "ms", Value: new(3000.0)},
		{Name: NameTotalTime, Unit: "s", Value: new(3.001)},
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
	want := clientResult(3, 0.25, func(r *Result) { r.State, r.Failure = Failed, &Failure{ReasonConnectionLost, "gone"} })
	got, skew := merge(t, want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Skew{Clients: []ClientSkew{{Client: 3, Seconds: new(0.25)}}}, skew); diff != "" {
		t.Errorf("skew (-want +got):\n%s", diff)
	}
}

func TestMergeTakesFromTheFirstClient(t *testing.T) {
	first := clientResult(0, 0.5, func(r *Result) {
		r.Server, r.Data, r.Target, r.Client.Node = &Server{Version: "11.8"}, &Data{}, &Environment{}, "node-a"
		r.Errors = []ErrorCount{{ErrorIgnored, 3}}
		r.Problems = []Problem{{"run/stdout", 12, "what?"}}
		r.Warmup = []Measurement{{Name: NameThroughput, Unit: "tx/s", Value: new(1.0)}}
	})
	second := clientResult(1, 0, func(r *Result) {
		r.Client.Node = "node-b"
		r.Errors = []ErrorCount{{ErrorReconnects, 1}, {ErrorIgnored, 4}}
		r.Problems = []Problem{{"run/stderr", 1, "no"}}
		r.Warmup = []Measurement{{Name: NameThroughput, Unit: "tx/s", Value: new(2.0)}}
	})
	got, _ := merge(t, first, second)
	want := first
	want.RawSHA256 = ""
	want.Measurements = got.Measurements
	want.Times.MeasureStarted, want.Times.MeasureEnded = second.Times.MeasureStarted, first.Times.MeasureEnded
	want.Errors = []ErrorCount{{ErrorIgnored, 7}, {ErrorReconnects, 1}}
	want.Problems = []Problem{{"client-0/run/stdout", 12, "what?"}, {"client-1/run/stderr", 1, "no"}}
	want.Warmup = []Measurement{{Name: NameThroughput, Unit: "tx/s", Value: new(3.0)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestMergeOfStates(t *testing.T) {
	failing := func(reason Reason) func(*Result) {
		return func(r *Result) { r.State, r.Failure, r.Measurements = Failed, &Failure{reason, "why"}, nil }
	}
	tests := map[string]struct {
		results []Result
		want    *Failure
	}{
		"all did their work": {[]Result{clientResult(0, 0, nil), clientResult(1, 0, nil)}, nil},
		"one failed": {
			[]Result{clientResult(0, 0, nil), clientResult(1, 0, failing(ReasonConnectionLost))}, &Failure{ReasonConnectionLost, "client 1: why"}},
		"the first that failed by itself": {
			[]Result{clientResult(0, 0, failing(ReasonInterrupted)), clientResult(1, 0, failing(ReasonTargetOverloaded)), clientResult(2, 0, failing(ReasonConnectionLost))},
			&Failure{ReasonTargetOverloaded, "client 1: why"}},
		"all were told to stop": {
			[]Result{clientResult(0, 0, failing(ReasonInterrupted)), clientResult(1, 0, failing(ReasonInterrupted))},
			&Failure{ReasonInterrupted, "client 0: why"}},
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
			if _, ok := got.Find(NameThroughput, nil); ok != (tc.want == nil) || len(got.Problems) > 0 {
				t.Errorf("throughput = %v, problems = %v; want one only of all clients", ok, got.Problems)
			}
		})
	}
}

// What a client lacks is absent in the whole, and the problem says so.
func TestMergeLeavesOut(t *testing.T) {
	tests := map[string]struct {
		change  func(*Result)
		absent  string
		problem string
	}{
		"a rate that a client has not": {without(NameThroughput), NameThroughput, "throughput: left out, as these of 2 clients have none: 1"},
		"a percentile without a histogram": {
			func(r *Result) { measurement(r, NameLatencyAvg).Histogram = nil }, NameLatencyPercentile,
			"latency.percentile p=95: left out, as a client has no histogram"},
		"a percentile of histograms in other units": {
			func(r *Result) { measurement(r, NameLatencyAvg).Histogram.Unit = "us" }, NameLatencyPercentile,
			"latency.percentile p=95: left out, as a client has no histogram"},
		"a percentile that is no number": {
			func(r *Result) { measurement(r, NameLatencyPercentile).Labels = map[string]string{"p": "most"} }, NameLatencyPercentile,
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
	nothing := clientResult(1, 0, func(r *Result) {
		m := measurement(r, NameLatencyAvg)
		m.N, m.Value, m.Histogram = new(int64(0)), nil, nil
		measurement(r, NameLatencySum).Value = new(0.0)
		measurement(r, NameLatencyMin).Value = nil
	})
	got, _ := merge(t, clientResult(0, 0, nil), nothing)
	avg, _ := got.Find(NameLatencyAvg, nil)
	if avg.Histogram == nil || avg.Histogram.N() != 100 || *avg.Value != 10 {
		t.Errorf("a client that did nothing changes the mean or the histogram: %+v", avg)
	}
	if m, _ := got.Find(NameLatencyMin, nil); m.Value != nil {
		t.Errorf("the shortest latency is %v, though that of a client is not known", *m.Value)
	}
	noSum := func(r *Result) { without(NameLatencySum)(r) }
	got, _ = merge(t, clientResult(0, 0, noSum), clientResult(1, 0, noSum))
	if m, _ := got.Find(NameLatencyAvg, nil); m.Value == nil || math.Abs(*m.Value-2) > 1e-9 {
		t.Errorf("mean = %v, want that of means and counts, 2", m.Value)
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := map[string]struct {
		results []Result
		want    string
	}{
		"nothing":               {nil, "there are none"},
		"one client twice":      {[]Result{clientResult(1, 0, nil), clientResult(0, 0, nil), clientResult(1, 0, nil)}, "client 1 has two results"},
		"another trial":         {[]Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *Result) { r.Trial.Index = new(8) })}, "client 1 has a result of another trial"},
		"a trial and a loading": {[]Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *Result) { r.Trial.Index = nil })}, "another trial"},
		"another cell":          {[]Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *Result) { r.Trial.Cell = new(1) })}, "another trial"},
		"another attempt":       {[]Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *Result) { r.Trial.Attempt = 1 })}, "another trial"},
		"another target":        {[]Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *Result) { r.Trial.Target = "b" })}, "another trial"},
		"another tool":          {[]Result{clientResult(0, 0, nil), clientResult(1, 0, func(r *Result) { r.Tool.Name = "ycsb" })}, "client 1 ran ycsb, and client 0 sysbench"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Merge(tc.results); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// pool is what one client would have reported that did the work of all: the
// operations are latencies in ms.
func pool(latencies []float64) Histogram {
	counts := map[float64]int64{}
	for _, l := range latencies {
		counts[bucketOf(l)]++
	}
	h := Histogram{Unit: "ms"}
	for v, n := range counts {
		h.Buckets = append(h.Buckets, Bucket{Value: v, Count: n})
	}
	slices.SortFunc(h.Buckets, func(a, b Bucket) int { return int(math.Copysign(1, a.Value-b.Value)) })
	return h
}

// bucketOf rounds up to a bound as a tool does: logarithmic, three decimals.
func bucketOf(latency float64) float64 {
	bound := math.Exp(math.Ceil(math.Log(latency)/0.018) * 0.018)
	return math.Round(bound*1000) / 1000
}

// split is the results of clients that shared the operations among them.
func split(random *rand.Rand, latencies []float64, clients int) []Result {
	shares := make([][]float64, clients)
	for _, l := range latencies {
		i := random.IntN(clients)
		shares[i] = append(shares[i], l)
	}
	var results []Result
	for client, share := range shares {
		results = append(results, clientResult(client, random.Float64(), func(r *Result) {
			h, sum, n := pool(share), 0.0, int64(len(share))
			for _, l := range share {
				sum += l
			}
			avg := measurement(r, NameLatencyAvg)
			avg.N, avg.Histogram, avg.Value = &n, &h, nil
			if n > 0 {
				avg.Value = new(sum / float64(n))
			}
			measurement(r, NameLatencySum).Value = &sum
			m := measurement(r, NameThroughput)
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
		avg, _ := merged.Find(NameLatencyAvg, nil)
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
		if p, _ := merged.Find(NameLatencyPercentile, nil); p.Value == nil || *p.Value != want {
			t.Errorf("95th percentile = %v, want %v", p.Value, want)
		}
		if m, _ := merged.Find(NameThroughput, nil); *m.N != int64(len(latencies)) {
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
	results := []Result{clientResult(1, 0, nil), clientResult(0, 0.2, nil)}
	for i := range results {
		results[i].Errors = []ErrorCount{{ErrorIgnored, 1}}
		results[i].Problems = []Problem{{"run/stdout", 1, "x"}}
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
		make := func(client int, data []byte, late float64) Result {
			return clientResult(client, late, func(r *Result) {
				m := measurement(r, NameThroughput)
				m.N, m.Intervals = new(int64(len(data))), nil
				at := 0.0
				for i, v := range data {
					at += float64(v%8) / 4
					m.Intervals = append(m.Intervals, Interval{AtSeconds: at, Value: new(float64(i))})
				}
				h := &Histogram{Unit: "ms"}
				for i, v := range data {
					h.Buckets = append(h.Buckets, Bucket{Value: float64(i), Count: int64(v)})
				}
				measurement(r, NameLatencyAvg).Histogram = h
			})
		}
		results := []Result{make(0, a, 0), make(1, b, late)}
		merged, _, err := Merge(results)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Encode(merged); err != nil {
			t.Errorf("cannot be encoded: %v", err)
		}
		other, _, err := Merge([]Result{results[1], results[0]})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(merged, other); diff != "" {
			t.Errorf("another order (-first +second):\n%s", diff)
		}
		rate, _ := merged.Find(NameThroughput, nil)
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
		if avg, _ := merged.Find(NameLatencyAvg, nil); avg.Histogram.N() != sum {
			t.Errorf("the histogram holds %d, want %d", avg.Histogram.N(), sum)
		}
	})
}

func roundedUp(h Histogram) Histogram {
	h.RoundUp = true
	return h
}

func TestMergeOfHistogramsThatAreReadInTwoWays(t *testing.T) {
	h := Histogram{Unit: "ms", Buckets: []Bucket{{1, 2}}}
	if _, ok := MergeHistograms(h, roundedUp(h)); ok {
		t.Error("they are merged, and nobody knows how to read a percentile")
	}
	if merged, ok := MergeHistograms(roundedUp(h), roundedUp(h)); !ok || !merged.RoundUp || merged.N() != 4 {
		t.Errorf("merged = %+v, %v", merged, ok)
	}
}

func TestPercentile(t *testing.T) {
	hundred := Histogram{}
	for i := range 100 {
		hundred.Buckets = append(hundred.Buckets, Bucket{Value: float64(i + 1), Count: 1})
	}
	tests := map[string]struct {
		h    Histogram
		p    float64
		want string
	}{
		"of nothing":                       {Histogram{}, 50, ""},
		"of empty buckets":                 {Histogram{Buckets: []Bucket{{1, 0}}}, 50, ""},
		"percentile 0":                     {hundred, 0, ""},
		"above 100":                        {hundred, 100.1, ""},
		"not a number":                     {hundred, math.NaN(), ""},
		"a rank that is a whole number":    {hundred, 95, "95"},
		"nearer to the lower rank":         {hundred, 95.4, "95"},
		"nearer to the higher rank":        {hundred, 95.5, "96"},
		"all":                              {hundred, 100, "100"},
		"the smallest":                     {hundred, 0.001, "1"},
		"a rank that binary numbers miss":  {Histogram{Buckets: []Bucket{{1, 999}, {2, 1}}}, 99.9, "1"},
		"one operation":                    {Histogram{Buckets: []Bucket{{7, 1}}}, 1, "7"},
		"an empty bucket is passed over":   {Histogram{Buckets: []Bucket{{1, 1}, {2, 0}, {3, 1}}}, 80, "3"},
		"the bucket that holds the median": {Histogram{Buckets: []Bucket{{1, 1}, {2, 8}, {3, 1}}}, 50, "2"},
		"rounded up, 95.4 is the 96th":     {roundedUp(hundred), 95.4, "96"},
		"rounded up, a whole rank stays":   {roundedUp(hundred), 95, "95"},
		"rounded up, 99.9 % of 1000":       {roundedUp(Histogram{Buckets: []Bucket{{1, 999}, {2, 1}}}), 99.9, "1"},
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
