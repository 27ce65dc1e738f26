package history

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// ErrTampered is the error for bytes that are not the history that its schedule remembers.
var ErrTampered = errors.New("it is not what Assay wrote: its digest is another one than status.history has")

// IsOf says whether a ConfigMap is that of a schedule: it goes with it or, with historyReclaimPolicy Retain, has its mark.
func IsOf(of *v1alpha1.BenchmarkSchedule, cm metav1.Object) bool {
	return metav1.IsControlledBy(cm, of) || cm.GetLabels()[v1alpha1.LabelScheduleUID] == string(of.UID)
}

// Read the history of a schedule. It fails with ErrTampered, before it looks into the bytes, when the status of the schedule does not
// have their digest, and as Decode does.
func Read(of *v1alpha1.BenchmarkSchedule, gz []byte) (contract.History, error) {
	st, digest := of.Status.History, contract.Digest(gz)
	if st == nil || digest != st.SHA256 && !slices.Contains(st.NextSHA256, digest) {
		return contract.History{}, ErrTampered
	}
	h, err := Decode(gz)
	if err == nil && h.ScheduleUID != string(of.UID) {
		return contract.History{}, fmt.Errorf("it is the history of a schedule with the UID %q", contract.Cut(h.ScheduleUID, maxUID))
	}
	return h, err
}
