package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/ground/family"
)

// Sums over all runs, whatever the bounds.
var (
	runs = &family.Family{Name: "assay_runs", Help: "Number of runs in a phase.", Labels: []string{labelNamespace, labelPhase}}

	queueRuns = &family.Family{Name: "assay_queue_runs", Help: "Number of runs that wait for nodes.", Labels: []string{labelNamespace}}
	queueWait = &family.Family{
		Name: "assay_queue_oldest_wait_seconds", Help: "How long the run has waited for nodes that waits longest; absent while none does.", Labels: []string{labelNamespace},
	}

	nodesHeld          = &family.Family{Name: "assay_nodes_held", Help: "Number of nodes that runs hold. One that several runs share counts once. Nodes of runs that have ended count while their pods are retained."}
	namespaceNodesHeld = &family.Family{
		Name: "assay_namespace_nodes_held", Help: "Number of nodes that the runs of a namespace hold.", Labels: []string{labelNamespace},
	}

	planningRuns = &family.Family{Name: "assay_planning_runs", Help: "Number of runs whose plan is not complete yet, because it takes several passes."}
	plansKept    = &family.Family{Name: "assay_plans_kept", Help: "Number of plans in the memory of the manager."}
	plansBytes   = &family.Family{Name: "assay_plans_kept_bytes", Help: "Estimated memory of these plans."}
)

// What the bounds left out, and whether the cache could be read.
var (
	collected        = &family.Family{Name: "assay_metrics_collected", Help: "1 when runs, schedules and baselines could be read for this scrape, 0 when not: then all metrics of them are absent."}
	droppedRuns      = &family.Family{Name: "assay_metrics_dropped_runs", Help: "Number of runs without series of their own, because of the bound metrics.runs."}
	droppedSchedules = &family.Family{Name: "assay_metrics_dropped_schedules", Help: "Number of schedules without series of their own, because of the same bound."}
	droppedBaselines = &family.Family{Name: "assay_metrics_dropped_baselines", Help: "Number of baselines without series of their own, because of the same bound."}
	droppedSeries    = &family.Family{Name: "assay_metrics_dropped_series", Help: "Number of series of these objects that were left out, because of the bound metrics.seriesPerRun or because the manager keeps only the first values of a run or of a baseline."}
)

// Of one run.
var (
	runPhase     = &family.Family{Name: "assay_run_phase", Help: "1, for the current phase of the run.", Labels: []string{labelNamespace, labelRun, labelPhase}}
	runCondition = &family.Family{
		Name: "assay_run_condition", Help: "1, for a condition of the run (Complete, Failed, Passed, Suspended or Valid) with its current status and reason.",
		Labels: []string{labelNamespace, labelRun, labelCondition, labelStatus, labelReason},
	}
	runSchedule  = &family.Family{Name: "assay_run_schedule", Help: "1, for the schedule that started the run; absent for other runs.", Labels: []string{labelNamespace, labelRun, labelSchedule}}
	runAccepted  = &family.Family{Name: "assay_run_accepted_timestamp_seconds", Help: "When the run was accepted: its place in the queue counts from here.", Labels: ofRun()}
	runStarted   = &family.Family{Name: "assay_run_start_timestamp_seconds", Help: "When the run got its nodes.", Labels: ofRun()}
	runCompleted = &family.Family{Name: "assay_run_completion_timestamp_seconds", Help: "When the run ended.", Labels: ofRun()}
	runEstimated = &family.Family{Name: "assay_run_estimated_completion_timestamp_seconds", Help: "When the last trial is expected to end; absent once the run has ended.", Labels: ofRun()}

	trialsPlanned   = &family.Family{Name: "assay_run_trials_planned", Help: "Number of trials in the plan.", Labels: ofRun()}
	trialsRunning   = &family.Family{Name: "assay_run_trials_running", Help: "Number of trials that run: 0 or 1.", Labels: ofRun()}
	trialsSucceeded = &family.Family{Name: "assay_run_trials_succeeded", Help: "Number of trials with a result.", Labels: ofRun()}
	trialsFailed    = &family.Family{Name: "assay_run_trials_failed", Help: "Number of trials without a result.", Labels: ofRun()}
	trialsInvalid   = &family.Family{Name: "assay_run_trials_invalid", Help: "Number of succeeded trials whose result contradicts itself.", Labels: ofRun()}
	trialsDisturbed = &family.Family{Name: "assay_run_trials_disturbed", Help: "Number of succeeded trials with interference during the measurement.", Labels: ofRun()}
	trialRetries    = &family.Family{Name: "assay_run_trial_retries", Help: "Number of attempts beyond the first ones.", Labels: ofRun()}

	findings = &family.Family{
		Name: "assay_run_findings", Help: "Number of findings of a validity check among the last 20 of the run.",
		Labels: []string{labelNamespace, labelRun, labelCheck, labelSeverity},
	}
	comparisons = &family.Family{
		Name: "assay_run_comparisons", Help: "Number of comparisons with a verdict among the first 16 of the run.",
		Labels: []string{labelNamespace, labelRun, labelFamily, labelVerdict},
	}
	comparisonRatio = &family.Family{
		Name: "assay_run_comparison_ratio", Help: "Ratio of a value over its baseline, in a comparison of the primary family.",
		Labels: []string{labelNamespace, labelRun, labelCell, labelTarget, family.LabelMeasurement, labelFactor, labelValue, labelBaseline, labelVerdict},
	}

	resultMedian = &family.Family{Name: "assay_run_result_median", Help: "Median of a measurement over the counted trials of a finished run, in base units.", Labels: ofResult()}
	resultLow    = &family.Family{Name: "assay_run_result_interval_low", Help: "Lower end of the confidence interval of that median (order statistics, a confidence of at least 95 %); absent for fewer than 6 trials.", Labels: ofResult()}
	resultHigh   = &family.Family{Name: "assay_run_result_interval_high", Help: "Upper end of that interval; absent for fewer than 6 trials.", Labels: ofResult()}
)

