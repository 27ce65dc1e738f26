package target

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// copyOf: the volume of target a is made of a VolumeSnapshot, of which there is something now; nil for nothing.
func copyOf(found *resources.VolumeSnapshot) change {
	return func(w *world) {
		w.in.Run.Status.Resolved.Targets[0].Snapshot = &v1alpha1.ResolvedSnapshot{Name: "tables", UID: "uid-tables"}
		w.in.Run.Spec.Targets[0].MySQL.Storage.FromSnapshot = &v1alpha1.SourceSnapshot{Name: "tables"}
		if found != nil {
			w.knows(decision.GetVolumeSnapshot{Name: "tables"}, decision.VolumeSnapshot{VolumeSnapshot: *found})
		}
	}
}

// knows the answer to a query.
func (w *world) knows(q decision.Query, answer any) {
	if w.objects == nil {
		w.objects = map[decision.Query]any{}
	}
	w.objects[q] = answer
}

func tables(change ...func(*resources.VolumeSnapshot)) *resources.VolumeSnapshot {
	s := &resources.VolumeSnapshot{Name: "tables", UID: "uid-tables", Ready: true}
	for _, f := range change {
		f(s)
	}
	return s
}

var claimOfA = "data-01234567-" + contract.TargetName("run", "a")

// The claim of a copy is made before its server, of the VolumeSnapshot that the run was accepted with, and of no other.
func TestACopyIsMade(t *testing.T) {
	made := slices.Insert(made("a", true), 1, "create PersistentVolumeClaim "+claimOfA)
	const again = "see `kubectl describe volumesnapshot tables -n ns`, and create the run again when it is ready, or with another one"
	tests := map[string]struct {
		found   *resources.VolumeSnapshot
		more    []change
		state   string
		actions []string
	}{
		"as it was": {tables(), nil, "wait Progressing: created", made},
		"deleted":   {nil, nil, "fail VolumeSnapshotUnfit: mysql.storage.fromSnapshot: VolumeSnapshot tables was deleted, and the volume of the target is to be made of it: create the run again with another one", nil},
		"being deleted": {tables(func(s *resources.VolumeSnapshot) { s.Deleting = true }), nil,
			"fail VolumeSnapshotUnfit: mysql.storage.fromSnapshot: VolumeSnapshot tables was deleted, and the volume of the target is to be made of it: create the run again with another one", nil},
		"another of its name": {tables(func(s *resources.VolumeSnapshot) { s.UID = "uid-younger" }), nil,
			"fail VolumeSnapshotUnfit: mysql.storage.fromSnapshot: VolumeSnapshot tables is another one than when this run was accepted: create the run again", nil},
		"not ready any more": {tables(func(s *resources.VolumeSnapshot) { s.Ready, s.Error = false, "rpc error: lost" }), nil,
			"wait VolumeSnapshotNotReady: mysql.storage.fromSnapshot: VolumeSnapshot tables is not ready to use any more: rpc error: lost", nil},
		"not ready any more, soon after it got nodes": {tables(func(s *resources.VolumeSnapshot) { s.Ready = false }), []change{placedBefore(20 * time.Minute)},
			"wait VolumeSnapshotNotReady: mysql.storage.fromSnapshot: VolumeSnapshot tables is not ready to use any more", nil},
		"not ready any more, for too long": {tables(func(s *resources.VolumeSnapshot) { s.Ready, s.Error = false, "rpc error: lost" }), []change{placedBefore(20*time.Minute + time.Second)},
			"fail VolumeSnapshotFailed: mysql.storage.fromSnapshot: VolumeSnapshot tables is not ready to use any more: rpc error: lost, also after 20m0s (timeouts.targetReady) on the nodes of the run: " + again, nil},
		"not ready any more, when its turn has just come": {tables(func(s *resources.VolumeSnapshot) { s.Ready = false }), []change{placedBefore(5 * time.Hour), targetsReady(metav1.ConditionTrue, 4*time.Hour)},
			"wait VolumeSnapshotNotReady: mysql.storage.fromSnapshot: VolumeSnapshot tables is not ready to use any more", nil},
		"not ready any more, since its turn has come": {tables(func(s *resources.VolumeSnapshot) { s.Ready = false }), []change{placedBefore(5 * time.Hour), targetsReady(metav1.ConditionFalse, 20*time.Minute)},
			"wait VolumeSnapshotNotReady: mysql.storage.fromSnapshot: VolumeSnapshot tables is not ready to use any more", nil},
		"not ready any more, for too long since its turn has come": {tables(func(s *resources.VolumeSnapshot) { s.Ready = false }), []change{placedBefore(5 * time.Hour), targetsReady(metav1.ConditionFalse, 21*time.Minute)},
			"fail VolumeSnapshotFailed: mysql.storage.fromSnapshot: VolumeSnapshot tables is not ready to use any more, also after 20m0s (timeouts.targetReady) on the nodes of the run: " + again, nil},
		"ready, long after it got nodes": {tables(), []change{placedBefore(time.Hour)}, "wait Progressing: created", made},
		"no API for a moment":            {nil, []change{noAPI, placedBefore(20 * time.Minute)}, "wait VolumeSnapshotNotReady: mysql.storage.fromSnapshot: the cluster has no API", nil},
		"no API any more": {nil, []change{noAPI, placedBefore(21 * time.Minute)},
			"fail NoVolumeSnapshots: mysql.storage.fromSnapshot: the cluster has no API, also after 20m0s (timeouts.targetReady) on the nodes of the run: create the run again when that is done", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := newWorld(append([]change{copyOf(tt.found), up("b")}, tt.more...)...).decide(t)
			if diff := cmp.Diff(tt.state, words(got.Of("a").State)); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.actions, actions(got.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

// noAPI of VolumeSnapshots is there now.
func noAPI(w *world) {
	w.knows(decision.GetVolumeSnapshot{Name: "tables"}, decision.VolumeSnapshot{Refused: "the cluster has no API"})
}

// targetsReady is the condition TargetsReady, for so long.
func targetsReady(is metav1.ConditionStatus, ago time.Duration) change {
	return func(w *world) {
		w.in.Run.Status.Conditions = append(w.in.Run.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionTargetsReady, Status: is, LastTransitionTime: metav1.Time{Time: now.Add(-ago)},
		})
	}
}

// placedBefore: the run got its nodes so long ago.
func placedBefore(ago time.Duration) change {
	return func(w *world) {
		w.in.Run.Status.Conditions = append(w.in.Run.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionPlaced, Status: metav1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-ago)},
		})
	}
}

