package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// trials of each run.
const trials = 10

// newRun has one MariaDB on a node of its own, and a client on another one.
func newRun(name string, trials int) *v1alpha1.BenchmarkRun {
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	shape := func(kind string) v1alpha1.ShapeRef {
		return v1alpha1.ShapeRef{Inline: &v1alpha1.InstanceShapeSpec{
			CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), NodeSelector: map[string]string{"kind": kind},
		}}
	}
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: v1alpha1.BenchmarkRunSpec{
			Targets: []v1alpha1.Target{{
				Name: "db", Shape: new(shape("t")),
				MySQL: &v1alpha1.MySQLTarget{Flavor: "MariaDB", Version: "10.11", Storage: v1alpha1.Storage{Size: resource.MustParse("1Gi")}},
			}},
			Clients:  v1alpha1.Clients{Shape: new(shape("c"))},
			Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 2, TableSize: 10000}},
			Design:   v1alpha1.Design{Blocks: int32(trials), Warmup: d(0), Duration: d(10 * time.Second)},
			Deadline: *d(12 * time.Hour),
		},
	}
}

// tracker knows which runs have ended, and the first one that did not end well.
type tracker struct {
	mu    sync.Mutex
	ended map[string]bool
	bad   error
}

func newTracker() *tracker { return &tracker{ended: map[string]bool{}} }

func (t *tracker) see(o client.Object) {
	run := o.(*v1alpha1.BenchmarkRun)
	failed := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
	if failed != nil && failed.Status != metav1.ConditionTrue {
		failed = nil
	}
	if failed == nil && !apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[run.Name] = true
	switch p := run.Status.Progress; {
	case t.bad != nil:
	case failed != nil:
		t.bad = fmt.Errorf("%s failed: %s: %s", run.Name, failed.Reason, failed.Message)
	case p.Done != run.Spec.Design.Blocks || p.Succeeded != p.Done || p.Disturbed != 0 || p.Invalid != 0:
		t.bad = fmt.Errorf("%s ended with totals %+v, and findings %+v", run.Name, p.Totals, run.Status.Findings)
	}
}

// count of the runs with a prefix that have ended.
func (t *tracker) count(prefix string) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for name := range t.ended {
		if strings.HasPrefix(name, prefix) {
			n++
		}
	}
	return n, t.bad
}

// crowd is a number of runs at once, of so many trials each; the name of each begins
// with the prefix.
type crowd struct {
	prefix       string
	runs, trials int
}

// carryOut creates runs all at once and waits until all have ended, everything but
// their results is torn down, and the manager rests.
func (p *player) carryOut(ctx context.Context, m *manager, c crowd) error {
	prefix, count := c.prefix, c.runs
	began, told := time.Now(), time.Now()
	created := make(chan error, 1)
	go func() {
		created <- side(ctx, count, func(i int) error {
			return p.cluster.Create(ctx, newRun(fmt.Sprintf("%s-%04d", prefix, i), c.trials))
		})
	}()
	for ended := 0; ended < count; time.Sleep(20 * time.Millisecond) {
		if err := errors.Join(ctx.Err(), m.alive()); err != nil {
			return err
		}
		if f := p.failure.Load(); f != nil {
			return fmt.Errorf("playing the cluster: %w", *f)
		}
		var err error
		if ended, err = p.runs.count(prefix); err != nil {
			return err
		}
		if time.Since(told) > 30*time.Second {
			told = time.Now()
			fmt.Printf("  %s: %d of %d runs have ended after %s\n", prefix, ended, count, time.Since(began).Round(time.Second))
		}
	}
	p.took = time.Since(began)
	if err := <-created; err != nil {
		return fmt.Errorf("creating runs: %w", err)
	}
	if err := p.once(c); err != nil {
		return err
	}
	return p.rest(ctx, m)
}

// once makes sure that every trial ran its tool once, so that what is measured is
// the whole work and no more.
func (p *player) once(c crowd) error {
	n := 0
	var twice error
	p.started.Range(func(job, times any) bool {
		if strings.HasPrefix(job.(string), c.prefix) {
			n++
			if t := times.(*atomic.Int64).Load(); t != 1 {
				twice = fmt.Errorf("the tool of %s was started %d times", job, t)
			}
		}
		return true
	})
	if want := c.runs * (c.trials + 1); n != want && twice == nil {
		return fmt.Errorf("%d Jobs ran their tool, not %d (the loading of %d runs, and their trials)", n, want, c.runs)
	}
	return twice
}

// rest waits until nothing is left to tear down and the manager makes no passes.
func (p *player) rest(ctx context.Context, m *manager) error {
	last, since := -1.0, time.Now()
	for ctx.Err() == nil {
		s, err := scrape(ctx, m.metrics)
		if err != nil {
			return err
		}
		passes := s.counter("controller_runtime_reconcile_total", map[string]string{"controller": "benchmarkrun"})
		if passes != last || p.children.Load() > 0 {
			last, since = passes, time.Now()
		}
		// A run whose pods are left is looked at again after ten seconds.
		if time.Since(since) > 3*time.Second {
			return nil
		}
		time.Sleep(500 * time.Millisecond)
	}
	return fmt.Errorf("%d pods, Jobs and StatefulSets are left: %w", p.children.Load(), ctx.Err())
}
