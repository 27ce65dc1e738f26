package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// schedules at once: all of them, and those that are due at one instant. A tenth of the others look for changes.
type schedules struct{ all, due int }

// changes are the schedules with onChange.
func (s schedules) changes() int { return (s.all - s.due) / 10 }

func parseSchedules(text string) (schedules, error) {
	if text == none {
		return schedules{}, nil
	}
	all, due, both := strings.Cut(text, "/")
	var s schedules
	var err1, err2 error
	s.all, err1 = strconv.Atoi(all)
	s.due, err2 = strconv.Atoi(due)
	if err := errors.Join(err1, err2); err != nil || !both || s.due < 1 || s.all < s.due {
		return s, fmt.Errorf("-schedules: %q: write such as 1000/100 for 1,000 schedules of which 100 are due at one instant", text)
	}
	return s, nil
}

// Names of schedules begin with what they do.
const (
	prefixRest, prefixChange, prefixDue = "rest", "change", "due"
)

// newSchedule of runs of one trial.
func newSchedule(prefix string, i int, line string) *v1alpha1.BenchmarkSchedule {
	return &v1alpha1.BenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s-%04d", prefix, i)},
		Spec: v1alpha1.BenchmarkScheduleSpec{
			Schedule: line, OnChange: prefix == prefixChange,
			RunTemplate: v1alpha1.RunTemplate{Spec: newRun("", 1).Spec},
		},
	}
}

// lineOf the one time in this year.
func lineOf(t time.Time) string {
	t = t.UTC()
	return fmt.Sprintf("%d %d %d %d *", t.Minute(), t.Hour(), t.Day(), int(t.Month()))
}

// moment of a play: what was asked and used until then.
type moment struct {
	at       time.Time
	requests []request
	process  process
	// passes of the controller of schedules; heap in use, in bytes.
	passes float64
	heap   int64
}

// stage of a play of schedules.
type stage struct {
	srv *server
	p   *player
	m   *manager
	s   schedules
}

func (st *stage) moment(ctx context.Context) (moment, error) {
	out := moment{at: time.Now()}
	var err1, err2 error
	out.requests, err1 = st.srv.requests()
	out.process, err2 = st.m.process()
	counted, err3 := scrape(ctx, st.m.metrics)
	out.passes, out.heap = passesOf(counted, "benchmarkschedule"), int64(counted.gauge("go_memstats_heap_inuse_bytes"))
	return out, errors.Join(err1, err2, err3)
}

func passesOf(s samples, controller string) float64 {
	return s.counter("controller_runtime_reconcile_total", map[string]string{"controller": controller})
}

// measureSchedules plays schedules that wait, some that are due at one instant, a time in which nothing happens, and a
// manager that is started again.
func measureSchedules(ctx context.Context, o options, s schedules) (scheduleFigures, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	srv, err := startServer(o.crds, true)
	if err != nil {
		return scheduleFigures{}, err
	}
	defer srv.stop()
	p, err := newPlayer(srv, o)
	if err != nil {
		return scheduleFigures{}, err
	}
	if err := p.makeNodes(ctx, 2*max(s.due, s.changes())); err != nil {
		return scheduleFigures{}, err
	}
	ctx, unwatch := context.WithCancel(ctx)
	defer unwatch()
	if err := p.watch(ctx); err != nil {
		return scheduleFigures{}, err
	}
	st := &stage{srv: srv, p: p, s: s}
	if st.m, err = startManager(ctx, o, srv); err != nil {
		return scheduleFigures{}, err
	}
	defer func() { st.m.stop() }()
	return st.play(ctx, o)
}

func (st *stage) play(ctx context.Context, o options) (scheduleFigures, error) {
	none := scheduleFigures{}
	if err := st.fill(ctx); err != nil {
		return none, err
	}
	created, err := st.moment(ctx)
	if err != nil {
		return none, err
	}
	due, err := st.fire(ctx)
	if err != nil {
		return none, err
	}
	fired, err := st.moment(ctx)
	if err != nil {
		return none, err
	}
	fmt.Printf("  at rest for %s\n", o.rest)
	select {
	case <-time.After(o.rest):
	case <-ctx.Done():
		return none, ctx.Err()
	}
	rested, err := st.moment(ctx)
	if err != nil {
		return none, err
	}
	fmt.Println("  the manager is started again")
	st.m.stop()
	if st.m, err = startManager(ctx, o, st.srv); err != nil {
		return none, err
	}
	if err := st.quiet(ctx, float64(st.s.all)); err != nil {
		return none, err
	}
	again, err := st.moment(ctx)
	if err != nil {
		return none, err
	}
	f := newScheduleFigures(st.s, due, []moment{created, fired, rested, again})
	return f, st.check(ctx, &f)
}

// fill makes the schedules that are not due, and waits for the runs of those that look for changes: a new one has
// changed.
func (st *stage) fill(ctx context.Context) error {
	waiting, changes := st.s.all-st.s.due, st.s.changes()
	line := lineOf(time.Now().AddDate(0, 6, 0))
	err := side(ctx, waiting, func(i int) error {
		prefix := prefixRest
		if i < changes {
			prefix = prefixChange
		}
		return st.p.cluster.Create(ctx, newSchedule(prefix, i, line))
	})
	if err != nil {
		return fmt.Errorf("creating schedules: %w", err)
	}
	fmt.Printf("  %d schedules are there; %d of them have changed\n", waiting, changes)
	if err := st.ended(ctx, prefixChange, changes); err != nil {
		return err
	}
	return st.quiet(ctx, float64(waiting))
}

