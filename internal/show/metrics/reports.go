package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/api/v1alpha1"
)

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
