package e2e

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// A real server's volume outlives its run, another server measures on it without a load, and it goes with the run that loaded it.
func TestAVolumeIsMeasuredOnAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	first := readSampleIn(t, "retained-volume.yaml", ns).complete(t)
	again := readSampleIn(t, "retained-volume-again.yaml", ns).complete(t)
	from := again.ResolvedTarget("mysql").Retained
	if d := again.TargetStatus("mysql").Data; d == nil || d.Origin != v1alpha1.DataOriginRetained || from == nil || from.RunUID != string(first.UID) {
		t.Fatalf("the data of the second run: %+v from %+v", d, from)
	}
	if st := again.TargetStatus("mysql"); len(st.Load) > 0 || st.NodeName != first.TargetStatus("mysql").NodeName || again.Status.Progress.Succeeded != 3 {
		t.Errorf("load %+v, on %s instead of %s, %d of 3 trials have a result", st.Load, st.NodeName, first.TargetStatus("mysql").NodeName, again.Status.Progress.Succeeded)
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: from.ClaimName}, claim); err != nil || !claim.DeletionTimestamp.IsZero() {
		t.Errorf("the volume is gone with the second run: %v, %+v", err, claim.ObjectMeta)
	}
	if err := cluster.API.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(time.Second) {
		err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: from.ClaimName}, claim)
		if client.IgnoreNotFound(err) == nil && err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the volume stays when its run is deleted: %v", err)
		}
	}
}
