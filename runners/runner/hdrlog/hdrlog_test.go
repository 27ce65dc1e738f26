package hdrlog

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// encode makes the payload of an interval.
func encode(t testing.TB, g Grid, highest int64, values ...int64) string {
	t.Helper()
	h := hdrhistogram.New(g.Lowest, highest, int(g.Digits))
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(payload)
}

const head = "#[Histogram log format version 1.3]\n#[StartTime: 1795209028.787 (seconds since epoch), Fri]\n" +
	"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"

var usual = Grid{Digits: 3, Lowest: 1}

// brief is what a log says, for comparison.
type brief struct {
	Tags           map[string][]contract.Bucket
	Began, Ended   int64
	Strange        []Line
	Grid           Grid
	Min, Max, Mean map[string]float64
}

func briefOf(l Log) brief {
	b := brief{
		Tags: map[string][]contract.Bucket{}, Began: l.BeganMs, Ended: l.EndedMs, Strange: l.Strange, Grid: l.Grid,
		Min: map[string]float64{}, Max: map[string]float64{}, Mean: map[string]float64{},
	}
	for _, h := range l.Histograms {
		b.Tags[h.Tag] = h.In("us", 1).Buckets
		if lowest, ok := h.Min(); ok {
			b.Min[h.Tag] = float64(lowest)
		}
		if highest, ok := h.Max(); ok {
			b.Max[h.Tag] = float64(highest)
		}
		if mean, ok := h.Mean(); ok {
			b.Mean[h.Tag] = mean
		}
	}
	return b
}

