package metrics

import (
	"context"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Bounds of the series.
type Bounds struct {
	// Runs that have series of their own. As many schedules have, and as many baselines.
	Runs int
	// SeriesPerRun that each of them has.
	SeriesPerRun int
}

// Objects that the metrics are about.
type Objects struct {
	// Runs, Schedules and Baselines in the cache. They are not changed.
	Runs      []v1alpha1.BenchmarkRun
	Schedules []v1alpha1.BenchmarkSchedule
	Baselines []v1alpha1.BenchmarkBaseline
}

// Planning is what the manager plans at the time of a scrape.
type Planning struct {
	// Runs whose plan is not complete yet.
	Runs int
	// Kept plans, and the memory that they take, in bytes.
	Kept, Bytes int
}

// Source is what the metrics are computed from.
type Source struct {
	// Objects in the cache.
	Objects func(context.Context) (Objects, error)
	// Planning of the manager.
	Planning func() Planning
	// Elected is closed when this manager works: of several, one tells of the runs.
	Elected <-chan struct{}
	// Now is the time.
	Now func() time.Time
	// Log for a cache that cannot be read.
	Log logr.Logger
}

// collector answers scrapes.
type collector struct {
	source Source
	bounds Bounds
}

// NewCollector of the objects.
func NewCollector(s Source, b Bounds) prometheus.Collector { return collector{s, b} }

// patience with the cache, which after the start of the manager is not there yet.
const patience = 5 * time.Second

// Describe sends every metric that is computed from the objects.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descs() {
		out <- d
	}
}

// Collect reads the objects and sends what follows from them. A manager that is not elected has nothing to tell.
func (c collector) Collect(out chan<- prometheus.Metric) {
	select {
	case <-c.source.Elected:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all, err := c.source.Objects(ctx)
	if err != nil {
		c.source.Log.Error(err, "runs, schedules and baselines cannot be read for a scrape of the metrics")
		send(out, []series{{collected, nil, 0}})
		return
	}
	send(out, compute(all, c.source.Now(), c.bounds))
	p := c.source.Planning()
	send(out, []series{
		{collected, nil, 1}, {planningRuns, nil, float64(p.Runs)}, {plansKept, nil, float64(p.Kept)}, {plansBytes, nil, float64(p.Bytes)},
	})
}

// compute all series of the objects.
func compute(all Objects, now time.Time, b Bounds) []series {
	out := totals(all.Runs, now)
	out = append(out, schedulesByNamespace(all.Schedules)...)
	w := writer{bounds: b, seen: map[string]bool{}}
	for _, r := range choose(all.Runs, b.Runs, byInterest) {
		w.add(ofOne(r), unread(r))
	}
	known := baselinesOf(all.Baselines)
	for _, s := range choose(all.Schedules, b.Runs, byTrouble) {
		w.add(ofSchedule(s, known), 0)
	}
	for _, bl := range choose(all.Baselines, b.Runs, func(x, y *v1alpha1.BenchmarkBaseline) int { return strings.Compare(x.Name, y.Name) }) {
		w.add(ofBaseline(bl), max(int(bl.Status.MeasurementCount)-len(bl.Spec.Measurements), 0))
	}
	over := func(n int) float64 { return float64(max(n-b.Runs, 0)) }
	return append(append(out, w.out...),
		series{droppedRuns, nil, over(len(all.Runs))}, series{droppedSchedules, nil, over(len(all.Schedules))},
		series{droppedBaselines, nil, over(len(all.Baselines))}, series{droppedSeries, nil, float64(w.dropped)})
}

// writer takes the series of one object after the other, within the bounds.
type writer struct {
	bounds  Bounds
	seen    map[string]bool
	out     []series
	dropped int
}

// add the series of an object, without what exceeds the bound, and what the registry would refuse the whole scrape for: the same
// series for the second time, which two long values may become when they are cut. Unread are those that nobody could compute.
func (w *writer) add(all []series, unread int) {
	w.dropped += unread
	most := len(w.out) + w.bounds.SeriesPerRun
	for _, s := range all {
		key := s.of.Name + "\x00" + strings.Join(s.labels, "\x00")
		if w.seen[key] || len(w.out) >= most {
			w.dropped++
			continue
		}
		w.seen[key] = true
		w.out = append(w.out, s)
	}
}

// unread are entries of the summary and comparisons that the status or the cache leaves out: one series each at least.
func unread(r *v1alpha1.BenchmarkRun) (n int) {
	if res := r.Status.Results; res != nil && r.Finished() {
		n += max(int(res.SummaryEntryCount)-len(r.Status.Summary), 0) + max(int(res.ComparisonCount)-len(r.Status.Comparisons), 0)
	}
	return n
}

func send(out chan<- prometheus.Metric, all []series) {
	known := descs()
	for _, s := range all {
		kind := prometheus.GaugeValue
		if s.of.Counter {
			kind = prometheus.CounterValue
		}
		out <- prometheus.MustNewConstMetric(known[s.of], kind, s.value, s.labels...)
	}
}
