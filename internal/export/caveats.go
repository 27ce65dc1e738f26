package export

import (
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stored"
)

// Caveats of a run: why its numbers may not be relied on, a line each; none for a run that is sound. They stand in
// each format that has a place for them.
func Caveats(run *stored.Run) (out []string) {
	o := run.Object
	if !o.Finished() {
		out = append(out, "the run has not ended")
	}
	for _, bad := range []struct {
		condition string
		status    metav1.ConditionStatus
		text      string
	}{
		{v1alpha1.ConditionFailed, metav1.ConditionTrue, "the run has failed"},
		{v1alpha1.ConditionValid, metav1.ConditionFalse, "the run is not valid"},
	} {
		if c := apimeta.FindStatusCondition(o.Status.Conditions, bad.condition); c != nil && c.Status == bad.status {
			out = append(out, contract.Line(fmt.Sprintf("%s (%s): %s", bad.text, c.Reason, c.Message)))
		}
	}
	return out
}
