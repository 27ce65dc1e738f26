package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// The bars of the project.
const (
	maxGrowth = 1.3       // cost of a run among 1,000 over that of one among 10
	maxWrites = 12.0      // API writes per trial
	maxMemory = 300 << 20 // bytes
	smallSize = 10        // what the growth is measured from
	largeSize = 1000
)

// snapshot is all that is counted, at one moment.
type snapshot struct {
	manager, server samples
	process         process
	agents          int64
}

func takeSnapshot(ctx context.Context, srv *server, m *manager, p *player) (snapshot, error) {
	s := snapshot{agents: p.agentsWrites.Load()}
	var err error
	if s.process, err = m.process(); err != nil {
		return s, err
	}
	if s.manager, err = scrape(ctx, m.metrics); err != nil {
		return s, err
	}
	s.server, err = scrapeServer(ctx, srv.config)
	return s, err
}

// writes are requests that write, also those that are refused.
type writes struct {
	// manager without its events.
	manager, events, agents float64
}

func (w writes) minus(o writes) writes {
	return writes{w.manager - o.manager, w.events - o.events, w.agents - o.agents}
}

func (w writes) over(n float64) writes { return writes{w.manager / n, w.events / n, w.agents / n} }

func (w writes) sum() float64 { return w.manager + w.events + w.agents }

// newWrites are those between two moments.
func newWrites(before, after snapshot) writes {
	w := writes{agents: float64(after.agents - before.agents)}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		w.manager += after.requests(method) - before.requests(method)
	}
	// Only the manager writes events here, and all it writes go through this group.
	w.events = after.eventWrites() - before.eventWrites()
	w.manager -= w.events
	return w
}

// figures of one size.
type figures struct {
	size size
	wall time.Duration // all runs
	// p50 and p99 of a pass, in seconds.
	p50, p99 float64
	// passes per trial; passSeconds and cpu per run.
	passes      float64
	passSeconds float64
	cpu         time.Duration
	// whole are the writes of a run of 10 trials; each are those of every trial, once
	// those of every run.
	whole, each, once writes
	// reads of the manager, per trial.
	reads float64
	// peak of the manager's resident memory and its heap in use at the end, in bytes.
	peak, heap int64
}

func newFigures(s size, before, after snapshot, wall time.Duration) figures {
	runs, all := float64(s.runs), float64(s.runs*trials)
	f := figures{
		size: s, wall: wall, peak: after.process.peak, heap: int64(after.manager.gauge("go_memstats_heap_inuse_bytes")),
		cpu:   time.Duration(float64(after.process.cpu-before.process.cpu) / runs),
		whole: newWrites(before, after).over(runs),
		reads: (after.requests("GET") - before.requests("GET")) / all,
	}
	labels := map[string]string{"controller": "benchmarkrun"}
	const passes = "controller_runtime_reconcile_time_seconds"
	h1, err1 := after.manager.native(passes, labels)
	h0, err0 := before.manager.native(passes, labels)
	if err1 == nil && err0 == nil {
		h := h1.since(h0)
		f.p50, f.p99, f.passes, f.passSeconds = h.quantile(0.5), h.quantile(0.99), float64(h.count)/all, h.sum/runs
	}
	return f
}

// split the writes of a run by those of a run with one trial.
func (f *figures) split(short writes) {
	f.each = f.whole.minus(short).over(trials - 1)
	f.once = short.minus(f.each)
}

func (s snapshot) requests(method string) float64 {
	return s.manager.counter("rest_client_requests_total", map[string]string{"method": method})
}

func (s snapshot) eventWrites() float64 {
	n := 0.0
	for _, verb := range []string{"POST", "PATCH", "PUT"} {
		n += s.server.counter("apiserver_request_total", map[string]string{"group": "events.k8s.io", "resource": "events", "verb": verb})
	}
	return n
}

