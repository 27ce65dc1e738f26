package accept

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/experiment/quota"
)

// allowed refuses a run whose pods the ResourceQuotas and LimitRanges of its namespace can never let be. Whether there is room for
// them now is a matter of the queue. The bounds were asked for with the references.
func (in Input) allowed(out Result, r v1alpha1.Resolved, ask *decision.Asking) error {
	bounds, run := ask.Bounds().Value, *in.Run
	run.Status.Resolved = &r
	need := quota.Of(&run, in.Catalogue.Config.Pods, out.Planned.OwnImage != "")
	if exceeds := need.Exceeds(bounds.Quotas); len(exceeds) > 0 {
		return experiment.Refuse(v1alpha1.ReasonQuotaExceeded,
			"%s: use smaller shapes, fewer clients or replicas, or spec.design.idleTargets: Stopped, or have the quota raised", quota.Sentence(exceeds))
	}
	if outside := need.Outside(bounds.Ranges); len(outside) > 0 {
		return experiment.Refuse(v1alpha1.ReasonOutsideLimitRange, "%s: use another shape, or have the LimitRange changed", quota.Sentence(outside))
	}
	return nil
}
