package main

import (
	"fmt"
	_ "time/tzdata" // for the time zones of schedules: the image of the manager has none

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	counters "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/assay-bench/assay/controllers/benchmarkschedule"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/cluster/registry"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/runners"
)

// addSchedules registers the controller that starts the runs of schedules.
func addSchedules(mgr manager.Manager, cfg config.Config, workers int) error {
	tags, err := registry.New(cfg.Registries, clock.RealClock{})
	if err != nil {
		return fmt.Errorf("preparing the registries (registries.ask): %w", err)
	}
	if tags.Observe, err = metrics.CountRegistries(cfg.Registries, counters.Registry); err != nil {
		return fmt.Errorf("registering the metrics of the registries: %w", err)
	}
	return register(mgr, "BenchmarkSchedules", &benchmarkschedule.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"), Config: cfg,
		Engine: engines.Find, Runner: runners.Find, Tags: tags, Workers: workers,
	})
}
