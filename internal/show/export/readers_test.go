package export_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner/hdrlog"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// benchstat of the module golang.org/x/perf compares the targets of a run, and two runs.
func TestBenchstatReadsIt(t *testing.T) {
	folder := t.TempDir()
	benchstat := filepath.Join(folder, "benchstat")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", benchstat, "golang.org/x/perf/cmd/benchstat").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var files []string
	for i, ratio := range []float64{1.5, 1.2} {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%d.txt", i)))
		if err := os.WriteFile(files[i], write(t, "benchstat", read(t, finished.Options{Name: fmt.Sprintf("run-%d", i), Ratio: ratio})), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		args, want []string
	}{
		"targets of a run": {[]string{"-col", "/target", files[0]}, []string{`Sysbench/threads=2 +100\.1 ± +\d+% +150\.2 ± +\d+% +\+50\.0\d% \(p=0\.002 n=6\)`, `Sysbench/threads=64 +200\.7 ± .* n=5\)`}},
		"two runs":         {files, []string{`Sysbench/target=b/threads=2 +150\.2 ± .* 120\.2 ± .* -20\.00%`, `latency\.avg-sec`, `Sysbench/target=a/threads=2 +19\.97m ± .*19\.97m ± .* ~ \(p=1\.000 n=6\)`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), benchstat, tc.args...) //nolint:gosec // built above
			var problems bytes.Buffer
			cmd.Stderr = &problems
			out, err := cmd.Output()
			if err != nil || problems.Len() > 0 {
				t.Fatalf("%v: %s", err, problems.String())
			}
			for _, want := range tc.want {
				if !regexp.MustCompile(want).Match(out) {
					t.Errorf("the output lacks %s:\n%s", want, out)
				}
			}
		})
	}
}

// A log of HdrHistogram has, for each trial that counts, what its clients have measured together.
func TestHdrHistogramReadsIt(t *testing.T) {
	run := read(t, finished.Options{})
	var intervals []hdrlog.Interval
	log, err := hdrlog.ParseEach(write(t, "hdr", run), func(i hdrlog.Interval) { intervals = append(intervals, i) })
	if err != nil || len(log.Strange) > 0 || len(intervals) != 22 {
		t.Fatalf("%d intervals, %v, %v", len(intervals), log.Strange, err)
	}
	var parts []contract.Histogram
	for res, err := range run.Results(t.Context(), run.Records[0]) {
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, *res.Result.Measurements[1].Histogram)
	}
	want, _ := contract.MergeHistograms(parts...)
	got := intervals[0]
	if got.Histogram.Tag != "a;threads=2;latency.avg" || got.EndedMs-got.BeganMs != 30_000 || got.Histogram.N() != want.N() || want.N() == 0 {
		t.Errorf("tag %q, %d ms, %d of %d values", got.Histogram.Tag, got.EndedMs-got.BeganMs, got.Histogram.N(), want.N())
	}
	for _, p := range []float64{50, 99} {
		in := got.Histogram.In("ms", 1e6)
		in.RoundUp = false
		have, _ := in.Percentile(p)
		exact, _ := want.Percentile(p)
		if have < exact*0.999 || have > exact*1.002 {
			t.Errorf("percentile %v is %v, want %v within three digits", p, have, exact)
		}
	}
}

