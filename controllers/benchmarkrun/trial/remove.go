package trial

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// RemoveEnded deletes the Jobs and the trial ConfigMaps of executions whose outcome stands
// in the journal or the status, unless they are to be retained. At is the attempt that
// comes next.
func RemoveEnded(in Input, at journal.Position, ask *decision.Asking) []decision.Action {
	run, children := in.Run, in.Children
	if run.Spec.Retain == v1alpha1.RetainAlways {
		return nil
	}
	out := removeStanding(in, at, ask)
	for _, name := range children.JobNames() {
		job := children.Jobs[name]
		if !OutcomeKnown(run, job, at) || !job.DeletionTimestamp.IsZero() || run.Spec.Retain == v1alpha1.RetainOnFailure && hasFailed(job) {
			continue
		}
		out = append(out, decision.Delete{Object: job})
		if meta := ask.Metadata(name); meta.Exists {
			out = append(out, decision.Delete{Object: meta.Value})
		}
	}
	return out
}

// OutcomeKnown says whether what became of a Job is written down. At is the attempt that
// comes next.
func OutcomeKnown(run *v1alpha1.BenchmarkRun, job *batchv1.Job, at journal.Position) bool {
	if target := job.Labels[v1alpha1.LabelTarget]; job.Name == contract.ReloadName(run.Name, target, run.Status.Releases) {
		return run.TargetStatus(target).LoadResult != ""
	}
	index, err1 := strconv.ParseInt(job.Labels[v1alpha1.LabelTrial], 10, 32)
	attempt, err2 := strconv.ParseInt(job.Labels[v1alpha1.LabelAttempt], 10, 32)
	if err1 != nil || err2 != nil {
		return false
	}
	return int32(index) < at.Index || int32(index) == at.Index && int32(attempt) < at.Attempt
}

func hasFailed(job *batchv1.Job) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return job.Status.Failed > 0
}
