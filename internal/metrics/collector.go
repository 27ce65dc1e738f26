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
	// Runs that have series of their own.
	Runs int
	// SeriesPerRun that each of them has.
	SeriesPerRun int
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
	// Runs in the cache. They are not changed.
	Runs func(context.Context) ([]v1alpha1.BenchmarkRun, error)
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

// NewCollector of the runs.
func NewCollector(s Source, b Bounds) prometheus.Collector { return collector{s, b} }

// patience with the cache, which after the start of the manager is not there yet.
const patience = 5 * time.Second

// Describe sends every metric that is computed from the runs.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descs() {
		out <- d
	}
}

// Collect reads the runs and sends what follows from them. A manager that is not elected has nothing to tell.
func (c collector) Collect(out chan<- prometheus.Metric) {
	select {
	case <-c.source.Elected:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all, err := c.source.Runs(ctx)
	if err != nil {
		c.source.Log.Error(err, "the runs cannot be read for a scrape of the metrics")
		send(out, []series{{collected, nil, 0}})
		return
	}
	send(out, compute(all, c.source.Now(), c.bounds))
	p := c.source.Planning()
	send(out, []series{
		{collected, nil, 1}, {planningRuns, nil, float64(p.Runs)}, {plansKept, nil, float64(p.Kept)}, {plansBytes, nil, float64(p.Bytes)},
	})
}

// compute all series of the runs.
func compute(all []v1alpha1.BenchmarkRun, now time.Time, b Bounds) []series {
	out := totals(all, now)
	chosen := choose(all, b.Runs)
	dropped, seen := 0, map[string]bool{}
	for _, r := range chosen {
		own, left := within(ofOne(r), b.SeriesPerRun, seen)
		out = append(out, own...)
		dropped += left + unread(r)
	}
	return append(out, series{droppedRuns, nil, float64(len(all) - len(chosen))}, series{droppedSeries, nil, float64(dropped)})
}

// within leaves out what exceeds the bound, and what the registry would refuse the whole scrape for: the same series for the
// second time, which two long values may become when they are cut. Dropped is how many these are.
func within(all []series, most int, seen map[string]bool) (kept []series, dropped int) {
	for _, s := range all {
		key := s.of.Name + "\x00" + strings.Join(s.labels, "\x00")
		if seen[key] || len(kept) >= most {
			dropped++
			continue
		}
		seen[key] = true
		kept = append(kept, s)
	}
	return kept, dropped
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
		out <- prometheus.MustNewConstMetric(known[s.of], prometheus.GaugeValue, s.value, s.labels...)
	}
}
