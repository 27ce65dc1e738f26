package main

import (
	"fmt"
	_ "time/tzdata" // for the time zones of schedules: the image of the manager has none

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	counters "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/assay-bench/assay/controllers/benchmarkrun"
	"github.com/assay-bench/assay/controllers/benchmarkschedule"
	"github.com/assay-bench/assay/controllers/notification"
	"github.com/assay-bench/assay/controllers/runreport"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/cluster/registry"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/notify"
	"github.com/assay-bench/assay/internal/show/writeup"
	"github.com/assay-bench/assay/runners"
)

// addSchedules registers the controller that starts the runs of schedules.
func addSchedules(mgr manager.Manager, cfg config.Config, runs *benchmarkrun.Reconciler) error {
	tags, err := registry.New(cfg.Registries, clock.RealClock{})
	if err != nil {
		return fmt.Errorf("preparing the registries (registries.ask): %w", err)
	}
	if tags.Observe, err = metrics.CountRegistries(cfg.Registries, counters.Registry); err != nil {
		return fmt.Errorf("registering the metrics of the registries: %w", err)
	}
	return register(mgr, "BenchmarkSchedules", &benchmarkschedule.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"), Config: cfg,
		Engine: engines.Find, Runner: runners.Find, Tags: tags, Queue: runs.Queue, Workers: runs.Workers,
	})
}

// addNotifications adds a controller for each receiver.
func addNotifications(mgr ctrl.Manager, cfg config.Notifications) error {
	if len(cfg.Receivers) == 0 {
		return nil
	}
	counts, err := metrics.CountNotifications(cfg.Receivers, counters.Registry)
	if err != nil {
		return fmt.Errorf("registering the metrics of notifications: %w", err)
	}
	for _, receiver := range cfg.Receivers {
		sender, err := notify.NewSender(receiver, cfg.Timeout.Duration)
		if err != nil {
			return fmt.Errorf("preparing the receiver %s (notifications.receivers): %w", receiver.Name, err)
		}
		r := &notification.Reconciler{
			Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"),
			Config: cfg, Receiver: receiver, Send: sender.Send, Metrics: counts,
		}
		if err := register(mgr, "receiver "+receiver.Name, r); err != nil {
			return err
		}
	}
	return nil
}

// addReports adds the controller that stores the reports of runs that have ended. The memory for what is read of runs is
// that of the controller of runs: one of both reads at a time.
func addReports(mgr ctrl.Manager, cfg config.Config, runs *benchmarkrun.Reconciler, objects runreport.ObjectStore) error {
	counts, err := metrics.CountReports(counters.Registry)
	if err != nil {
		return fmt.Errorf("registering the metrics of reports: %w", err)
	}
	return register(mgr, "reports", &runreport.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("assay"), Metrics: counts,
		Writer: writeup.Writer{API: mgr.GetAPIReader(), Memory: int(cfg.Limits.ResultMemory.Value()), Measurements: int(cfg.Limits.Measurements)},
		Store:  objects, Config: cfg.Results.Store, Reading: benchmarkrun.Reading(runs), Pause: runreport.DefaultPause,
	})
}
