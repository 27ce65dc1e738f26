package live

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

func series(name, unit string, labels map[string]string, points ...float64) contract.Measurement {
	m := contract.Measurement{Name: name, Unit: unit, Labels: labels}
	for i, p := range points {
		m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: new(p)})
	}
	return m
}

func says(all ...contract.Measurement) Read {
	return func(context.Context) ([]contract.Measurement, error) { return all, nil }
}

func scrape(f *Figures) string {
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestFiguresOfATool(t *testing.T) {
	var f Figures
	silent := contract.Measurement{Name: "silent", Unit: "s", Intervals: []contract.Interval{{AtSeconds: 3}}}
	f.Begin("run", says(
		series("throughput", "tx/s", nil, 10, 20, 30), series("latency", "ms", map[string]string{"percentile": "95"}, 1, 2, 4),
		series("older", "s", nil, 1, 2), silent, contract.Measurement{Name: "total"}, series("throughput", "tx/s", nil, 7, 7, 7),
	))
	got := scrape(&f)
	want := `# HELP assay_client_tool_running ` + running.Help + `
# TYPE assay_client_tool_running gauge
assay_client_tool_running{phase="run"} 1
# HELP assay_client_read_failures_total ` + failures.Help + `
# TYPE assay_client_read_failures_total counter
assay_client_read_failures_total 0
# HELP assay_client_interval_end_seconds ` + intervalEnd.Help + `
# TYPE assay_client_interval_end_seconds gauge
assay_client_interval_end_seconds 3
# HELP assay_client_interval_value ` + intervalValue.Help + `
# TYPE assay_client_interval_value gauge
assay_client_interval_value{measurement="throughput",of="",unit="tx/s"} 30
assay_client_interval_value{measurement="latency",of="percentile=95",unit="seconds"} 0.004
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if problems, err := promlint.New(strings.NewReader(got)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
}

// What a tool prints fills neither the memory of Prometheus nor breaks its format.
func TestHostileTool(t *testing.T) {
	var f Figures
	var all []contract.Measurement
	for i := range 500 {
		all = append(all, series(strings.Repeat("x", 500)+"\"\n\\"+string(rune('a'+i%26)), "\"}\n", map[string]string{"a\xff\n": strings.Repeat("y", i)}, 1))
	}
	f.Begin("run", says(all...))
	got := scrape(&f)
	if n := strings.Count(got, "\nassay_client_interval_value{"); n != maxSeries {
		t.Errorf("%d series, want %d", n, maxSeries)
	}
	if _, err := promlint.New(strings.NewReader(got)).Lint(); err != nil {
		t.Errorf("not the text format: %v", err)
	}
}

// Whoever asks often costs one read in a second, and between requests nothing is read.
func TestOneReadInASecond(t *testing.T) { synctest.Test(t, oneReadInASecond) }

func oneReadInASecond(t *testing.T) {
	var f Figures
	reads := 0
	f.Begin("run", func(context.Context) ([]contract.Measurement, error) {
		reads++
		return nil, errors.New("no output")
	})
	if reads > 0 {
		t.Error("read without a request")
	}
	for range 100 {
		if got := scrape(&f); !strings.Contains(got, "assay_client_read_failures_total 1\n") || strings.Contains(got, "interval") {
			t.Fatalf("got\n%s", got)
		}
	}
	time.Sleep(least)
	scrape(&f)
	if reads != 2 {
		t.Errorf("%d reads in a second and a moment, want 2", reads)
	}
}

// A tool's container that answers nothing does not keep the trial.
func TestTrialWaitsForNoScrape(t *testing.T) {
	var f Figures
	begun, release := make(chan struct{}), make(chan struct{})
	f.Begin("run", func(context.Context) ([]contract.Measurement, error) {
		close(begun)
		<-release
		return nil, errors.New("no answer")
	})
	done := make(chan string)
	go func() { done <- scrape(&f) }()
	<-begun
	f.End() // it would wait for ever
	close(release)
	if got := <-done; !strings.Contains(got, "assay_client_read_failures_total 1\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestNobodyReads(*testing.T) {
	var f *Figures
	f.Begin("run", nil)
	f.End()
}

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := &Figures{}
	address, err := f.Serve(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.Begin("warmup", says(series("throughput", "tx/s", nil, 1)))
	get := func(path string) (int, string) {
		t.Helper()
		resp, err := http.Get("http://" + address.String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := get("/metrics"); status != http.StatusOK || !strings.Contains(body, `{phase="warmup"} 1`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := get("/other"); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	cancel()
	for end := time.Now().Add(hang.Limit); ; time.Sleep(10 * time.Millisecond) {
		if _, err := http.Get("http://" + address.String() + "/metrics"); err != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the port is open after the end")
		}
	}
}
