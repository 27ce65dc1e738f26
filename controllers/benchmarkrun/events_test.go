package benchmarkrun

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// However much a driver says, the event of a run that fails names the field, and ends with the remedy.
func TestAnEventHasTheRemedy(t *testing.T) {
	name := strings.Repeat("n", 253)
	begins := "spec.targets[0].mysql.storage.fromSnapshot: VolumeSnapshot " + name + " is not ready to use: "
	remedy := ", also after 20m0s (timeouts.targetReady): create the run again when `kubectl get volumesnapshot " + name + " -n ns` shows READYTOUSE true, or with suspend: true until then"
	for _, words := range []string{"rpc error: quota", strings.Repeat("rpc error: quota; ", 200), strings.Repeat("ö", 1024)} {
		before := &v1alpha1.BenchmarkRun{}
		after := before.DeepCopy()
		after.Status.Conditions = []metav1.Condition{{
			Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonVolumeSnapshotFailed, Message: begins + words + remedy,
		}}
		to := events.NewFakeRecorder(1)
		(&Reconciler{Events: to}).announce(before, after)
		note, is := strings.CutPrefix(<-to.Events, "Warning VolumeSnapshotFailed ")
		if !is || !strings.HasPrefix(note, begins) || !strings.HasSuffix(note, remedy) || len(note) > 1024 {
			t.Errorf("the event says %q (%d bytes)", note, len(note))
		}
	}
}
