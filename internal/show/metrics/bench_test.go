package metrics

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// What a scrape costs with a thousand runs, of which 200 have series of their own.
func BenchmarkScrape(b *testing.B) {
	var all []v1alpha1.BenchmarkRun
	for i := range 1000 {
		r := *world()[0].DeepCopy()
		r.Namespace, r.Name = fmt.Sprintf("team-%d", i%10), fmt.Sprintf("run-%d", i)
		all = append(all, r)
	}
	r := prometheus.NewRegistry()
	r.MustRegister(NewCollector(source(all, nil), Bounds{Runs: 200, SeriesPerRun: 100}))
	for b.Loop() {
		if _, err := r.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