func TestParse(t *testing.T) {
	of := func(highest int64, values ...int64) string { return encode(t, usual, highest, values...) }
	type numbers = map[string]float64
	tests := map[string]struct {
		log  string
		want brief
	}{
		"nothing at all":      {"", brief{}},
		"a log without lines": {head, brief{}},
		"intervals are added up, whatever their range": {
			head + "0.001,0.197,0.008," + of(10_000, 5, 5, 7) + "\n0.198,0.028,0.000," + of(3_600_000_000, 5, 2_000_000_000) + "\n",
			brief{Tags: map[string][]contract.Bucket{"": {{Value: 5, Count: 3}, {Value: 7, Count: 1}, {Value: 2000683007, Count: 1}}},
				Began: 1, Ended: 226, Grid: usual, Min: numbers{"": 5}, Max: numbers{"": 2000683007}, Mean: numbers{"": 400031748.4}},
		},
		"above 2047 a bucket has several values, and its middle counts": {
			head + "5.000,1.000,0.005," + of(10_000, 2048, 2049, 4099) + "\n",
			brief{Tags: map[string][]contract.Bucket{"": {{Value: 2049, Count: 2}, {Value: 4099, Count: 1}}},
				Began: 5000, Ended: 6000, Grid: usual, Min: numbers{"": 2048}, Max: numbers{"": 4099}, Mean: numbers{"": (2*2049 + 4098) / 3.0}},
		},
		"tags are kept apart": {
			head + "Tag=b,1.000,1.000,0.005," + of(10_000, 1) + "\n-2.000,1.000,0.005," + of(10_000, 2) + "\nTag=b,2.000,1.500,0.005," + of(10_000, 3) + "\n",
			brief{Tags: map[string][]contract.Bucket{"b": {{Value: 1, Count: 1}, {Value: 3, Count: 1}}, "": {{Value: 2, Count: 1}}},
				Began: -2000, Ended: 3500, Grid: usual, Min: numbers{"b": 1, "": 2}, Max: numbers{"b": 3, "": 2}, Mean: numbers{"b": 2, "": 2}},
		},
		"an interval without values": {
			head + "1.000,1.000,0.000," + of(10_000) + "\n",
			brief{Tags: map[string][]contract.Bucket{"": {}}, Began: 1000, Ended: 2000, Grid: usual},
		},
		"other lines are kept": {
			"preparing\n\n1.000,1.000,0.000," + of(10_000, 1) + "\r\n1.0,2.0\n",
			brief{Tags: map[string][]contract.Bucket{"": {{Value: 1, Count: 1}}}, Began: 1000, Ended: 2000, Grid: usual,
				Strange: []Line{{1, "preparing"}, {4, "1.0,2.0"}}, Min: numbers{"": 1}, Max: numbers{"": 1}, Mean: numbers{"": 1}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			log, err := Parse([]byte(tt.log))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*map[string]float64{&tt.want.Min, &tt.want.Max, &tt.want.Mean} {
				if *m == nil {
					*m = map[string]float64{}
				}
			}
			if tt.want.Tags == nil {
				tt.want.Tags = map[string][]contract.Bucket{}
			}
			if diff := cmp.Diff(tt.want, briefOf(log)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLogsThatCannotBeRead(t *testing.T) {
	line := func(g Grid, values ...int64) string {
		return "1.000,1.000,0.000," + encode(t, g, 1<<40, values...) + "\n"
	}
	good := line(usual, 5)
	tests := map[string]struct{ log, want string }{
		"a line without its end":            {head + strings.TrimSuffix(good, "\n"), "its last line is cut"},
		"a histogram that is cut":           {head + good[:len(good)-12] + "\n", "line 4"},
		"something else than a histogram":   {head + "1.000,1.000,0.000,HISTBAAA\n", "line 4"},
		"a time beyond any":                 {head + "9999999999999999.0," + good[6:], "line 4: 9999999999999999.0 is no time"},
		"another precision":                 {head + good + line(Grid{2, 1}, 5), "line 5: the histogram has 2 significant digits from 1 on, and those before it 3 significant digits from 1 on"},
		"another lowest value":              {head + good + line(Grid{3, 1000}, 5000), "3 significant digits from 1000 on"},
		"more values than any run could do": {head + strings.Repeat(many(t)+"\n", 2), "larger than any run"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.log)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// many is an interval with as many values as are allowed.
func many(t *testing.T) string {
	t.Helper()
	h := hdrhistogram.New(1, 1000, 3)
	if err := h.RecordValues(5, maxCount); err != nil {
		t.Fatal(err)
	}
	payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return "1.000,1.000,0.000," + string(payload)
}

// The bounds of buckets are those of the library's own histogram, for every precision.
func TestBucketsAreThoseOfHdrHistogram(t *testing.T) {
	for _, g := range []Grid{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {3, 1000}, {2, 1024}, {3, 7}} {
		t.Run(g.String(), func(t *testing.T) {
			h := hdrhistogram.New(g.Lowest, math.MaxInt64/2, int(g.Digits))
			for v := int64(1); v < 1<<42; v += v/3 + 1 {
				if err := h.RecordValue(v); err != nil {
					t.Fatal(err)
				}
			}
			payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			if err != nil {
				t.Fatal(err)
			}
			log, err := Parse([]byte("1.000,1.000,0.000," + string(payload) + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			got := log.Histograms[0]
			var want []contract.Bucket
			for _, bar := range h.Distribution() {
				if bar.Count > 0 {
					want = append(want, contract.Bucket{Value: float64(bar.To), Count: bar.Count})
				}
			}
			if diff := cmp.Diff(want, got.In("us", 1).Buckets); diff != "" {
				t.Errorf("buckets (-want +got):\n%s", diff)
			}
			lowest, _ := got.Min()
			highest, _ := got.Max()
			mean, _ := got.Mean()
			if lowest != h.Min() || highest != h.Max() || mean != h.Mean() || got.N() != h.TotalCount() {
				t.Errorf("min %d max %d mean %v n %d, want %d %d %v %d", lowest, highest, mean, got.N(), h.Min(), h.Max(), h.Mean(), h.TotalCount())
			}
		})
	}
}

// The values that Java's HdrHistogram 2.2 answers for 1000, 2000 and 3000 from 100 on with
// three digits: the library's own table of differences. Its Go and C take the nearest rank.
func TestPercentilesAreThoseOfJava(t *testing.T) {
	log, err := Parse([]byte("1.000,1.000,0.000," + encode(t, Grid{3, 100}, 100_000, 1000, 2000, 3000) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	h := log.Histograms[0].In("us", 1)
	for p, want := range map[float64]float64{40: 2047, 66.67: 3007, 100: 3007, 1: 1023} {
		if got, ok := h.Percentile(p); !ok || got != want {
			t.Errorf("percentile %v = %v, want %v", p, got, want)
		}
	}
}

// FuzzParse: what is read can be written down, and is in order.
func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "Tag=a,1.000,1.000,0.005," + encode(f, usual, 10_000, 1, 5000) + "\n"))
	f.Add([]byte(head + "0.001,0.197,0.008," + encode(f, Grid{2, 16}, 1<<40, 1, 1<<39) + "\nnoise\n"))
	f.Add([]byte("1,1,1,HISTF\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := Parse(data)
		if err != nil {
			return
		}
		if log.EndedMs < log.BeganMs {
			t.Errorf("it ended at %d, before it began at %d", log.EndedMs, log.BeganMs)
		}
		for _, h := range log.Histograms {
			out := h.In("ms", 1000)
			if _, err := json.Marshal(out); err != nil {
				t.Errorf("it cannot be written down: %v", err)
			}
			if out.N() != h.N() {
				t.Errorf("%d values in the buckets of %d", out.N(), h.N())
			}
			for i, b := range out.Buckets {
				if b.Count <= 0 || i > 0 && b.Value <= out.Buckets[i-1].Value {
					t.Errorf("bucket %d is out of order or empty: %+v", i, b)
				}
			}
			lowest, there := h.Min()
			highest, _ := h.Max()
			mean, _ := h.Mean()
			between := mean >= float64(lowest)*(1-1e-9) && mean <= float64(highest)*(1+1e-9)+1
			if there && (lowest < 0 || highest < lowest || !between) {
				t.Errorf("min %d, mean %v, max %d", lowest, mean, highest)
			}
		}
	})
}
