package accept

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/runners/runner"
)

// plan of the spec. A run that was planned by another version of this program keeps
// the plan that was written down, which has to be read then.
func (in Input) plan(w Work, ask *decision.Asking) (*plan.Plan, error) {
	if in.Run.Status.Plan != nil {
		// Also where this program would plan the same: only the writer knows who may go on.
		if cm := ask.ConfigMap(contract.PlanName(in.Run.Name, 0)); cm.Exists && metav1.IsControlledBy(cm.Value, in.Run) {
			if err := journal.CheckPlan(cm.Value.BinaryData[contract.KeyPlan]); err != nil {
				return nil, fmt.Errorf("the plan of this run: %w", err)
			}
		}
	}
	spec, err := w.variedSpec()
	if err != nil {
		return nil, err
	}
	fixed, err := w.Tool.DataFields(w.Params)
	if err != nil {
		return nil, refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	p, err := plan.New(spec, fixed, in.limits())
	if st := in.Run.Status.Plan; st != nil && (err != nil || p.SHA256() != st.SHA256) {
		return in.storedPlan(*st, ask)
	}
	var many *plan.TooManyError
	if errors.As(err, &many) {
		err = refuse(v1alpha1.ReasonTooManyTrials, "%v", err)
	}
	return p, err
}

// storedChain is the digest of the last part of a plan that was written down with links; empty
// for any other. It means nothing while ask is not complete.
func (in Input) storedChain(ask *decision.Asking) string {
	st := in.Run.Status.Plan
	if st == nil || st.ConfigMapCount < 1 {
		return ""
	}
	last := ask.Stored(contract.PlanName(in.Run.Name, st.ConfigMapCount-1)).Value
	if !last.InChain {
		return ""
	}
	return last.Digests[contract.KeyPlan]
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
			return nil, refuse(v1alpha1.ReasonJournalLost,
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
		return nil, refuse(v1alpha1.ReasonJournalLost, "the plan of this run cannot be read: %v", err)
	}
	if got := p.SHA256(); got != st.SHA256 {
		return nil, refuse(v1alpha1.ReasonJournalLost, "the stored plan (SHA-256 %.12s) is not the one in the status (%.12s)", got, st.SHA256)
	}
	return p, nil
}

// limits of the operator; a plan that was written down stays, whatever they are now.
func (in Input) limits() plan.Limits {
	if in.Run.Status.Plan != nil {
		return plan.Largest()
	}
	l := in.Catalogue.Config.Limits
	return plan.Limits{Cells: int64(l.Cells), Trials: int64(l.Trials)}
}

// variedSpec is the spec with the axis that the tool adds to its matrix.
func (w Work) variedSpec() (v1alpha1.BenchmarkRunSpec, error) {
	spec := w.spec
	added, err := w.Tool.Axis(w.Params)
	if err != nil || len(added.Values) == 0 || slices.ContainsFunc(spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == added.Field }) {
		return spec, err
	}
	axis := v1alpha1.Axis{Name: added.Field}
	for _, v := range added.Values {
		axis.Values = append(axis.Values, intstr.FromString(v))
	}
	spec.Matrix = append(slices.Clone(spec.Matrix), axis)
	return spec, nil
}

// maxIntervals of a time series in one result.
const maxIntervals = 10000

// checkCell refuses a cell that cannot be carried out.
func (w Work) checkCell(p *Planned, i int, trial contract.Trial, length runner.Length) error {
	cell := p.Plan.Cells[i]
	expected, err := w.Tool.Expectations(trial)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
	}
	if err := checkObjectives(w, i, cell, trial.Workload); err != nil {
		return err
	}
	if !p.checks.asked {
		if p.checks.loaded, err = w.rowsLoaded(trial); err != nil {
			return err
		}
		p.checks.asked = true
	}
	if err := w.checkData(i, cell, trial, p.checks.loaded); err != nil {
		return err
	}
	least := time.Duration(0)
	if expected.DurationSeconds > 0 || w.Tool.MeasuresOften() {
		least = length.Least
	}
	p.checks.least = append(p.checks.least, least)
	if every := int64(expected.ReportIntervalSeconds); every > 0 && int64(w.spec.Design.Duration.Seconds()) > maxIntervals*every {
		return refuse(v1alpha1.ReasonInvalidSpec,
			"spec.matrix: cell %d (%v): at most %d intervals fit into a result: make them longer, or shorten design.duration", i, cell, maxIntervals)
	}
	return w.addWear(&p.checks, i, cell, trial)
}

// checkPlan refuses a plan that cannot be carried out, after all of its cells.
func (w Work) checkPlan(p Planned) error {
	if err := w.checkWear(p.checks); err != nil {
		return err
	}
	if all := p.Plan.Duration(p.checks.least, w.spec.Design.Cooldown.Duration); all > w.spec.Deadline.Duration {
		return refuse(v1alpha1.ReasonInvalidSpec,
			"spec.deadline: %s is shorter than the plan: %d trials of at least %s each take %s: raise deadline, or measure less",
			w.spec.Deadline.Duration, len(p.Plan.Trials), slices.Min(p.checks.least), all.Round(time.Second))
	}
	return nil
}

// checkData refuses a cell that needs other tables than Prepare makes, such as
// bulk_insert beside tests of sysbench that share theirs: a run loads one data set,
// that of spec.workload. Where the tool knows nothing of its tables, nothing is checked.
func (w Work) checkData(index int, cell plan.Cell, trial contract.Trial, loaded map[string]int64) error {
	if len(cell) == 0 {
		return nil
	}
	needed, err := w.Tool.Rows(trial)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", index, cell, err)
	}
	if len(needed) > 0 && len(loaded) > 0 && !maps.Equal(needed, loaded) {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v) needs other tables than spec.workload loads "+
			"(%d tables with %d rows against %d with %d), and a run loads one data set: make one run for each",
			index, cell, len(needed), total(needed), len(loaded), total(loaded))
	}
	return nil
}

// rowsLoaded are the rows of each table that Prepare makes.
func (w Work) rowsLoaded(trial contract.Trial) (map[string]int64, error) {
	trial.Workload = w.Params
	rows, err := w.Tool.Rows(trial)
	if err != nil {
		return nil, refuse(v1alpha1.ReasonInvalidSpec, "spec.workload: it is what is loaded, whatever spec.matrix says: %v", err)
	}
	return rows, nil
}

func total(rows map[string]int64) int64 {
	var sum int64
	for _, n := range rows {
		sum += n
	}
	return sum
}

// writePlan stores the plan before anything is started. A part that is there already is of a
// pass that did not end, maybe of another version: one that differs is written again.
func (in Input) writePlan(ask *decision.Asking, out *Result) error {
	p := out.Planned.Plan
	parts, err := journal.SplitPlan(p)
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
	shows, err := in.foresee(*out)
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
	data, err := json.Marshal(map[string]any{"spec": spec, "resolved": resolved})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
