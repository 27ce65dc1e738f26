package main

import (
	"fmt"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/assay-bench/assay/controllers/notification"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/notify"
)

// addNotifications adds a controller for each receiver.
func addNotifications(mgr ctrl.Manager, cfg config.Notifications) error {
	if len(cfg.Receivers) == 0 {
		return nil
	}
	counts, err := metrics.CountNotifications(cfg.Receivers, ctrlmetrics.Registry)
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
