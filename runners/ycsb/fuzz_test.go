package ycsb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// sane holds what is true of every report, whatever was read: numbers can be written as
// JSON, latencies have a unit, and what is quoted is bounded.
func sane(t *testing.T, r runner.Report) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("cannot be written: %v", err)
	}
	for _, m := range r.Measurements {
		if m.Name == "" || m.Unit == "" {
			t.Errorf("measurement without name or unit: %+v", m)
		}
		for i, p := range m.Intervals {
			if i > 0 && p.AtSeconds <= m.Intervals[i-1].AtSeconds {
				t.Errorf("interval %d is not after the one before", i)
			}
		}
		if m.Histogram == nil {
			continue
		}
		for i, b := range m.Histogram.Buckets {
			if b.Count <= 0 || i > 0 && b.Value <= m.Histogram.Buckets[i-1].Value {
				t.Errorf("bucket %d of %s is out of order or empty: %+v", i, m.Name, b)
			}
		}
	}
	if len(r.Problems) > runner.MaxProblems+2 {
		t.Errorf("%d problems", len(r.Problems))
	}
	for _, p := range r.Problems {
		if len(p.Text) > 1200 { // runner.Abridge
			t.Errorf("a problem quotes %d bytes", len(p.Text))
		}
	}
}

// FuzzParse reads any report and any lines on stderr.
func FuzzParse(f *testing.F) {
	for name, fix := range fixtures {
		o := fix.output(f, name)
		f.Add(o.Stdout[max(0, len(o.Stdout)-2000):], o.Stderr[:min(len(o.Stderr), 1500)], o.Files["report.json"])
	}
	f.Add([]byte(sound), []byte(complete), []byte(nil))
	trial := small().trial(f)
	f.Fuzz(func(t *testing.T, stdout, stderr, export []byte) {
		o := runner.Output{Stdout: stdout, Stderr: stderr, Files: map[string][]byte{}}
		if len(export) > 0 {
			o.Files["report.json"] = export
		}
		r := parse(trial, contract.PhaseRun, o)
		sane(t, r)
		if r.Failure != nil {
			return
		}
		// A success is proven: what was asked for was done, and nothing failed.
		m, ok := contract.Find(r.Measurements, contract.NameThroughput, nil)
		if !ok || m.N == nil || *m.N != 4 || len(r.Errors) > 0 {
			t.Errorf("a success without its operations: %+v, errors %+v", m, r.Errors)
		}
	})
}

// FuzzParseLog reads any HDR log.
func FuzzParseLog(f *testing.F) {
	for name, fix := range fixtures {
		for file, data := range fix.output(f, name).Files {
			if strings.HasSuffix(file, ".hdr") {
				f.Add(data[:min(len(data), 1500)])
			}
		}
	}
	f.Add([]byte(record(f, 3, 1, 5000, 3_000_000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := parseLog("hdr-READ.hdr", data)
		if err != nil {
			return
		}
		h := log.histogram
		merged, ok := contract.MergeHistograms(h, h)
		if !ok || merged.N() != 2*h.N() || len(merged.Buckets) != len(h.Buckets) {
			t.Errorf("twice the histogram is %d operations in %d buckets, want 2 × %d in %d", merged.N(), len(merged.Buckets), h.N(), len(h.Buckets))
		}
		for _, p := range []string{"50", "99.9", "100"} {
			if v := percentileOf(h, p); (v == nil) != (h.N() == 0) {
				t.Errorf("percentile %s = %v of %d operations", p, v, h.N())
			}
		}
	})
}

// FuzzQuote reads any published text.
func FuzzQuote(f *testing.F) {
	for _, phases := range published(f) {
		for _, text := range phases {
			f.Add([]byte(text))
		}
	}
	f.Add(load(f, "mysql97-run-hdr-jsonarray.json"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := quote(text)
		sane(t, r)
		if r.Failure != nil && len(r.Measurements) > 0 {
			t.Errorf("numbers beside a failure: %+v", r.Failure)
		}
		for _, m := range r.Measurements {
			if m.Value == nil {
				t.Errorf("a number without its value: %+v", m)
			}
		}
	})
}