// conditions says what is measured and how.
func conditions(o options) string {
	return fmt.Sprintf(`BenchmarkRuns at once, %d trials each (one MariaDB, one client), on a real API server, with the real manager.
  Played: nodes (status every %s, %d images each), StatefulSet and Job controllers, scheduler, kubelets, agents.
  A played client measures for %s. etcd runs with --unsafe-no-fsync; the API server with GOGC=400, without its
  queues (priority and fairness), and with a compaction every minute.
  The manager has its defaults (4 workers) but --kube-api-qps=%d, and no leader election. %d runs before are not counted.
  API server, etcd and what is played share the machine with the manager: the wall time and the length of a pass
  depend on the machine. CPU of the manager and numbers of passes and writes do not: they are the cost.
  passes        passes of the reconciler per trial; p50, p99: their length (native histogram, to 5%%)
  CPU/run       CPU seconds of the manager's process; pass s/run: the sum of the lengths of all passes
  writes        requests that write, refused ones included: all of the manager's, events too, and the agents' (ready,
                result). each: of every trial; once: of every run besides (plan, target, loading, summary, teardown),
                told apart by a run of one trial; all: of a run from beginning to end, by its trials
  reads         requests of the manager that read, per trial of a run from beginning to end
  RSS           the largest resident memory of the manager since its start (VmHWM); heap: in use at the end

`, trials, beatEvery, imagesPerNode, o.window, managerQPS, warmupRuns)
}

func table(all []figures) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "runs\twall\tp50\tp99\tpasses\tpass s/run\tCPU/run\twrites each\t(manager\tevents\tagents)\tonce\tall\treads\tRSS\theap\t")
	for _, f := range all {
		_, _ = fmt.Fprintf(w, "%s\t%.1f s\t%.1f ms\t%.1f ms\t%.1f\t%.3f s\t%.3f s\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t%.0f MiB\t%.0f MiB\t\n",
			f.size, f.wall.Seconds(), f.p50*1000, f.p99*1000, f.passes, f.passSeconds, f.cpu.Seconds(),
			f.each.sum(), f.each.manager, f.each.events, f.each.agents, f.once.sum(), f.whole.sum()/trials, f.reads, float64(f.peak)/(1<<20), float64(f.heap)/(1<<20))
	}
	_ = w.Flush()
	return b.String() + "\n"
}

// verdict on one bar.
type verdict struct {
	text   string
	missed bool
}

// String is one line.
func (v verdict) String() string {
	if v.missed {
		return "MISSED  " + v.text
	}
	return "met     " + v.text
}

// judge holds the figures against the bars. A bar whose sizes were not measured has
// no verdict.
func judge(all []figures) []verdict {
	var out []verdict
	add := func(missed bool, format string, args ...any) {
		out = append(out, verdict{fmt.Sprintf(format, args...), missed})
	}
	find := func(runs int) *figures {
		i := slices.IndexFunc(all, func(f figures) bool { return f.size.runs == runs && !f.size.queued() })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	if small, large := find(smallSize), find(largeSize); small != nil && large != nil {
		cpu := large.cpu.Seconds() / small.cpu.Seconds()
		passes := large.passes / small.passes
		add(cpu > maxGrowth, "CPU per run at %d over that at %d: %.2f, at most %.1f", largeSize, smallSize, cpu, maxGrowth)
		add(passes > maxGrowth, "passes per run at %d over those at %d: %.2f, at most %.1f", largeSize, smallSize, passes, maxGrowth)
	}
	for _, f := range all {
		if f.size.queued() {
			// What a run writes while it waits depends on how long it waits: the bar is
			// for runs that are measured at once.
			continue
		}
		add(f.each.sum() > maxWrites, "%s: %.2f writes per trial, events included, at most %.0f (with those of the whole run: %.1f)",
			f.size, f.each.sum(), maxWrites, f.whole.sum()/trials)
	}
	for _, f := range all {
		add(f.peak >= maxMemory, "%s: %.0f MiB resident, less than %d MiB", f.size, float64(f.peak)/(1<<20), maxMemory>>20)
	}
	return out
}

// requestTable is what the API server counted, per trial, whoever asked.
func requestTable(before, after snapshot, all int) string {
	counts := map[string]float64{}
	add := func(s snapshot, sign float64) {
		for _, m := range s.server["apiserver_request_total"].GetMetric() {
			l := map[string]string{}
			for _, p := range m.Label {
				l[p.GetName()] = p.GetValue()
			}
			key := strings.Join([]string{l["resource"], l["subresource"], l["verb"], l["code"]}, " ")
			counts[key] += sign * m.GetCounter().GetValue()
		}
	}
	add(before, -1)
	add(after, 1)
	var b strings.Builder
	fmt.Fprintln(&b, "requests per trial, whoever asked (resource, subresource, verb, code):")
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[key] / float64(all); n >= 0.01 {
			fmt.Fprintf(&b, "  %8.2f  %s\n", n, key)
		}
	}
	return b.String()
}
