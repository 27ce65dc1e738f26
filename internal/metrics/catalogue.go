package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
)

// family is a metric with its labels. All but the counters of the object store are gauges.
type family struct {
	name, help string
	labels     []string
	// counter says that it only grows, from the start of the manager on.
	counter bool
}

func (f *family) desc() *prometheus.Desc { return prometheus.NewDesc(f.name, f.help, f.labels, nil) }

// section is a part of the reference.
type section struct {
	title, text string
	families    []*family
}

// Sums over all runs, whatever the bounds.
var (
	runs = &family{name: "assay_runs", help: "Number of runs in a phase.", labels: []string{labelNamespace, labelPhase}}

	queueRuns = &family{name: "assay_queue_runs", help: "Number of runs that wait for nodes.", labels: []string{labelNamespace}}
	queueWait = &family{
		name: "assay_queue_oldest_wait_seconds", help: "How long the run has waited for nodes that waits longest; absent while none does.", labels: []string{labelNamespace},
	}

	nodesHeld          = &family{name: "assay_nodes_held", help: "Number of nodes that runs hold. One that several runs share counts once."}
	namespaceNodesHeld = &family{
		name: "assay_namespace_nodes_held", help: "Number of nodes that the runs of a namespace hold.", labels: []string{labelNamespace},
	}

	planningRuns = &family{name: "assay_planning_runs", help: "Number of runs whose plan is not complete yet, because it takes several passes."}
	plansKept    = &family{name: "assay_plans_kept", help: "Number of plans in the memory of the manager."}
	plansBytes   = &family{name: "assay_plans_kept_bytes", help: "Estimated memory of these plans."}
)

// What the bounds left out, and whether the cache could be read.
var (
	collected     = &family{name: "assay_metrics_collected", help: "1 when the runs could be read for this scrape, 0 when not: then all metrics of runs are absent."}
	droppedRuns   = &family{name: "assay_metrics_dropped_runs", help: "Number of runs without series of their own, because of the bound metrics.runs."}
	droppedSeries = &family{name: "assay_metrics_dropped_series", help: "Number of series of runs that were left out, because of the bound metrics.seriesPerRun or because the manager keeps only the first values of a run."}
)

// Of one run.
var (
	runPhase     = &family{name: "assay_run_phase", help: "1, for the current phase of the run.", labels: []string{labelNamespace, labelRun, labelPhase}}
	runCondition = &family{
		name: "assay_run_condition", help: "1, for a condition of the run (Complete, Failed, Passed, Suspended or Valid) with its current status and reason.",
		labels: []string{labelNamespace, labelRun, labelCondition, labelStatus, labelReason},
	}
	runAccepted  = &family{name: "assay_run_accepted_timestamp_seconds", help: "When the run was accepted: its place in the queue counts from here.", labels: ofRun()}
	runStarted   = &family{name: "assay_run_start_timestamp_seconds", help: "When the run got its nodes.", labels: ofRun()}
	runCompleted = &family{name: "assay_run_completion_timestamp_seconds", help: "When the run ended.", labels: ofRun()}
	runEstimated = &family{name: "assay_run_estimated_completion_timestamp_seconds", help: "When the last trial is expected to end; absent once the run has ended.", labels: ofRun()}

	trialsPlanned   = &family{name: "assay_run_trials_planned", help: "Number of trials in the plan.", labels: ofRun()}
	trialsRunning   = &family{name: "assay_run_trials_running", help: "Number of trials that run: 0 or 1.", labels: ofRun()}
	trialsSucceeded = &family{name: "assay_run_trials_succeeded", help: "Number of trials with a result.", labels: ofRun()}
	trialsFailed    = &family{name: "assay_run_trials_failed", help: "Number of trials without a result.", labels: ofRun()}
	trialsInvalid   = &family{name: "assay_run_trials_invalid", help: "Number of succeeded trials whose result contradicts itself.", labels: ofRun()}
	trialsDisturbed = &family{name: "assay_run_trials_disturbed", help: "Number of succeeded trials with interference during the measurement.", labels: ofRun()}
	trialRetries    = &family{name: "assay_run_trial_retries", help: "Number of attempts beyond the first ones.", labels: ofRun()}

	findings = &family{
		name: "assay_run_findings", help: "Number of findings of a validity check among the last 20 of the run.",
		labels: []string{labelNamespace, labelRun, labelCheck, labelSeverity},
	}
	comparisons = &family{
		name: "assay_run_comparisons", help: "Number of comparisons with a verdict among the first 16 of the run.",
		labels: []string{labelNamespace, labelRun, labelFamily, labelVerdict},
	}
	comparisonRatio = &family{
		name: "assay_run_comparison_ratio", help: "Ratio of a value over its baseline, in a comparison of the primary family.",
		labels: []string{labelNamespace, labelRun, labelCell, labelTarget, labelMeasurement, labelFactor, labelValue, labelBaseline, labelVerdict},
	}

	resultMedian = &family{name: "assay_run_result_median", help: "Median of a measurement over the counted trials of a finished run, in base units.", labels: ofResult()}
	resultLow    = &family{name: "assay_run_result_interval_low", help: "Lower end of the confidence interval of that median; absent for fewer than 6 trials.", labels: ofResult()}
	resultHigh   = &family{name: "assay_run_result_interval_high", help: "Upper end of the confidence interval of that median; absent for fewer than 6 trials.", labels: ofResult()}
)

