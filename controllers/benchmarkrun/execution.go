package benchmarkrun

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/internal/workload"
	"github.com/assay-bench/assay/runners/runner"
)

// execution is one phase of the workload on one target, by one client Job.
type execution struct {
	// name of the Job and of the trial's ConfigMap.
	name string
	ref  result.TrialRef
	// busy is how long the tool works, as far as the spec says.
	busy time.Duration
}

// end is how an execution ended. An empty reason means that it succeeded.
type end struct {
	reason, message string
	// result is nil when none arrived.
	result *result.Result
	// pod is nil when it is gone.
	pod *corev1.Pod
}

func lost(v workload.Verdict, pod *corev1.Pod) *end {
	return &end{reason: v.Reason, message: v.Message, pod: pod}
}

// advance brings an execution one step further. It returns how the execution
// ended, or nil and what it waits for.
func (r *Reconciler) advance(ctx context.Context, s *scope, e execution) (*end, outcome, error) {
	job := s.jobs[e.name]
	if job == nil {
		return r.begin(ctx, s, e)
	}
	// The client's own word comes before the kubelet's, which is up to a second late.
	if err := r.openBarrier(ctx, s, e); err != nil {
		return nil, outcome{}, err
	}
	pod := s.clientPods[e.name]
	if pod == nil {
		if v, ok := workload.JobFailure(job); ok {
			return lost(v, nil), outcome{}, nil
		}
		if job.Status.Active > 0 || job.Status.Failed > 0 || job.Status.Succeeded > 0 {
			return nil, waitFor(v1alpha1.ReasonProgressing, "%s: waiting for the end of the Job", e.name), nil
		}
		v := workload.Missing(job.CreationTimestamp.Time, r.Config.Limits, s.now)
		if v.State == workload.Failed {
			return lost(v, nil), outcome{}, nil
		}
		return nil, waitFor(v.Reason, "%s: %s", e.name, v.Message), nil
	}
	v := workload.Client(pod, resources.RunnerContainer, r.Config.Limits, s.now)
	switch v.State {
	case workload.Ended:
		end, err := r.collect(ctx, s, e, v.Terminated)
		if end != nil {
			end.pod = pod
		}
		return end, outcome{}, err
	case workload.Failed:
		if jv, ok := workload.JobFailure(job); ok {
			v = jv
		}
		return lost(v, pod), outcome{}, nil
	case workload.Running:
		return nil, waitFor(v1alpha1.ReasonProgressing, "%s: running", e.name), nil
	}
	return nil, waitFor(v.Reason, "%s: %s", e.name, v.Message), nil
}

// begin creates the objects of an execution that has not begun. The Job comes
// last, the result before it: a result that bears a mark without a Job tells that
// the execution did begin and that its Job was taken away.
func (r *Reconciler) begin(ctx context.Context, s *scope, e execution) (*end, outcome, error) {
	if s.run.Spec.Suspend {
		return nil, waitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back before %s", e.name), nil
	}
	c := r.client(s, e)
	out := c.ResultConfigMap()
	created, err := r.ensure(ctx, s, out)
	if err != nil {
		return nil, outcome{}, err
	}
	if !created && (out.Annotations[v1alpha1.AnnotationReady] != "" || len(out.BinaryData) > 0) {
		// The cache may not know yet of a Job that exists.
		if err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: e.name}, &batchv1.Job{}); !apierrors.IsNotFound(err) {
			return nil, waitFor(v1alpha1.ReasonProgressing, "%s: running", e.name), err
		}
		return &end{reason: v1alpha1.ReasonClientLost, message: fmt.Sprintf(
			"Job %s was deleted while it ran; its outcome is not known, and it is not repeated", e.name)}, outcome{}, nil
	}
	if _, err := r.ensure(ctx, s, c.TrialConfigMap()); err != nil {
		return nil, outcome{}, err
	}
	if err := r.grant(ctx, s, c); err != nil {
		return nil, outcome{}, err
	}
	if _, err := r.ensure(ctx, s, c.Job()); err != nil {
		return nil, outcome{}, err
	}
	return nil, waitFor(v1alpha1.ReasonProgressing, "%s: started", e.name), nil
}

