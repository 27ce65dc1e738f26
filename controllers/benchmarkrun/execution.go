package benchmarkrun

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/podhealth"
)

// startLead is how far ahead the start of several clients is published: by then the
// last of them has heard of it.
const startLead = 500 * time.Millisecond

// settle is the pause of several clients between the warm-up, which ends at no exact
// time, and the measured window, and before a window without a warm-up.
const settle = time.Second

// execution is one phase of the workload on one target, by one client Job.
type execution struct {
	// name of the Job and of the trial's ConfigMap.
	name string
	// ref of the first client.
	ref     contract.TrialRef
	attempt int32
	// clients that work together, at least 1.
	clients int
	// workload of the cell as JSON.
	workload []byte
	// snapshot of the data after loading.
	snapshot bool
	// reset of the data before the trial; empty for none.
	reset string
	// busy is how long the clients work, as far as the spec says.
	busy time.Duration
}

// end is how an execution ended. An empty reason means that it succeeded.
type end struct {
	reason, message string
	// results of the clients, in their order; fewer than there are clients when the
	// execution failed.
	results []contract.Result
	// pods of the clients that are still there, in their order.
	pods []*corev1.Pod
	// at is when the first client ended that failed; zero when that is not known.
	at time.Time
}

// result of the first client; nil when there is none.
func (e *end) result() *contract.Result {
	if len(e.results) == 0 {
		return nil
	}
	return &e.results[0]
}

func lost(v podhealth.Verdict, pods []*corev1.Pod) *end {
	return &end{reason: v.Reason, message: v.Message, pods: pods}
}

// advance brings an execution one step further. It returns how the execution
// ended, or nil and what it waits for.
func (r *Reconciler) advance(ctx context.Context, s *scope, e execution) (*end, outcome, error) {
	job := s.jobs[e.name]
	if job == nil {
		return r.begin(ctx, s, e)
	}
	progress := waitFor(v1alpha1.ReasonProgressing, "%s: running", e.name)
	// The clients' own word comes before the kubelet's, which is up to a second late.
	gone, err := r.openBarrier(ctx, s, e)
	if err != nil || gone != nil {
		return gone, outcome{}, err
	}
	pods := s.clientPods[e.name]
	if len(pods) == 0 {
		return r.withoutPods(s, e, job)
	}
	wait := progress
	var ended []endedClient
	failed := false
	for _, pod := range pods {
		seen, err := r.see(ctx, pod)
		if err != nil {
			return nil, outcome{}, err
		}
		switch v := podhealth.Client(seen, resources.RunnerContainer, r.Config.Limits, s.now); v.State {
		case podhealth.Ended:
			ended = append(ended, endedClient{pod, v})
			failed = failed || v.Terminated.ExitCode != 0
		case podhealth.Failed:
			if jv, ok := podhealth.JobFailure(job); ok && v.Reason == v1alpha1.ReasonClientLost {
				v = jv
			}
			return lost(v, pods), outcome{}, nil
		case podhealth.Running:
		default:
			wait = waitFor(v.Reason, "%s: %s", e.name, v.Message)
		}
	}
	// After a failure the Job ends the other clients: nothing is gained by waiting.
	if failed || len(ended) == e.clients {
		end, err := r.collect(ctx, s, e, ended)
		return end, outcome{}, err
	}
	if v, ok := podhealth.JobFailure(job); ok && len(ended) == len(pods) {
		return lost(v, pods), outcome{}, nil
	}
	return nil, wait, nil
}

// endedClient is the pod of a client that ended, and what is known of its end.
type endedClient struct {
	pod     *corev1.Pod
	verdict podhealth.Verdict
}

// withoutPods judges a Job that has no pod: not yet, or not any more.
func (r *Reconciler) withoutPods(s *scope, e execution, job *batchv1.Job) (*end, outcome, error) {
	if v, ok := podhealth.JobFailure(job); ok {
		return lost(v, nil), outcome{}, nil
	}
	if job.Status.Active > 0 || job.Status.Failed > 0 || job.Status.Succeeded > 0 {
		return nil, waitFor(v1alpha1.ReasonProgressing, "%s: running", e.name), nil
	}
	v := podhealth.Missing(job.CreationTimestamp.Time, r.Config.Limits, s.now)
	if v.State == podhealth.Failed {
		return lost(v, nil), outcome{}, nil
	}
	return nil, waitFor(v.Reason, "%s: %s", e.name, v.Message), nil
}

