package custom

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// logLine is an interval with as many values from 1 on, in µs.
func logLine(t *testing.T, tag string, values int64) string {
	t.Helper()
	h := hdrhistogram.New(1, 3_600_000_000, 3)
	for v := range values {
		if err := h.RecordValue(v + 1); err != nil {
			t.Fatal(err)
		}
	}
	payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	if tag != "" {
		tag = "Tag=" + tag + ","
	}
	return tag + "10.000,2.000,0.001," + string(payload) + "\n"
}

// The 95 % of 31 values are 29.45: the rank is 30, as HdrHistogram for Java reads it, not
// the nearest one. What is printed and what is merged of several clients are the same.
func TestPercentilesOfHistogramLogsAreRoundedUp(t *testing.T) {
	report := parseFixture(formatHistogramLog, []byte(logLine(t, "read", 31)))
	labels := map[string]string{labelOperation: "read"}
	avg, ok := contract.Find(report.Measurements, contract.NameLatencyAvg, labels)
	if !ok || avg.Histogram == nil {
		t.Fatalf("no histogram in %+v", report)
	}
	labels[contract.LabelPercentile] = "95"
	printed, ok := contract.Find(report.Measurements, contract.NameLatencyPercentile, labels)
	if !ok || printed.Value == nil || *printed.Value != 0.030 {
		t.Errorf("p95 = %+v, want 0.030 ms", printed)
	}
	if merged, ok := avg.Histogram.Percentile(95); !ok || merged != 0.030 {
		t.Errorf("p95 of the histogram = %v, want 0.030 ms", merged)
	}
}

func TestOtherLinesInHistogramLogsAreShown(t *testing.T) {
	noise := strings.Repeat("\xffpreparing\n", runner.MaxProblems+2)
	report := parseFixture(formatHistogramLog, []byte(noise+logLine(t, "", 4)))
	if report.Failure != nil {
		t.Fatalf("failure: %+v", report.Failure)
	}
	if n := len(report.Problems); n != runner.MaxProblems+1 {
		t.Fatalf("%d problems, want %d", n, runner.MaxProblems+1)
	}
	got := []contract.Problem{report.Problems[0], report.Problems[runner.MaxProblems]}
	want := []contract.Problem{{Source: "run/stdout", Line: 1, Text: "\uFFFDpreparing"}, {Source: "run/stdout", Text: "and 2 more lines"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if m, ok := contract.Find(report.Measurements, contract.NameThroughput, nil); !ok || m.Value == nil || *m.Value != 2 {
		t.Errorf("throughput %+v, want 4 in 2 s", m)
	}
}

func TestHistogramLogsOfAnEmptyIntervalHaveNoLatency(t *testing.T) {
	report := Runner(nil).Parse(trial(formatHistogramLog), contract.PhaseRun, runner.Output{Stdout: []byte(logLine(t, "", 0))})
	for _, m := range report.Measurements {
		if m.Name != contract.NameThroughput {
			t.Errorf("nothing was done, but there is %+v", m)
		}
	}
}
