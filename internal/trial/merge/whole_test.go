package merge

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

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