// Of the object store, since the manager started.
var storeRequests = &family{
	name: "assay_store_requests_total", help: "Number of requests of the manager to the object store, by how they ended.",
	labels: []string{labelOperation, labelOutcome}, counter: true,
}

// Names of labels.
const (
	labelNamespace   = "namespace"
	labelRun         = "run"
	labelPhase       = "phase"
	labelCondition   = "condition"
	labelStatus      = "status"
	labelReason      = "reason"
	labelCheck       = "check"
	labelSeverity    = "severity"
	labelFamily      = "family"
	labelVerdict     = "verdict"
	labelCell        = "cell"
	labelParameters  = "parameters"
	labelTarget      = "target"
	labelMeasurement = "measurement"
	labelOf          = "of"
	labelUnit        = "unit"
	labelFactor      = "factor"
	labelValue       = "value"
	labelBaseline    = "baseline"
	labelOperation   = "operation"
	labelOutcome     = "outcome"
)

func ofRun() []string { return []string{labelNamespace, labelRun} }

func ofResult() []string {
	return []string{labelNamespace, labelRun, labelCell, labelParameters, labelTarget, labelMeasurement, labelOf, labelUnit}
}

// catalogue has every metric of the manager that is not one of controller-runtime.
func catalogue() []section {
	return []section{
		{"All runs", "Sums over all runs in the namespaces of the manager. No bound leaves a run out.", []*family{
			runs, queueRuns, queueWait, nodesHeld, namespaceNodesHeld, planningRuns, plansKept, plansBytes,
		}},
		{"Each run", "At most `metrics.runs` runs have series of their own: namespaces take turns, and in each the runs that go on come first, then those that ended last.", []*family{
			runPhase, runCondition, runAccepted, runStarted, runCompleted, runEstimated, trialsPlanned, trialsRunning, trialsSucceeded, trialsFailed, trialsInvalid, trialsDisturbed, trialRetries,
		}},
		{"Results", "Of runs that have ended, in the order of `status.summary`, at most 32 values of a run. Units are base units: seconds, bytes, and ratios for percentages.", []*family{
			comparisons, resultMedian, resultLow, resultHigh, comparisonRatio, findings,
		}},
		{"Bounds", "What was left out. A tenant can exceed the bounds only at the cost of the runs of its own namespace.", []*family{collected, droppedRuns, droppedSeries}},
		{"Object store", "Only with `results.store`.", []*family{storeRequests}},
	}
}
