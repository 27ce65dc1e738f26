package ycsb

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What the logs of a run hold is what its report says: each count, minimum, mean, maximum
// and percentile, of every operation.
func TestLogsGiveTheFiguresOfTheReport(t *testing.T) {
	tested := 0
	for name, f := range fixtures {
		r := read(f.phase, f.output(t, name))
		if f.want != "" || len(r.logs) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, s := range r.report.sections {
				h := r.logs.histogramOf(s.name)
				if h == nil {
					t.Fatalf("no log of %s; there are %v", s.name, slices.Sorted(maps.Keys(r.logs)))
				}
				got := map[string]float64{"n": float64(h.N()), "max": h.Buckets[len(h.Buckets)-1].Value}
				want := map[string]float64{"n": *s.operations.value(0), "max": *s.max.ms()}
				for _, p := range s.percentiles {
					got[p.p], want[p.p] = *percentileOf(*h, p.p), *p.ms()
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-report +log):\n%s", s.name, diff)
				}
				tested += len(s.percentiles)
			}
		})
	}
	if tested < 6*5*3 {
		t.Errorf("only %d percentiles were compared", tested)
	}
}

// record makes a log of one line from latencies in µs.
func record(t testing.TB, digits int, us ...int64) string {
	t.Helper()
	h := hdrhistogram.New(1, 3_600_000_000, digits)
	for _, v := range us {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return "0.001,0.425,0.229," + string(payload) + "\n"
}

func TestParseLog(t *testing.T) {
	const head = "#[Logging for: READ]\n#[Histogram log format version 1.3]\n#[StartTime: 1795206424.548 (seconds since epoch), Fri]\n" +
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
	tests := map[string]struct {
		log     string
		want    []contract.Bucket
		problem string
	}{
		"intervals are added up":                        {head + record(t, 3, 5, 5, 7) + record(t, 3, 5, 9), []contract.Bucket{{Value: 0.005, Count: 3}, {Value: 0.007, Count: 1}, {Value: 0.009, Count: 1}}, ""},
		"a tag is passed over":                          {head + record(t, 3, 5) + "Tag=x," + record(t, 3, 5), []contract.Bucket{{Value: 0.005, Count: 2}}, ""},
		"no interval":                                   {head, nil, ""},
		"nothing at all":                                {"", nil, ""},
		"a line without its end":                        {head + strings.TrimSuffix(record(t, 3, 5), "\n"), nil, "its last line is cut"},
		"zeros of a file that was emptied between":      {head + strings.Repeat("\x00", 79) + record(t, 3, 5), []contract.Bucket{{Value: 0.005, Count: 1}}, ""},
		"a payload that is cut":                         {head + strings.TrimSpace(record(t, 3, 5, 700, 9000))[:60] + "\n", nil, "line 5"},
		"a line that is none":                           {head + "hello\n", nil, "line 5 is no interval: hello"},
		"histograms of another precision do not add up": {head + record(t, 2, 5), nil, "2 significant digits from 1 on"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseLog("hdr-READ.hdr", []byte(tc.log))
			if (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Fatalf("error %v, want one with %q", err, tc.problem)
			}
			if diff := cmp.Diff(tc.want, got.histogram.Buckets); diff != "" {
				t.Errorf("buckets (-want +got):\n%s", diff)
			}
			if got.metric != "READ" {
				t.Errorf("metric = %q", got.metric)
			}
		})
	}
}

// Histograms of several clients, with whatever range, add up to that of one client.
func TestLogsOfSeveralClientsMergeExactly(t *testing.T) {
	short, err := parseLog("hdr-READ.hdr", []byte(record(t, 3, 100, 2049, 70_001)))
	if err != nil {
		t.Fatal(err)
	}
	long, err := parseLog("hdr-READ.hdr", []byte(record(t, 3, 100, 70_017, 3_000_000_000)))
	if err != nil {
		t.Fatal(err)
	}
	both, err := parseLog("hdr-READ.hdr", []byte(record(t, 3, 100, 100, 2049, 70_001, 70_017, 3_000_000_000)))
	if err != nil {
		t.Fatal(err)
	}
	merged, ok := contract.MergeHistograms(short.histogram, long.histogram)
	if !ok {
		t.Fatal("the histograms do not merge")
	}
	if diff := cmp.Diff(both.histogram, merged); diff != "" {
		t.Errorf("histogram (-one client +two):\n%s", diff)
	}
}
