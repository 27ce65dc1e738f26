package accept

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// plan of the spec. A run that was planned by another version of this program keeps
// the plan that was written down, which has to be read then.
func (in Input) plan(w experiment.Work, ask *decision.Asking) (*plan.Plan, error) {
	if in.Run.Status.Plan != nil {
		// Also where this program would plan the same: only the writer knows who may go on.
		if cm := ask.ConfigMap(contract.PlanName(in.Run.Name, 0)); cm.Exists && metav1.IsControlledBy(cm.Value, in.Run) {
			if err := journal.CheckPlan(cm.Value.BinaryData[contract.KeyPlan]); err != nil {
				return nil, fmt.Errorf("the plan of this run: %w", err)
			}
		}
	}
	spec, fixed, err := w.Varies()
	if err != nil {
		return nil, err
	}
	p, err := experiment.PlanOf(spec, fixed, in.limits())
	if st := in.Run.Status.Plan; st != nil && (err != nil || p.SHA256() != st.SHA256) {
		return in.storedPlan(*st, ask)
	}
	return p, err
}

// storedChain is the digest of the last part of a plan that was written down; empty where there is none. It means nothing
// while ask is not complete.
func (in Input) storedChain(ask *decision.Asking) string {
	st := in.Run.Status.Plan
	if st == nil || st.ConfigMapCount < 1 {
		return ""
	}
	return ask.Stored(contract.PlanName(in.Run.Name, st.ConfigMapCount-1)).Value.Digests[contract.KeyPlan]
}

// storedPlan is the plan that was written down; it means nothing while ask is not
// complete.
func (in Input) storedPlan(st v1alpha1.PlanStatus, ask *decision.Asking) (*plan.Plan, error) {
	for i := range st.ConfigMapCount {
		ask.ConfigMap(contract.PlanName(in.Run.Name, i))
	}
	if !ask.Complete() {
		return nil, nil
	}
	var parts [][]byte
	for i := range st.ConfigMapCount {
		name := contract.PlanName(in.Run.Name, i)
		cm := ask.ConfigMap(name)
		if !cm.Exists || !metav1.IsControlledBy(cm.Value, in.Run) {
			return nil, experiment.Refuse(v1alpha1.ReasonJournalLost,
				"ConfigMap %s with the plan of this run was deleted, and this version of Assay would plan otherwise: create a new run", name)
		}
		parts = append(parts, cm.Value.BinaryData[contract.KeyPlan])
	}
	p, err := journal.JoinPlan(parts)
	var newer *journal.TooNewError
	if errors.As(err, &newer) {
		return nil, fmt.Errorf("the plan of this run: %w", err)
	}
	if err != nil {
		return nil, experiment.Refuse(v1alpha1.ReasonJournalLost, "the plan of this run cannot be read: %v", err)
	}
	if got := p.SHA256(); got != st.SHA256 {
		return nil, experiment.Refuse(v1alpha1.ReasonJournalLost, "the stored plan (SHA-256 %.12s) is not the one in the status (%.12s)", got, st.SHA256)
	}
	return p, nil
}

// limits of the operator; a plan that was written down stays, whatever they are now.
func (in Input) limits() plan.Limits {
	if in.Run.Status.Plan != nil {
		return plan.Largest()
	}
	return experiment.LimitsOf(in.Catalogue.Config.Limits)
}

// writePlan stores the plan before anything is started. A part that is there already is of a
// pass that did not end, maybe of another version: one that differs is written again.
func (in Input) writePlan(ask *decision.Asking, out *Result) error {
	p := out.Planned.Plan
	parts, err := experiment.PlanParts(p)
	if err != nil {
		return err
	}
	marked := in.Run.DeepCopy()
	marked.Status.SpecHash = out.Status.SpecHash
	for i, data := range parts {
		cm := resources.Journal(marked, contract.PlanName(in.Run.Name, int32(i)), contract.KeyPlan, data)
		if stale := decision.Stale(ask, cm, contract.KeyPlan); stale != nil {
			out.State, out.Actions = decision.WaitFor(v1alpha1.ReasonProgressing, "ConfigMap %s is written again", cm.Name), []decision.Action{stale}
			return nil
		}
		out.Actions = append(out.Actions, decision.Create{Object: cm})
	}
	shows, err := out.Work.Foresee(p, in.Catalogue.Config.Limits.Comparisons)
	if err != nil {
		return err
	}
	out.Planned.Chain = contract.Digest(parts[len(parts)-1])
	out.Status.Integrity = &v1alpha1.IntegrityStatus{PlanSHA256: out.Planned.Chain, Head: out.Planned.Chain}
	out.Status.Plan = &v1alpha1.PlanStatus{
		TrialCount: int32(len(p.Trials)), CellCount: int32(len(p.Cells)), SHA256: p.SHA256(), ConfigMapCount: int32(len(parts)), Seed: new(p.Seed), Analysis: shows,
	}
	return nil
}

// specHash is the SHA-256 of what decides the result: the spec without the fields
// that can be changed later, and everything that its references meant. A seed that
// followed from the spec counts as if it were written there.
func specHash(spec v1alpha1.BenchmarkRunSpec, seed int64, resolved v1alpha1.Resolved) (string, error) {
	spec = plan.Deciding(spec)
	spec.Design.Seed = &seed
	if in := resolved.Inputs; in != nil {
		// The name of the copy is that of the run.
		resolved.Inputs = &v1alpha1.ResolvedInputs{SHA256: in.SHA256}
	}
	// Where the nodes come from decides nothing.
	resolved.ClientShape = withoutSource(resolved.ClientShape)
	resolved.Targets = slices.Clone(resolved.Targets)
	for i := range resolved.Targets {
		// What was found is no input: pods and volumes get new names and UIDs.
		resolved.Targets[i].Service, resolved.Targets[i].Retained, resolved.Targets[i].Snapshot = nil, nil, nil
		if s := resolved.Targets[i].Shape; s != nil {
			resolved.Targets[i].Shape = new(withoutSource(*s))
		}
	}
	data, err := json.Marshal(map[string]any{"spec": spec, "resolved": resolved})
	if err != nil {
		return "", err
	}
	return contract.Digest(data), nil
}

// withoutSource is a shape without where its nodes come from.
func withoutSource(s v1alpha1.InstanceShapeSpec) v1alpha1.InstanceShapeSpec {
	s.Nodes, s.ProvisionWithin, s.ProvisioningClass = "", nil, ""
	return s
}

// Planning is the state of a run whose plan is made, over several passes.
func Planning(cells int) decision.Waiting {
	return decision.WaitFor(v1alpha1.ReasonProgressing, "planning: checking the workload of %d cells", cells)
}