// see looks at a pod and at the node that it runs on. Only the API server knows for
// sure that a node is gone.
func (r *Reconciler) see(ctx context.Context, pod *corev1.Pod) (podhealth.Seen, error) {
	seen := podhealth.Seen{Pod: pod}
	if pod == nil || pod.Spec.NodeName == "" {
		return seen, nil
	}
	node, key := &corev1.Node{}, types.NamespacedName{Name: pod.Spec.NodeName}
	err := r.Client.Get(ctx, key, node)
	if apierrors.IsNotFound(err) {
		err = r.Live.Get(ctx, key, node)
	}
	switch {
	case err == nil:
		seen.Node, seen.NodeKnown = node, true
	case apierrors.IsNotFound(err):
		seen.NodeKnown = true
	default:
		return seen, fmt.Errorf("reading node %s: %w", key.Name, err)
	}
	return seen, nil
}

// begin creates the objects of an execution that has not begun. The Job comes
// last, the results before it: a result that bears a mark without a Job tells that
// the execution did begin and that its Job was taken away.
func (r *Reconciler) begin(ctx context.Context, s *scope, e execution) (*end, outcome, error) {
	if s.run.Spec.Suspend {
		return nil, waitFor(v1alpha1.ReasonSuspended, "spec.suspend holds the run back before %s", e.name), nil
	}
	if wait, err := r.stopOthers(ctx, s); err != nil || wait != nil {
		return nil, deref(wait), err
	}
	if err := r.checkInputs(ctx, s); err != nil {
		return nil, outcome{}, err
	}
	c, err := r.client(ctx, s, e)
	if err != nil {
		return nil, outcome{}, err
	}
	for _, out := range c.ResultConfigMaps() {
		created, err := r.ensure(ctx, s, out)
		if err != nil {
			return nil, outcome{}, err
		}
		if !created && (out.Annotations[v1alpha1.AnnotationReady] != "" || len(out.BinaryData) > 0) {
			return r.takenAway(ctx, s, e)
		}
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
	return nil, waitFor(v1alpha1.ReasonProgressing, "%s: running", e.name), nil
}

// takenAway ends an execution that did begin, but whose Job is gone.
func (r *Reconciler) takenAway(ctx context.Context, s *scope, e execution) (*end, outcome, error) {
	// The cache may not know yet of a Job that exists.
	if err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: e.name}, &batchv1.Job{}); !apierrors.IsNotFound(err) {
		return nil, waitFor(v1alpha1.ReasonProgressing, "%s: running", e.name), err
	}
	return &end{reason: v1alpha1.ReasonClientLost, message: fmt.Sprintf(
		"Job %s was deleted while it ran; its outcome is not known", e.name)}, outcome{}, nil
}

// stopOthers makes sure that no client of an earlier execution is at work when the
// next one begins: two would be measured as one.
func (r *Reconciler) stopOthers(ctx context.Context, s *scope) (*outcome, error) {
	name, working := s.working()
	if !working {
		return nil, nil
	}
	if job := s.jobs[name]; job != nil {
		if err := r.remove(ctx, job); err != nil {
			return nil, err
		}
	}
	return new(waitFor(v1alpha1.ReasonProgressing, "waiting for the clients of %s to stop", name)), nil
}

// client is what the objects of an execution are built from.
func (r *Reconciler) client(ctx context.Context, s *scope, e execution) (resources.Client, error) {
	t := s.target(e.ref.Target)
	limits := r.Config.Limits
	timeout := limits.Scheduling.Duration + limits.PodStart.Duration + e.busy + limits.TrialGrace.Duration
	image, pods, err := s.runnerImage(e.workload)
	if err != nil {
		return resources.Client{}, err
	}
	c := resources.Client{
		Run: s.run, Name: e.name, Attempt: e.attempt,
		Image: image, PullPolicy: corev1.PullIfNotPresent, Shape: s.run.Status.Resolved.ClientShape,
		CredentialsSecret: contract.TargetName(s.run.Name, t.Name), Nodes: s.run.Status.Placement.ClientNodeNames, Timeout: timeout,
		Trial: s.trialOf(e, s.now.Add(timeout).UTC()),
	}
	if in := s.run.Status.Resolved.Inputs; in != nil {
		c.Inputs = in.ConfigMap
	}
	if pods.Image != "" {
		c.UseImage(s.run.Status.Resolved.AgentImage, corev1.PullPolicy(pods.PullPolicy), pods.PullSecrets)
	}
	if t.External != nil {
		c.CredentialsSecret = t.External.Credentials.Name
	} else {
		c.CredentialKeys = s.builder(t).ClientKeys()
		if pod := s.targetPod(t.Name); pod != nil {
			c.Began = podhealth.BeganAs(pod, resources.ServerContainer).String()
		}
	}
	if e.reset != "" {
		tables, err := r.loadedTables(ctx, s, t.Name)
		if err != nil {
			return c, err
		}
		c.Trial.Reset = &contract.Reset{Method: e.reset, Tables: tables}
	}
	return c, nil
}