// A pod that waits for a copy says what the storage says, and ends when there is nothing left to copy. Once the volume is there, the
// VolumeSnapshot may go.
func TestAPodWaitsForItsCopy(t *testing.T) {
	claim := func(phase corev1.PersistentVolumeClaimPhase) change {
		return func(w *world) {
			c := &corev1.PersistentVolumeClaim{}
			c.Name, c.UID, c.Status.Phase = claimOfA, "uid-claim", phase
			w.exists(c)
		}
	}
	const said = "ebs.example_1 says ProvisioningFailed: rpc error: no such class"
	says := func(w *world) { w.knows(decision.GetWords{Of: types.UID("uid-claim")}, said) }
	late := "fail DeadlineExceeded: the volume " + claimOfA + " was not made of VolumeSnapshot tables within 20m0s (timeouts.targetReady of the operator): see `kubectl describe pvc " + claimOfA +
		"`, or let the administrator raise it"
	const starting = "wait Progressing: pod run-a-db-0 is starting"
	const gone = "fail VolumeSnapshotUnfit: mysql.storage.fromSnapshot: VolumeSnapshot tables was deleted, and the volume of the target is to be made of it: create the run again with another one"
	tests := map[string]struct {
		found *resources.VolumeSnapshot
		given []change
		want  string
	}{
		"nothing is said":                               {tables(), []change{pendingPod, claim(corev1.ClaimPending)}, starting},
		"the storage says why":                          {tables(), []change{pendingPod, claim(corev1.ClaimPending), says}, starting + "; the volume " + claimOfA + " is made of VolumeSnapshot tables: " + said},
		"copied for long":                               {tables(), []change{nodeless(in10m), claim(corev1.ClaimPending)}, "wait Unschedulable: no node for pod run-a-db-0 within 5m0s: waiting for the scheduler"},
		"copied for too long":                           {tables(), []change{nodeless(30 * time.Minute), claim(corev1.ClaimPending)}, late},
		"copied for too long, and the storage says why": {tables(), []change{nodeless(30 * time.Minute), claim(corev1.ClaimPending), says}, late + "; the volume " + claimOfA + " is made of VolumeSnapshot tables: " + said},
		"copied for long, no API":                       {nil, []change{noAPI, nodeless(in10m), claim(corev1.ClaimPending)}, "wait Unschedulable: no node for pod run-a-db-0 within 5m0s: waiting for the scheduler"},
		"copied a moment ago":                           {tables(), []change{nodeless(in10m), claim(corev1.ClaimBound)}, "wait Unschedulable: no node for pod run-a-db-0 within 5m0s: waiting for the scheduler"},
		"no node for it":                                {tables(), []change{nodeless(30 * time.Minute), claim(corev1.ClaimBound)}, "fail Unschedulable: no node for pod run-a-db-0 within 5m0s: waiting for the scheduler"},
		"deleted before":                                {nil, []change{pendingPod, claim(corev1.ClaimPending), says}, gone},
		"deleted before, no pod":                        {nil, []change{set("a", 1, 0), claim(corev1.ClaimPending)}, gone},
		"deleted since":                                 {nil, []change{pendingPod, claim(corev1.ClaimBound), says}, starting},
		"deleted since, and loaded":                     {nil, []change{up("a"), loaded("a"), podless("a"), claim(corev1.ClaimPending)}, "wait Progressing: waiting for the pod to be created"},
		"up":                                            {nil, []change{up("a"), claim(corev1.ClaimBound)}, "done "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := words(newWorld(append([]change{copyOf(tt.found), up("b")}, tt.given...)...).decide(t).Of("a").State)
			if got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// in10m is longer than a pod may be without a node, and shorter than its server may take.
const in10m = 10 * time.Minute

// nodeless: the pod of target a has been there for a while, without a node.
func nodeless(since time.Duration) change {
	return func(w *world) {
		pendingPod(w)
		pod := w.in.Children.TargetPods[contract.TargetName("run", "a")]
		pod.CreationTimestamp.Time, pod.Spec.NodeName = now.Add(-since), ""
		pod.Status.Conditions, pod.Status.ContainerStatuses = nil, nil
	}
}

// pendingPod: the pod of target a is scheduled, and has not started.
func pendingPod(w *world) {
	server("a", corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}})(w)
	pending("a")(w)
}
