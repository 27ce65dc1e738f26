package export

import (
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stored"
)

// Caveats of a run: why its numbers may not be relied on, a line each; none for a run that has ended, has not failed and is
// valid. They stand in each format that has a place for them. What is doubtful of one median, such as a rate that was not
// achieved, is a caveat of that median and none of the run.
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
	if text := undecided(o); text != "" {
		out = append(out, "whether "+text)
	}
	return out
}

// undecided says that nobody has decided whether a run that has ended, and has not failed, is valid; empty for any other.
func undecided(o *v1alpha1.BenchmarkRun) string {
	const text = "the run is valid is not known"
	c := apimeta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionValid)
	switch {
	case !o.Finished() || o.HasFailed():
		return ""
	case c == nil:
		return text
	case c.Status == metav1.ConditionTrue || c.Status == metav1.ConditionFalse:
		return ""
	}
	return contract.Line(fmt.Sprintf("%s (%s): %s", text, c.Reason, c.Message))
}
