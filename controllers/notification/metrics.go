package notification

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics of the notifications. Receivers and types are those of the operator's configuration, so the
// labels are bounded.
var (
	ended = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "assay_notifications_total",
		Help: "Notifications that ended: delivered, refused (the receiver wants no more), given_up (too old), or lost (the run was deleted before).",
	}, []string{"receiver", "type", "outcome"})
	attempts = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "assay_notification_attempt_duration_seconds",
		Help:    "Duration of the attempts to deliver a notification, by what came of it: Delivered, Refused or Undelivered.",
		Buckets: []float64{0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60},
	}, []string{"receiver", "result"})
	waiting = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "assay_notifications_waiting",
		Help: "Notifications that failed at least once and are tried again.",
	}, []string{"receiver"})
)

// outcomeLost is that of an event whose run was deleted before it was sent.
const outcomeLost = "lost"

// register the metrics, once for all receivers.
var register = sync.OnceFunc(func() { metrics.Registry.MustRegister(ended, attempts, waiting) })
