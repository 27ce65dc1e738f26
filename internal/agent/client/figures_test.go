package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// While a tool runs, the end of its output can be read; when it has ended, there is nothing to read.
func TestLiveFigures(t *testing.T) {
	r := newRig(t, "stubborn", contract.PhaseRun, nil)
	r.agent.Figures = &live.Figures{}
	var mu sync.Mutex
	var seen string
	find := r.agent.Runner
	r.agent.Runner = func(name string) (runner.Runner, bool) {
		adapter, known := find(name)
		parse := adapter.Parse
		adapter.Parse = func(t contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			mu.Lock()
			seen = string(p) + ": " + string(o.Stdout)
			mu.Unlock()
			return parse(t, p, o)
		}
		return adapter, known
	}
	scrape := func() string {
		w := httptest.NewRecorder()
		r.agent.Figures.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	r.startWhenReady(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.agent.Run(ctx) // it is interrupted
	}()
	const figure = `assay_client_interval_value{measurement="throughput",of="",unit="tx/s"} 2`
	for end := time.Now().Add(hang.Limit); ; time.Sleep(100 * time.Millisecond) {
		text := scrape()
		mu.Lock()
		output := seen
		mu.Unlock()
		if strings.Contains(text, figure) && strings.Contains(text, `{phase="run"} 1`) && output == "Run: half of it\n" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no figures of the running tool, whose output was %q:\n%s", output, text)
		}
	}
	cancel()
	<-ended
	time.Sleep(1100 * time.Millisecond) // the answer before is kept for a second
	if text := scrape(); strings.Contains(text, "interval") || strings.Contains(text, "running") {
		t.Errorf("figures of a tool that has ended:\n%s", text)
	}
}