// client is what the objects of an execution are built from.
func (r *Reconciler) client(s *scope, e execution) resources.Client {
	t := s.target(e.ref.Target)
	limits := r.Config.Limits
	timeout := limits.Scheduling.Duration + limits.PodStart.Duration + e.busy + limits.TrialGrace.Duration
	c := resources.Client{
		Run: s.run, Name: e.name, Image: s.run.Status.Resolved.RunnerImage, Shape: s.run.Status.Resolved.ClientShape,
		CredentialsSecret: v1alpha1.TargetName(s.run.Name, t.Name), Timeout: timeout,
		Trial: runner.Trial{
			Version: runner.TrialVersion, Ref: e.ref, Runner: s.runner.Name, Workload: s.workload,
			WarmupSeconds:   int64(s.run.Spec.Design.Warmup.Seconds()),
			DurationSeconds: int64(s.run.Spec.Design.Duration.Seconds()),
			Deadline:        s.now.Add(timeout).UTC(),
		},
	}
	if t.External != nil {
		c.CredentialsSecret = t.External.Credentials.Name
		c.Trial.Endpoint = runner.Endpoint{
			Host: t.External.Host, Port: t.External.Port, Database: t.External.Database, TLS: runner.TLSMode(t.External.TLS),
		}
		return c
	}
	c.Trial.Endpoint = runner.Endpoint{
		Host: s.builder(t).Address(), Port: resources.DatabasePort, Database: resources.Database,
		TLS: runner.TLSDisabled, StorageEngine: t.MySQL.StorageEngine,
	}
	return c
}

// openBarrier publishes the start time once the client can start. Phases other
// than Run have no barrier.
func (r *Reconciler) openBarrier(ctx context.Context, s *scope, e execution) error {
	trial, out := s.configMaps[e.name], s.configMaps[v1alpha1.ResultName(e.name, 0)]
	if e.ref.Phase != string(runner.Run) || trial == nil || trial.Data[v1alpha1.KeyStart] != "" ||
		out == nil || out.Annotations[v1alpha1.AnnotationReady] == "" {
		return nil
	}
	before := trial.DeepCopy()
	trial = trial.DeepCopy()
	trial.Data[v1alpha1.KeyStart] = s.now.UTC().Format(time.RFC3339Nano)
	// The lock keeps a second manager from publishing another time.
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, trial, patch); err != nil {
		return fmt.Errorf("publishing the start of %s: %w", e.name, client.IgnoreNotFound(err))
	}
	return nil
}

// collect reads the result of a client that ended, and believes it only if it is
// the one that the client announced.
func (r *Reconciler) collect(ctx context.Context, s *scope, e execution, t *corev1.ContainerStateTerminated) (*end, error) {
	if t.Reason == "OOMKilled" {
		return &end{reason: v1alpha1.ReasonClientOOMKilled, message: fmt.Sprintf(
			"the client of %s needed more memory than its shape has: take a larger shape", e.name)}, nil
	}
	told, err := result.ParseTermination([]byte(t.Message))
	if err != nil {
		return &end{reason: v1alpha1.ReasonResultMissing, message: fmt.Sprintf(
			"the client of %s ended with code %d (%s) and announced no result: %v", e.name, t.ExitCode, t.Reason, err)}, nil
	}
	if told.SHA256 == "" {
		return &end{reason: orDefault(string(told.Reason), v1alpha1.ReasonResultMissing), message: told.Message}, nil
	}
	cm := &corev1.ConfigMap{}
	key := types.NamespacedName{Namespace: s.run.Namespace, Name: v1alpha1.ResultName(e.name, 0)}
	if err := r.Live.Get(ctx, key, cm); err != nil {
		if !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("reading the result of %s: %w", e.name, err)
		}
		return &end{reason: v1alpha1.ReasonResultMissing, message: "ConfigMap " + key.Name + " was deleted while the client ran"}, nil
	}
	res, err := checkResult(cm, told.SHA256, e.ref)
	if err != nil {
		return &end{reason: v1alpha1.ReasonResultContradictory, message: fmt.Sprintf("%s: %v", key.Name, err)}, nil
	}
	out := &end{result: res}
	if res.State == result.Failed {
		out.reason, out.message = string(res.Failure.Reason), res.Failure.Message
	}
	return out, nil
}

// checkResult decodes a result after checking that it is what was announced.
func checkResult(cm *corev1.ConfigMap, sha string, ref result.TrialRef) (*result.Result, error) {
	data := cm.BinaryData[result.KeyResult]
	if got := result.Digest(data); got != sha {
		return nil, fmt.Errorf("the result (%d bytes, SHA-256 %.12s) is not the one that the client announced (%.12s)", len(data), got, sha)
	}
	res, err := result.Decode(data)
	if err != nil {
		return nil, err
	}
	if got := result.Digest(cm.BinaryData[result.KeyRaw]); got != res.RawSHA256 {
		return nil, fmt.Errorf("the raw output (SHA-256 %.12s) is not the one that the result names (%.12s)", got, res.RawSHA256)
	}
	if !sameTrial(res.Trial, ref) {
		return nil, fmt.Errorf("the result is of %+v, not of %+v", res.Trial, ref)
	}
	return &res, nil
}

func sameTrial(a, b result.TrialRef) bool {
	same := func(x, y *int) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return a.RunUID == b.RunUID && a.Phase == b.Phase && a.Target == b.Target && a.Client == b.Client &&
		same(a.Index, b.Index) && same(a.Block, b.Block)
}
