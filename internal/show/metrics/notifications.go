package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// Outcomes of notifications that are not those of the status in lower case.
const (
	// NotificationGivenUp is that of an event that became too old.
	NotificationGivenUp = "given_up"
	// NotificationLost is that of an event whose run was deleted before it was sent.
	NotificationLost = "lost"
)

// Notifications counts what receivers are told. Receivers and types are those of the operator's
// configuration, so that the labels are bounded.
type Notifications struct {
	ended, attempts *prometheus.CounterVec
	waiting         *prometheus.GaugeVec
}

// CountNotifications to some receivers, in a registry. Every outcome is there from the start, so that
// the first of its kind is an increase too.
func CountNotifications(receivers []config.Receiver, in prometheus.Registerer) (Notifications, error) {
	w := notificationsWaiting
	n := Notifications{
		ended: vector(notificationsEnded), attempts: vector(notificationAttempts),
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: w.Name, Help: w.Help}, w.Labels),
	}
	for _, r := range receivers {
		n.Waiting(r.Name, 0)
		for _, result := range []string{"delivered", "refused", "undelivered"} {
			n.attempts.WithLabelValues(r.Name, result)
		}
		for _, kind := range v1alpha1.NotificationTypes() {
			for _, outcome := range []string{"delivered", "refused", NotificationGivenUp, NotificationLost} {
				n.ended.WithLabelValues(r.Name, string(kind), outcome)
			}
		}
	}
	return n, errors.Join(in.Register(n.ended), in.Register(n.attempts), in.Register(n.waiting))
}

// Ended is a notification that needs no further attempt.
func (n Notifications) Ended(receiver string, kind v1alpha1.NotificationType, outcome string) {
	n.ended.WithLabelValues(receiver, string(kind), outcome).Inc()
}

// Attempted is a request to a receiver.
func (n Notifications) Attempted(receiver, outcome string) {
	n.attempts.WithLabelValues(receiver, outcome).Inc()
}

// Waiting adds to the notifications that are tried again.
func (n Notifications) Waiting(receiver string, more float64) {
	n.waiting.WithLabelValues(receiver).Add(more)
}