// trialOf is what the clients of an execution are told.
func (s *scope) trialOf(e execution, deadline time.Time) contract.Trial {
	t := s.target(e.ref.Target)
	trial := contract.Trial{
		Version: contract.TrialVersion, Ref: e.ref, Runner: s.runner.Name, Workload: e.workload, Clients: e.clients,
		Measurement:     s.measurement(),
		WarmupSeconds:   int64(s.run.Spec.Design.Warmup.Seconds()),
		DurationSeconds: int64(s.run.Spec.Design.Duration.Seconds()),
		Snapshot:        e.snapshot,
		Deadline:        deadline,
		Demand:          s.demand.all,
		Seed:            s.seed(),
		SharedServer:    sharesServer(s.run.Spec.Targets, t),
	}
	if e.clients > 1 {
		trial.SettleSeconds = settle.Seconds()
	}
	if trial.Measurement != nil {
		trial.DurationSeconds = int64(e.busy.Seconds())
	}
	if s.runner.Skips != nil && s.runner.Skips(trial, contract.PhaseWarmup) {
		trial.WarmupSeconds = 0 // nobody would do anything meanwhile
	}
	if t.External != nil {
		trial.Endpoint = externalEndpoint(t.External)
		return trial
	}
	address := s.builder(t).Address()
	trial.Replicas = s.replicaAgents(t)
	trial.Agent = fmt.Sprintf("%s:%d", address, resources.AgentPort)
	trial.Endpoint = contract.Endpoint{
		Host: address, Port: resources.DatabasePort, Database: resources.Database,
		TLS: contract.TLSMode(orDefault(string(t.MySQL.TLS), string(v1alpha1.TLSDisabled))), StorageEngine: t.MySQL.StorageEngine,
	}
	return trial
}

// externalEndpoint is where a server answers that Assay does not provide.
func externalEndpoint(e *v1alpha1.ExternalTarget) contract.Endpoint {
	tls := contract.TLSMode(orDefault(string(e.TLS), string(v1alpha1.TLSDisabled)))
	if e.JDBC != nil {
		return contract.Endpoint{TLS: tls, JDBC: &contract.JDBC{URL: e.JDBC.URL, Driver: e.JDBC.Driver}}
	}
	return contract.Endpoint{Host: e.Host, Port: e.Port, Database: e.Database, TLS: tls}
}

// openBarrier publishes the start time once every client can start. Phases other
// than Run have no barrier. A result that was deleted ends the execution at once:
// its client would try to deliver it in vain until the deadline.
func (r *Reconciler) openBarrier(ctx context.Context, s *scope, e execution) (*end, error) {
	ready := true
	for i := range e.clients {
		name := contract.ResultName(e.name, i)
		out, err := r.metadata(ctx, s, name)
		if err != nil {
			return nil, err
		}
		if out == nil {
			ready = false
			// The cache may not know yet of an object that exists.
			err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: name}, &corev1.ConfigMap{})
			if apierrors.IsNotFound(err) {
				return &end{reason: v1alpha1.ReasonResultMissing, pods: s.clientPods[e.name],
					message: "ConfigMap " + name + " was deleted while the client ran: there is no place for its result"}, nil
			}
			if err != nil {
				return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
			}
			continue
		}
		ready = ready && out.Annotations[v1alpha1.AnnotationReady] != ""
	}
	if !ready || e.ref.Phase != string(contract.PhaseRun) {
		return nil, nil
	}
	meta, err := r.metadata(ctx, s, e.name)
	if err != nil || meta == nil || meta.Annotations[v1alpha1.AnnotationStart] != "" {
		return nil, err
	}
	return nil, r.publishStart(ctx, s, e)
}

