package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cluster/registry"
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

// reportOutcomes are the ends of a report, by the reasons of status.report.
var reportOutcomes = map[string]string{
	v1alpha1.ReasonSucceeded: "stored", v1alpha1.ReasonReportTooLarge: "too_large", v1alpha1.ReasonReportNotStored: "not_stored",
	v1alpha1.ReasonChildConflict: "conflict",
}

// Reports counts the reports of runs that have ended.
type Reports struct{ ended *prometheus.CounterVec }

// CountReports in a registry. Every outcome is there from the start, so that the first of its kind is an increase too.
func CountReports(in prometheus.Registerer) (Reports, error) {
	r := Reports{vector(reportsEnded)}
	for _, outcome := range reportOutcomes {
		r.ended.WithLabelValues(outcome)
	}
	return r, in.Register(r.ended)
}

// Ended is a report that needs no further attempt, by its reason. Others are not counted.
func (r Reports) Ended(reason string) {
	if outcome, ends := reportOutcomes[reason]; ends {
		r.ended.WithLabelValues(outcome).Inc()
	}
}

// Of registries that are asked for tags, since the manager started.
var registryRequests = counter("assay_registry_requests_total", "registry outcome",
	"Number of times that the manager asked a registry which digest a tag has: answered, refused (an error of HTTP), "+
		"unreachable, failed (such as for its credentials), or postponed (too many images at once, so that it was not asked). "+
		"Remembered answers are not counted.")

// CountRegistries that the configuration names, in a registry of metrics. What it returns counts one outcome. Every
// outcome is there from the start, so that the first of its kind is an increase too.
func CountRegistries(c config.Registries, in prometheus.Registerer) (func(host string, o registry.Outcome), error) {
	asked := vector(registryRequests)
	for _, r := range c.Ask {
		for _, o := range registry.Outcomes() {
			asked.WithLabelValues(r.Host, string(o))
		}
	}
	return func(host string, o registry.Outcome) { asked.WithLabelValues(host, string(o)).Inc() }, in.Register(asked)
}