// Names as a tenant may write them neither break a file nor become something else in it.
func TestHostileNames(t *testing.T) {
	const axis, value = "threads", "x\n\"y\",z|</testcase>\x1b[2J é=/ "
	made := finished.New(t, finished.Options{})
	run := read(t, finished.Options{})
	for i := range run.Records {
		run.Records[i].Parameters = map[string]contract.Scalar{axis: {Text: value}}
		for j := range run.Records[i].Values {
			run.Records[i].Values[j].Labels = map[string]string{"a b": value, "p": "95"}
		}
	}
	for i := range run.Summary.Entries {
		run.Summary.Entries[i].Labels = map[string]string{"a b": value, "a-b": "other", "p": "95"}
	}
	run.Object.Status.Findings = made.Object.Status.Findings
	t.Run("benchstat", func(t *testing.T) {
		r := benchfmt.NewReader(bytes.NewReader(write(t, "benchstat", run)), "x")
		n := 0
		for r.Scan() {
			switch rec := r.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Error(rec)
			case *benchfmt.Result:
				if n++; len(rec.Values) != 3 {
					t.Errorf("%+v", rec)
				}
			}
		}
		if n != 22 || r.Err() != nil {
			t.Errorf("%d results, %v", n, r.Err())
		}
	})
	t.Run("junit", func(t *testing.T) {
		var file struct {
			Suites []struct {
				Tests int `xml:"tests,attr"`
				Cases []struct {
					Name string `xml:"name,attr"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(write(t, "junit", run), &file); err != nil || len(file.Suites) != 3 {
			t.Fatal(err)
		}
		trials := file.Suites[2]
		if trials.Tests != 24 || len(trials.Cases) != 24 || !strings.Contains(trials.Cases[0].Name, "</testcase>") {
			t.Errorf("%+v", trials)
		}
	})
	for _, format := range []string{"github-bigger", "github-smaller"} {
		t.Run(format, func(t *testing.T) {
			if data := write(t, format, run); !json.Valid(data) || !bytes.Contains(data, []byte("</testcase>")) && !bytes.Contains(data, []byte(`\u003c/testcase\u003e`)) {
				t.Errorf("%s", data)
			}
		})
	}
	t.Run("hdr", func(t *testing.T) {
		if log, err := hdrlog.Parse(write(t, "hdr", run)); err != nil || len(log.Strange) > 0 {
			t.Errorf("%v, %v", log.Strange, err)
		}
	})
}

// A median that does not exist is in no format: neither as 0 nor as an empty text.
func TestAbsentIsAbsent(t *testing.T) {
	run := read(t, finished.Options{})
	for i := range run.Summary.Entries {
		e := &run.Summary.Entries[i]
		e.Median, e.Min, e.Max, e.IntervalLow, e.IntervalHigh, e.TrialCount = "", "", "", "", "", 0
	}
	for _, format := range []string{"github-bigger", "github-smaller"} {
		if got := string(write(t, format, run)); got != "[]\n" {
			t.Errorf("%s: %s", format, got)
		}
	}
	for i := range run.Records {
		run.Records[i].Values = nil
	}
	if got := string(write(t, "benchstat", run)); got != "" {
		t.Errorf("benchstat: %s", got)
	}
}

// The name of a trial ends with its cell, and with its block where there is no matrix.
func TestJUnitNamesOfTrials(t *testing.T) {
	run := read(t, finished.Options{})
	if got, want := string(write(t, "junit", run)), `<testcase name="trial 0, block 0, threads=2" `; !strings.Contains(got, want) {
		t.Errorf("it lacks %s:\n%s", want, got)
	}
	for i := range run.Records {
		run.Records[i].Parameters = nil
	}
	if got, want := string(write(t, "junit", run)), `<testcase name="trial 0, block 0" `; !strings.Contains(got, want) {
		t.Errorf("it lacks %s:\n%s", want, got)
	}
}

// What failed is an error in JUnit, what is invalid a failure, what does not count is skipped; a run that
// failed and a gate that failed say so.
func TestJUnitOutcomes(t *testing.T) {
	run := read(t, finished.Options{})
	run.Records[0].State, run.Records[0].Reason = contract.Failed, "ConnectionLost"
	invalid := false
	run.Records[3].Valid = &invalid
	for i, reason := range map[int]string{0: "Failed", 1: "RowsMissing"} {
		run.Object.Status.Conditions[i].Status, run.Object.Status.Conditions[i].Reason = "False", reason
	}
	run.Object.Status.Conditions = append(run.Object.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: "ToolFailed"},
		metav1.Condition{Type: v1alpha1.ConditionPassed, Status: metav1.ConditionUnknown, Reason: "Inconclusive"})
	run.Summary.Comparisons[1].Verdict = v1alpha1.VerdictFaster
	got := string(write(t, "junit", run))
	for _, want := range []string{
		`<testsuite name="ns/run run" tests="3" failures="0" errors="1" skipped="2">`, `<error type="Failed" message="">`, `<skipped type="RowsMissing" message="">`, `<skipped type="Inconclusive" message="">`,
		`<testsuite name="ns/run comparisons" tests="6" failures="0" errors="0" skipped="5">`, `<skipped type="Exploratory"`,
		`<testsuite name="ns/run trials" tests="24" failures="1" errors="1" skipped="2">`, `<error type="ConnectionLost" message="">`, `<failure type="Invalid" message="">`, `<skipped type="Disturbed" message="">`, `time="30.000"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %s:\n%s", want, got)
		}
	}
}