func (r *Reconciler) publishStart(ctx context.Context, s *scope, e execution) error {
	trial := &corev1.ConfigMap{}
	if err := r.Live.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: e.name}, trial); err != nil {
		return fmt.Errorf("reading trial %s: %w", e.name, client.IgnoreNotFound(err))
	}
	if trial.Data[contract.KeyStart] != "" {
		return nil
	}
	start := r.Clock.Now()
	if e.clients > 1 {
		start = start.Add(startLead)
	}
	before := trial.DeepCopy()
	trial.Data[contract.KeyStart] = start.UTC().Format(time.RFC3339Nano)
	metav1.SetMetaDataAnnotation(&trial.ObjectMeta, v1alpha1.AnnotationStart, trial.Data[contract.KeyStart])
	// The lock keeps a second manager from publishing another time.
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, trial, patch); err != nil {
		return fmt.Errorf("publishing the start of %s: %w", e.name, client.IgnoreNotFound(err))
	}
	return nil
}

// collect reads the results of clients that ended.
func (r *Reconciler) collect(ctx context.Context, s *scope, e execution, clients []endedClient) (*end, error) {
	all := &end{}
	for _, c := range clients {
		all.pods = append(all.pods, c.pod)
		ref := e.ref
		ref.Client = clientIndex(c.pod)
		one, err := r.collectOne(ctx, s, e.name, ref, c.verdict.Terminated)
		if err != nil {
			return nil, err
		}
		all.results = append(all.results, one.results...)
		reason, message := c.verdict.Explain(one.reason, one.message)
		// A client that was told to stop says so because another one failed.
		if reason != "" && (all.reason == "" || all.reason == string(contract.ReasonInterrupted)) {
			all.reason, all.message, all.at = reason, message, c.verdict.Terminated.FinishedAt.Time
		}
	}
	return all, nil
}

// collectOne reads the result of one client, and believes it only if it is the one
// that the client announced.
func (r *Reconciler) collectOne(ctx context.Context, s *scope, job string, ref contract.TrialRef, t *corev1.ContainerStateTerminated) (*end, error) {
	told, err := contract.ParseTermination([]byte(t.Message))
	if err != nil {
		return &end{reason: v1alpha1.ReasonResultMissing, message: fmt.Sprintf(
			"client %d of %s ended with code %d (%s) and announced no result: %v", ref.Client, job, t.ExitCode, t.Reason, err)}, nil
	}
	if told.SHA256 == "" {
		return &end{reason: orDefault(string(told.Reason), v1alpha1.ReasonResultMissing), message: told.Message}, nil
	}
	cm := &corev1.ConfigMap{}
	key := types.NamespacedName{Namespace: s.run.Namespace, Name: contract.ResultName(job, ref.Client)}
	if err := r.Live.Get(ctx, key, cm); err != nil {
		if !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("reading the result of %s: %w", job, err)
		}
		return &end{reason: v1alpha1.ReasonResultMissing, message: "ConfigMap " + key.Name + " was deleted while the client ran"}, nil
	}
	res, err := checkResult(cm, told.SHA256, ref)
	if err != nil {
		return &end{reason: v1alpha1.ReasonResultContradictory, message: fmt.Sprintf("%s: %v", key.Name, err)}, nil
	}
	out := &end{results: []contract.Result{*res}}
	if res.State == contract.Failed {
		out.reason, out.message = string(res.Failure.Reason), res.Failure.Message
	}
	return out, nil
}

// checkResult decodes a result after checking that it is what was announced.
func checkResult(cm *corev1.ConfigMap, sha string, ref contract.TrialRef) (*contract.Result, error) {
	data := cm.BinaryData[contract.KeyResult]
	if got := contract.Digest(data); got != sha {
		return nil, fmt.Errorf("the result (%d bytes, SHA-256 %.12s) is not the one that the client announced (%.12s)", len(data), got, sha)
	}
	res, err := contract.Decode(data)
	if err != nil {
		return nil, err
	}
	if got := contract.Digest(cm.BinaryData[contract.KeyRaw]); got != res.RawSHA256 {
		return nil, fmt.Errorf("the raw output (SHA-256 %.12s) is not the one that the result names (%.12s)", got, res.RawSHA256)
	}
	if res.Trial.Cell == nil {
		// An agent of before cells and attempts were told: a run keeps its images over an upgrade.
		ref.Cell, ref.Attempt = nil, 0
	}
	if !res.Trial.SameTrial(ref) || res.Trial.Client != ref.Client {
		return nil, fmt.Errorf("the result is of %+v, not of %+v", res.Trial, ref)
	}
	return &res, nil
}