// fire makes the schedules that are due, all at the next full minute that leaves time to create them, and waits until
// their runs have ended. It returns when they were due.
func (st *stage) fire(ctx context.Context) (time.Time, error) {
	due := time.Now().Add(90 * time.Second).Truncate(time.Minute)
	err := side(ctx, st.s.due, func(i int) error { return st.p.cluster.Create(ctx, newSchedule(prefixDue, i, lineOf(due))) })
	if err != nil {
		return due, fmt.Errorf("creating schedules: %w", err)
	}
	if late := time.Since(due); late > 0 {
		return due, fmt.Errorf("the schedules were created %s after they were due: the machine is too busy", late)
	}
	fmt.Printf("  %d schedules are due in %s\n", st.s.due, time.Until(due).Round(time.Second))
	if err := st.ended(ctx, prefixDue, st.s.due); err != nil {
		return due, err
	}
	if err := st.p.once(crowd{prefix: prefixDue, runs: st.s.due, trials: 1}); err != nil {
		return due, err
	}
	return due, st.quiet(ctx, 0)
}

// ended waits until so many runs of a prefix have ended.
func (st *stage) ended(ctx context.Context, prefix string, count int) error {
	n, last, since := 0, 0, time.Now()
	for ; n < count; time.Sleep(100 * time.Millisecond) {
		if n > last {
			last, since = n, time.Now()
		}
		if time.Since(since) > quietWithin {
			return errors.Join(fmt.Errorf("%d of %d runs of %s have ended, and no other within %s", n, count, prefix, quietWithin), st.srv.answers())
		}
		if err := errors.Join(ctx.Err(), st.m.alive()); err != nil {
			return fmt.Errorf("%d of %d runs of %s have ended: %w", n, count, prefix, err)
		}
		if f := st.p.failure.Load(); f != nil {
			return fmt.Errorf("playing the cluster: %w", *f)
		}
		var err error
		if n, err = st.p.runs.count(prefix); err != nil {
			return err
		}
	}
	return nil
}

// quiet waits until the controller of schedules has made so many passes, no controller makes any, and nothing is left to
// tear down.
func (st *stage) quiet(ctx context.Context, passes float64) error {
	ctx, cancel := context.WithTimeout(ctx, quietWithin)
	defer cancel()
	err := untilQuiet(ctx, func() (float64, string, error) {
		if f := st.p.failure.Load(); f != nil {
			return 0, "", fmt.Errorf("playing the cluster: %w", *f)
		}
		if err := st.m.alive(); err != nil {
			return 0, "", err
		}
		s, err := scrape(ctx, st.m.metrics)
		if err != nil {
			return 0, "", err
		}
		of, left := passesOf(s, "benchmarkschedule"), st.p.children.Load()
		busy := ""
		if of < passes || left > 0 {
			busy = fmt.Sprintf("%.0f passes of at least %.0f, and %d children of runs are left", of, passes, left)
		}
		return of + passesOf(s, "benchmarkrun"), busy, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, st.srv.answers())
	}
	return err
}

// quietWithin is how long a manager may take to come to rest, or until the next run ends: one whose API server is lost never
// gets there.
const quietWithin = 10 * time.Minute

// untilQuiet looks until nothing is busy and the sum of all passes has stayed as it is for 3 s. The error at the end of the time
// says what was seen last.
func untilQuiet(ctx context.Context, look func() (sum float64, busy string, err error)) error {
	last, since, began := -1.0, time.Now(), time.Now()
	for seen := "nothing was seen"; ; {
		sum, busy, err := look()
		if ctx.Err() != nil {
			return fmt.Errorf("the manager does not come to rest within %s (%s): %w", time.Since(began).Round(time.Second), seen, ctx.Err())
		}
		if err != nil {
			return err
		}
		if sum != last || busy != "" {
			last, since = sum, time.Now()
		}
		if time.Since(since) > 3*time.Second {
			return nil
		}
		if seen = busy; busy == "" {
			seen = fmt.Sprintf("it makes passes, %.0f so far", sum)
		}
		time.Sleep(250 * time.Millisecond)
	}
}

// check that each schedule that was due has one run, none missed its time, and each run is in a history.
func (st *stage) check(ctx context.Context, f *scheduleFigures) error {
	var all v1alpha1.BenchmarkScheduleList
	var runs v1alpha1.BenchmarkRunList
	if err := errors.Join(st.p.cluster.List(ctx, &all, client.InNamespace(namespace)), st.p.cluster.List(ctx, &runs, client.InNamespace(namespace))); err != nil {
		return fmt.Errorf("listing schedules and runs: %w", err)
	}
	count := map[string]int{}
	for _, run := range runs.Items {
		count[run.Labels[v1alpha1.LabelSchedule]]++
	}
	for _, s := range all.Items {
		want := int32(1)
		if strings.HasPrefix(s.Name, prefixRest) {
			want = 0
		}
		kept := int32(0)
		if s.Status.History != nil {
			kept = s.Status.History.RunCount
		}
		if s.Status.Missed != nil || count[s.Name] != int(want) || kept != want {
			f.wrong = append(f.wrong, fmt.Sprintf("%s has %d runs, %d in its history, and missed %+v", s.Name, count[s.Name], kept, s.Status.Missed))
		}
	}
	if len(all.Items) != st.s.all {
		f.wrong = append(f.wrong, fmt.Sprintf("%d schedules are there", len(all.Items)))
	}
	return nil
}
