package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/validity"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/podhealth"
)

// evidenceTime is how long after a client lost its server the kubelet is given to
// say what became of the server.
const evidenceTime = 5 * time.Second

// explain looks at the database for the cause of a failure that a client only saw
// from its side, and for a restart that no client noticed. It waits a moment where
// the cluster may not have told yet.
func (r *Reconciler) explain(ctx context.Context, s *scope, e execution, end *end) (*outcome, error) {
	if s.target(e.ref.Target).External != nil {
		return nil, nil
	}
	meta, err := r.metadata(ctx, s, e.name)
	if err != nil || meta == nil {
		return nil, err
	}
	began, err := podhealth.ParseBegan(meta.Annotations[v1alpha1.AnnotationTarget])
	if err != nil {
		return nil, refuse(v1alpha1.ReasonResultContradictory, "ConfigMap %s, annotation %s: %v", e.name, v1alpha1.AnnotationTarget, err)
	}
	if end.reason == "" {
		// The cache may not have heard yet of a restart during the window.
		live := &corev1.Pod{}
		key := types.NamespacedName{Namespace: s.run.Namespace, Name: contract.TargetName(s.run.Name, e.ref.Target) + "-0"}
		if err := r.Live.Get(ctx, key, live); apierrors.IsNotFound(err) {
			live = nil
		} else if err != nil {
			return nil, fmt.Errorf("reading pod %s: %w", key.Name, err)
		}
		if podhealth.Restarted(began, live, resources.ServerContainer) {
			end.reason = v1alpha1.ReasonTargetRestarted
			end.message = "the database restarted while it was measured: see the log of the database pod"
		}
		return nil, nil
	}
	seen, err := r.see(ctx, s.targetPod(e.ref.Target))
	if err != nil {
		return nil, err
	}
	reason, message := podhealth.Cause(end.reason, end.message, began, seen, resources.ServerContainer)
	lostServer := end.reason == string(contract.ReasonConnectionLost) || end.reason == string(contract.ReasonTargetUnreachable)
	if lostServer && reason == end.reason && s.now.Sub(end.at) < evidenceTime {
		wait := waitFor(v1alpha1.ReasonProgressing, "%s: a client lost its server; waiting for what became of it", e.name)
		wait.after = time.Second
		return &wait, nil
	}
	end.reason, end.message = reason, message
	return nil, nil
}

// others are notes about pods of somebody else on the nodes of a trial. To be there is not
// to disturb: what others used during the window is what counts, see
// validity.CheckNeighbours. A manager that may look at its own namespaces only cannot tell.
func (r *Reconciler) others(ctx context.Context, s *scope, rec contract.Record) ([]contract.RecordedFinding, error) {
	if rec.WindowStartTime == nil || rec.WindowEndTime == nil {
		return nil, nil
	}
	nodes := append(slices.Clone(rec.ClientNodeNames), rec.TargetNodeName)
	slices.Sort(nodes)
	var out []contract.RecordedFinding
	for _, node := range slices.Compact(nodes) {
		if node == "" {
			continue
		}
		var pods corev1.PodList
		err := r.Live.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node})
		if apierrors.IsForbidden(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("listing the pods on node %s: %w", node, err)
		}
		if names := podhealth.Others(pods.Items, string(s.run.UID), node, *rec.WindowStartTime, *rec.WindowEndTime); len(names) > 0 {
			out = append(out, contract.RecordedFinding{
				Check: "second-workload", Severity: string(validity.Note),
				Message: fmt.Sprintf("on node %s ran also: %s", node, shortened(names)),
			})
		}
	}
	return out, nil
}

// shortened is a list of which a reader reads the beginning.
func shortened(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

const (
	// logLines of a container that failed are kept.
	logLines = 40
	// maxLog bounds them, in bytes.
	maxLog = 16 << 10
)

// keepLogs puts the last lines of the pods of a failed execution into the result of
// its first client, before anything can delete the pods.
func (r *Reconciler) keepLogs(ctx context.Context, s *scope, e execution, end *end) error {
	if r.Logs == nil {
		return nil
	}
	var text strings.Builder
	add := func(pod *corev1.Pod, container string, previous bool) {
		log, err := r.Logs(ctx, pod.Namespace, pod.Name, container, previous, logLines)
		if err != nil {
			log = fmt.Sprintf("(not to be had: %v)\n", err)
		}
		fmt.Fprintf(&text, "== pod %s, container %s\n%s\n", pod.Name, container, tail(log))
	}
	const most = 4
	for _, pod := range end.pods[:min(len(end.pods), most)] {
		add(pod, resources.RunnerContainer, false)
	}
	if pod := s.targetPod(e.ref.Target); pod != nil {
		add(pod, resources.ServerContainer, restartedLately(pod))
	}
	if text.Len() == 0 {
		return nil
	}
	cm := &corev1.ConfigMap{}
	key := types.NamespacedName{Namespace: s.run.Namespace, Name: contract.ResultName(e.name, 0)}
	if err := r.Live.Get(ctx, key, cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := cm.DeepCopy()
	if cm.Data == nil {
		cm.Data = map[string]string{}
	}
	cm.Data[contract.KeyLog] = text.String()
	if err := r.Client.Patch(ctx, cm, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("keeping the log of %s: %w", e.name, client.IgnoreNotFound(err))
	}
	return nil
}

func tail(log string) string {
	if over := len(log) - maxLog; over > 0 {
		return strings.ToValidUTF8(log[over:], "")
	}
	return log
}

// restartedLately says whether the log of the container before this one tells why.
func restartedLately(pod *corev1.Pod) bool {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer {
			return c.LastTerminationState.Terminated != nil
		}
	}
	return false
}
