package metrics

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/ground/family"
)

// Sums over all runs, whatever the bounds.
var (
	runs = gauge("assay_runs", "namespace phase", "Number of runs in a phase.")

	queueRuns = gauge("assay_queue_runs", "namespace", "Number of runs that wait for nodes.")
	queueWait = gauge("assay_queue_oldest_wait_seconds", "namespace",
		"How long the run has waited for nodes that waits longest; absent while none does.")

	nodesHeld = gauge("assay_nodes_held", "",
		"Number of nodes that runs hold. One that several runs share counts once. Nodes of runs that have ended count while "+
			"their pods are retained.")
	namespaceNodesHeld = gauge("assay_namespace_nodes_held", "namespace", "Number of nodes that the runs of a namespace hold.")

	planningRuns = gauge("assay_planning_runs", "", "Number of runs whose plan is not complete yet, because it takes several passes.")
	plansKept    = gauge("assay_plans_kept", "", "Number of plans in the memory of the manager.")
	plansBytes   = gauge("assay_plans_kept_bytes", "", "Estimated memory of these plans.")
)

// What the bounds left out, and whether the cache could be read.
var (
	collected = gauge("assay_metrics_collected", "",
		"1 when runs, schedules and baselines could be read for this scrape, 0 when not: then all metrics of them are absent.")
	droppedRuns = gauge("assay_metrics_dropped_runs", "",
		"Number of runs without series of their own, because of the bound metrics.runs.")
	droppedSchedules = gauge("assay_metrics_dropped_schedules", "",
		"Number of schedules without series of their own, because of the same bound.")
	droppedBaselines = gauge("assay_metrics_dropped_baselines", "",
		"Number of baselines without series of their own, because of the same bound.")
	droppedSeries = gauge("assay_metrics_dropped_series", "",
		"Number of series of these objects that were left out, because of the bound metrics.seriesPerRun or because the "+
			"manager keeps only the first values of a run or of a baseline.")
)

// Of one run.
var (
	runPhase     = gauge("assay_run_phase", "namespace run phase", "1, for the current phase of the run.")
	runCondition = gauge("assay_run_condition", "namespace run condition status reason",
		"1, for a condition of the run (Complete, Failed, Passed, Suspended or Valid) with its current status and reason.")
	runSchedule = gauge("assay_run_schedule", "namespace run schedule", "1, for the schedule that started the run; absent for other runs.")
	runAccepted = gauge("assay_run_accepted_timestamp_seconds", "namespace run",
		"When the run was accepted: its place in the queue counts from here.")
	runStarted   = gauge("assay_run_start_timestamp_seconds", "namespace run", "When the run got its nodes.")
	runCompleted = gauge("assay_run_completion_timestamp_seconds", "namespace run", "When the run ended.")
	runEstimated = gauge("assay_run_estimated_completion_timestamp_seconds", "namespace run",
		"When the last trial is expected to end; absent once the run has ended.")

	trialsPlanned   = gauge("assay_run_trials_planned", "namespace run", "Number of trials in the plan.")
	trialsRunning   = gauge("assay_run_trials_running", "namespace run", "Number of trials that run: 0 or 1.")
	trialsSucceeded = gauge("assay_run_trials_succeeded", "namespace run", "Number of trials with a result.")
	trialsFailed    = gauge("assay_run_trials_failed", "namespace run", "Number of trials without a result.")
	trialsInvalid   = gauge("assay_run_trials_invalid", "namespace run", "Number of succeeded trials whose result contradicts itself.")
	trialsDisturbed = gauge("assay_run_trials_disturbed", "namespace run",
		"Number of succeeded trials with interference during the measurement.")
	trialRetries = gauge("assay_run_trial_retries", "namespace run", "Number of attempts beyond the first ones.")

	findings = gauge("assay_run_findings", "namespace run check severity",
		"Number of findings of a validity check among the last 20 of the run.")
	comparisons = gauge("assay_run_comparisons", "namespace run family verdict",
		"Number of comparisons with a verdict among the first 16 of the run.")
	comparisonRatio = gauge("assay_run_comparison_ratio", "namespace run cell target measurement factor value baseline verdict",
		"Ratio of a value over its baseline, in a comparison of the primary family. Where the comparison declares sides that differ in "+
			"more than the factor, the baseline says in what, such as mysql{scheme=SingleRow}.")

	resultMedian = gauge("assay_run_result_median", resultLabels,
		"Median of a measurement over the counted trials of a finished run, in base units.")
	resultLow = gauge("assay_run_result_interval_low", resultLabels,
		"Lower end of the confidence interval of that median (order statistics, a confidence of at least 95 %); absent for "+
			"fewer than 6 trials.")
	resultHigh = gauge("assay_run_result_interval_high", resultLabels, "Upper end of that interval; absent for fewer than 6 trials.")
)