// Of the object store, since the manager started.
var storeRequests = &family.Family{
	Name: "assay_store_requests_total", Help: "Number of requests of the manager to the object store, by how they ended. It asks at least once in a minute (probe).",
	Labels: []string{labelOperation, labelOutcome}, Counter: true,
}

// Of reports, since the manager started.
var reportsEnded = &family.Family{
	Name: "assay_reports_total", Help: "Number of reports of runs that have ended, by what became of them. The status of the run has the reason.",
	Labels: []string{labelOutcome}, Counter: true,
}

// Of notifications, since the manager started.
var (
	notificationsEnded = &family.Family{
		Name: "assay_notifications_total", Help: "Number of notifications that ended: delivered, refused (the receiver wants no more), given_up (too old), or lost (the run was deleted before).",
		Labels: []string{labelReceiver, labelType, labelOutcome}, Counter: true,
	}
	notificationAttempts = &family.Family{
		Name: "assay_notification_attempts_total", Help: "Number of requests to a receiver: delivered, refused, or undelivered.",
		Labels: []string{labelReceiver, labelOutcome}, Counter: true,
	}
	notificationsWaiting = &family.Family{
		Name: "assay_notifications_waiting", Help: "Number of notifications that failed at least once and are tried again.", Labels: []string{labelReceiver},
	}
)

// Names of labels.
const (
	labelNamespace  = "namespace"
	labelRun        = "run"
	labelPhase      = "phase"
	labelCondition  = "condition"
	labelStatus     = "status"
	labelReason     = "reason"
	labelCheck      = "check"
	labelSeverity   = "severity"
	labelFamily     = "family"
	labelVerdict    = "verdict"
	labelCell       = "cell"
	labelParameters = "parameters"
	labelTarget     = "target"
	labelFactor     = "factor"
	labelValue      = "value"
	labelBaseline   = "baseline"
	labelOperation  = "operation"
	labelOutcome    = "outcome"
	labelReceiver   = "receiver"
	labelType       = "type"
	labelSchedule   = "schedule"
	labelSource     = "source"
	labelConfirmed  = "confirmed"
	labelSince      = "since"
	labelEffect     = "effect"
	labelRegistry   = "registry"
)

// descs are the families for the registry. To make one costs more than to make a series.
var descs = sync.OnceValue(func() map[*family.Family]*prometheus.Desc {
	out := map[*family.Family]*prometheus.Desc{}
	for _, s := range computed() {
		for _, f := range s.Families {
			out[f] = prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
		}
	}
	return out
})

func ofRun() []string { return []string{labelNamespace, labelRun} }

func ofResult() []string {
	return []string{labelNamespace, labelRun, labelCell, labelParameters, labelTarget, family.LabelMeasurement, family.LabelOf, family.LabelUnit}
}

// Sections of the reference: every metric of the manager that is not one of controller-runtime.
func Sections() []family.Section { return append(computed(), counted()...) }

// computed from the objects, by the collector.
func computed() []family.Section {
	return []family.Section{
		{Title: "All runs", Text: "Sums over all runs in the namespaces of the manager. No bound leaves a run out.", Families: []*family.Family{
			runs, queueRuns, queueWait, nodesHeld, namespaceNodesHeld, planningRuns, plansKept, plansBytes,
		}},
		{Title: "Each run", Text: "At most `metrics.runs` runs have series of their own: namespaces take turns, and in each the runs that go on come first, then those that ended last.", Families: []*family.Family{
			runPhase, runSchedule, runCondition, runAccepted, runStarted, runCompleted, runEstimated, trialsPlanned, trialsRunning, trialsSucceeded, trialsFailed, trialsInvalid, trialsDisturbed, trialRetries,
		}},
		{Title: "Results", Text: "Of runs that have ended, in the order of `status.summary`, at most 32 values of a run. Units are base units: seconds, bytes, and ratios for percentages.", Families: []*family.Family{
			comparisons, resultMedian, resultLow, resultHigh, comparisonRatio, findings,
		}},
		scheduleSection(), baselineSection(),
		{Title: "Bounds", Text: "What was left out. A tenant can exceed the bounds only at the cost of the objects of its own namespace.", Families: []*family.Family{
			collected, droppedRuns, droppedSchedules, droppedBaselines, droppedSeries,
		}},
	}
}

// counted since the manager started, each by a vector of its own in the registry.
func counted() []family.Section {
	return []family.Section{
		{Title: "Object store", Text: "Only with `results.store`.", Families: []*family.Family{storeRequests}},
		{Title: "Reports", Text: "See [The stored report](../guide/read-the-result.md#the-stored-report).", Families: []*family.Family{reportsEnded}},
		{Title: "Registries", Text: "Only with `registries.ask`: [A tag that moved](../guide/schedule.md#a-tag-that-moved).", Families: []*family.Family{registryRequests}},
		{Title: "Notifications", Text: "Only with `notifications.receivers`. See [Be told](../guide/notifications.md).", Families: []*family.Family{
			notificationsEnded, notificationAttempts, notificationsWaiting,
		}},
	}
}
