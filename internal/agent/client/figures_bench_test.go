package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
)

// What a scrape costs the client's pod while its tool runs: the processor time of the agent and of the tool's container together,
// with one scrape in each second over loopback, which is as often as the output is read, and over the same time without one. The
// output is an hour of sysbench's intervals. What it costs the tool in the cluster is BenchmarkLiveFigures.
func BenchmarkLiveScrape(b *testing.B) {
	address := showsIntervals(b)
	time.Sleep(time.Second)
	var scraped, quiet, took time.Duration
	for b.Loop() {
		began, before := time.Now(), processorTime(b)
		text := scrapeAt(b, address)
		took += time.Since(began)
		if !strings.Contains(text, `assay_client_interval_value{measurement="throughput"`) {
			b.Fatalf("no figures:\n%s", text)
		}
		time.Sleep(time.Until(began.Add(time.Second + 10*time.Millisecond)))
		scraped += processorTime(b) - before
		before = processorTime(b)
		time.Sleep(time.Second)
		quiet += processorTime(b) - before
	}
	b.ReportMetric(float64(scraped.Microseconds())/float64(b.N)/1000, "cpu-ms/scraped-s")
	b.ReportMetric(float64(quiet.Microseconds())/float64(b.N)/1000, "cpu-ms/quiet-s")
	b.ReportMetric(float64(took.Microseconds())/float64(b.N)/1000, "ms/scrape")
}

// showsIntervals is the address of the figures of a tool that has printed for an hour, in a container of its own as far as the
// agent can tell.
func showsIntervals(b *testing.B) string {
	b.Helper()
	var text bytes.Buffer
	for second := 1; second <= 3600; second++ {
		fmt.Fprintf(&text, "[ %ds ] thds: 2 tps: 4674.06 qps: 4674.06 (r/w/o: 0.00/4674.06/0.00) lat (ms,95%%): 0.65 err/s: 0.00 reconn/s: 0.00\n", second)
	}
	path := filepath.Join(b.TempDir(), "intervals")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	side, err := toolside.Listen(supervised(b), 5*time.Second)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(side.Close)
	if _, err := side.Wait(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	name := rawName(contract.PhaseRun)
	if err := side.Prepare(b.Context(), name, toolwire.Command{Path: "/bin/sh", Args: []string{"-c", "cat " + path + "; exec sleep 600"}}); err != nil {
		b.Fatal(err)
	}
	if _, err := side.Start(b.Context(), name, time.Now()); err != nil {
		b.Fatal(err)
	}
	figures := &live.Figures{}
	tools := toolbox{side: side, figures: figures, intervals: func(p contract.Phase, o runner.Output) []contract.Measurement {
		return sysbench.Runner().Parse(contract.Trial{Workload: json.RawMessage(`{"test":"oltp_read_write","threads":2,"tables":2,"tableSize":2000}`)}, p, o).Measurements
	}}
	tools.showFigures(preparedTool{name: name, phase: contract.PhaseRun})
	at, err := figures.Serve(b.Context(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	return at.String()
}

func scrapeAt(b *testing.B, address string) string {
	b.Helper()
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// processorTime of this process, in which the agent and the supervisor of the tool run.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