// Of the object store, since the manager started.
var storeRequests = counter("assay_store_requests_total", "operation outcome",
	"Number of requests of the manager to the object store, by how they ended. It asks at least once in a minute (probe).")

// Of reports, since the manager started.
var reportsEnded = counter("assay_reports_total", "outcome",
	"Number of reports of runs that have ended, by what became of them. The status of the run has the reason.")

// Of notifications, since the manager started.
var (
	notificationsEnded = counter("assay_notifications_total", "receiver type outcome",
		"Number of notifications that ended: delivered, refused (the receiver wants no more), given_up (too old), or lost (the "+
			"run was deleted before).")
	notificationAttempts = counter("assay_notification_attempts_total", "receiver outcome",
		"Number of requests to a receiver: delivered, refused, or undelivered.")
	notificationsWaiting = gauge("assay_notifications_waiting", "receiver",
		"Number of notifications that failed at least once and are tried again.")
)

// resultLabels are those of the final values of runs.
const resultLabels = "namespace run cell parameters target measurement of unit"

// gauge with some labels, in the order of their values.
func gauge(name, labels, help string) *family.Family {
	return &family.Family{Name: name, Help: help, Labels: strings.Fields(labels)}
}

// counter is what only grows while its process lives.
func counter(name, labels, help string) *family.Family {
	f := gauge(name, labels, help)
	f.Counter = true
	return f
}

// vector in a registry that counts what the manager does.
func vector(f *family.Family) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: f.Help}, f.Labels)
}

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

// Sections of the reference: every metric of the manager that is not one of controller-runtime.
func Sections() []family.Section { return append(computed(), counted()...) }

// computed from the objects, by the collector.
func computed() []family.Section {
	return []family.Section{
		{Title: "All runs", Text: "Sums over all runs in the namespaces of the manager. No bound leaves a run out.", Families: []*family.Family{
			runs, queueRuns, queueWait, nodesHeld, namespaceNodesHeld, planningRuns, plansKept, plansBytes,
		}},
		{Title: "Each run", Text: "At most `metrics.runs` runs have series of their own: namespaces take turns, and in each " +
			"the runs that go on come first, then those that ended last.", Families: []*family.Family{
			runPhase, runSchedule, runCondition, runAccepted, runStarted, runCompleted, runEstimated, trialsPlanned, trialsRunning,
			trialsSucceeded, trialsFailed, trialsInvalid, trialsDisturbed, trialRetries,
		}},
		{Title: "Results", Text: "Of runs that have ended, in the order of `status.summary`, at most 32 values of a run. " +
			"Units are base units: seconds, bytes, and ratios for percentages.", Families: []*family.Family{
			comparisons, resultMedian, resultLow, resultHigh, comparisonRatio, findings,
		}},
		{Title: "Schedules", Text: "As many schedules as `metrics.runs` have series of their own: namespaces take turns, and in each " +
			"those come first whose time was missed or that became slower. They go with the schedule.", Families: []*family.Family{
			schedules, scheduleCondition, scheduleNext, scheduleLast, scheduleEnded, scheduleSucceeded, scheduleActive, scheduleMissed, scheduleHistory,
			scheduleLastRun, scheduleBaseline, scheduleLimit, scheduleRegression,
		}},
		{Title: "Baselines", Text: "As many baselines as `metrics.runs` have series of their own, at most 32 measurements of each, " +
			"in the order of `spec.measurements`.", Families: []*family.Family{
			baselineValue, baselinePromoted,
		}},
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
