package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun"
	"github.com/assay-bench/assay/internal/cluster/scrape"
	"github.com/assay-bench/assay/internal/show/metrics"
)

// metricsFlags say where the metrics are served, and to whom.
type metricsFlags struct {
	address, certificates string
	secure                bool
	bounds                metrics.Bounds
}

func (f *metricsFlags) register() {
	flag.StringVar(&f.address, "metrics-bind-address", ":8443", "address of the Prometheus metrics; 0 to turn them off")
	flag.BoolVar(&f.secure, "metrics-secure", true, "serve the metrics over HTTPS, to those whom the API server allows to get /metrics")
	flag.StringVar(&f.certificates, "metrics-cert-dir", "", "directory with tls.crt and tls.key for the metrics; empty for a self-signed certificate")
	flag.IntVar(&f.bounds.Runs, "metrics-runs", 200, "number of runs that have metrics of their own; as many schedules have, and as many baselines")
	flag.IntVar(&f.bounds.SeriesPerRun, "metrics-series-per-run", 100, "number of metrics that one of them may have")
}

func (f metricsFlags) options() metricsserver.Options {
	o := metricsserver.Options{BindAddress: f.address}
	if f.secure {
		o.SecureServing, o.FilterProvider, o.CertDir = true, scrape.Filter, f.certificates
	}
	return o
}

// objectsOf the cache.
func objectsOf(ctx context.Context, cache client.Reader) (metrics.Objects, error) {
	var (
		runs      v1alpha1.BenchmarkRunList
		schedules v1alpha1.BenchmarkScheduleList
		baselines v1alpha1.BenchmarkBaselineList
	)
	for _, list := range []client.ObjectList{&runs, &schedules, &baselines} {
		if err := cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return metrics.Objects{}, fmt.Errorf("listing %T: %w", list, err)
		}
	}
	return metrics.Objects{Runs: runs.Items, Schedules: schedules.Items, Baselines: baselines.Items}, nil
}

// addMetrics of runs, schedules and baselines to those of controller-runtime.
func addMetrics(mgr ctrl.Manager, runs *benchmarkrun.Reconciler, b metrics.Bounds, log logr.Logger) error {
	if b.Runs < 0 || b.SeriesPerRun < 0 {
		return fmt.Errorf("--metrics-runs and --metrics-series-per-run: %d and %d are no bounds", b.Runs, b.SeriesPerRun)
	}
	collector := metrics.NewCollector(metrics.Source{
		Objects:  func(ctx context.Context) (metrics.Objects, error) { return objectsOf(ctx, mgr.GetClient()) },
		Planning: func() metrics.Planning { return benchmarkrun.Planning(runs) },
		Elected:  mgr.Elected(), Now: time.Now, Log: log,
	}, b)
	if err := registry.Registry.Register(collector); err != nil {
		return fmt.Errorf("registering the metrics of runs: %w", err)
	}
	return nil
}
