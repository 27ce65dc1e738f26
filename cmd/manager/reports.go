package main

import (
	"fmt"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/assay-bench/assay/controllers/benchmarkrun"
	"github.com/assay-bench/assay/controllers/runreport"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/writeup"
)

// addReports adds the controller that stores the reports of runs that have ended. The memory for what is read of runs is
// that of the controller of runs: one of both reads at a time.
func addReports(mgr ctrl.Manager, cfg config.Config, runs *benchmarkrun.Reconciler, objects runreport.ObjectStore) error {
	counts, err := metrics.CountReports(registry.Registry)
	if err != nil {
		return fmt.Errorf("registering the metrics of reports: %w", err)
	}
	return register(mgr, "reports", &runreport.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"), Metrics: counts,
		Writer: writeup.Writer{API: mgr.GetAPIReader(), Memory: int(cfg.Limits.ResultMemory.Value()), Measurements: int(cfg.Limits.Measurements)},
		Store:  objects, Config: cfg.Results.Store, Reading: benchmarkrun.Reading(runs), Pause: runreport.DefaultPause,
	})
}
