package benchmarkrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/contract"
)

// readPlan makes the plan from the spec. A run that was planned by another version
// of this program keeps the plan that was written down.
func (r *Reconciler) readPlan(ctx context.Context, s *scope) error {
	if known, ok := r.plans.Load(s.run.UID); ok {
		s.plan, s.demand = known.(planned).plan, known.(planned).demand
		return nil
	}
	spec, err := s.variedSpec()
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	fixed, err := s.runner.DataFieldsOf(s.workload)
	if err != nil {
		return refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	p, err := plan.New(spec, fixed)
	if st := s.run.Status.Plan; st != nil && (err != nil || p.SHA256() != st.SHA256) {
		p, err = r.storedPlan(ctx, s)
	}
	if err != nil {
		var many *plan.TooManyError
		var n *notYet
		var ref *refusal
		switch {
		case errors.As(err, &n), errors.As(err, &ref):
			return err
		case errors.As(err, &many):
			return refuse(v1alpha1.ReasonTooManyTrials, "%v", err)
		}
		return refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	if s.run.Status.Plan == nil {
		if err := s.checkPlan(p); err != nil {
			return err
		}
	}
	if s.demand, err = s.deriveDemand(p); err != nil {
		return err
	}
	s.plan = p
	r.plans.Store(s.run.UID, planned{p, s.demand})
	return nil
}

// variedSpec is the spec with the axis that the tool adds to its matrix.
func (s *scope) variedSpec() (v1alpha1.BenchmarkRunSpec, error) {
	spec := s.run.Spec
	if s.runner.Axis == nil {
		return spec, nil
	}
	field, values, err := s.runner.Axis(s.workload)
	if err != nil || len(values) == 0 || slices.ContainsFunc(spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == field }) {
		return spec, err
	}
	axis := v1alpha1.Axis{Name: field}
	for _, v := range values {
		axis.Values = append(axis.Values, intstr.FromString(v))
	}
	spec.Matrix = append(slices.Clone(spec.Matrix), axis)
	return spec, nil
}

// planned is what is kept of a run from pass to pass.
type planned struct {
	plan   *plan.Plan
	demand demand
}

// maxIntervals of a time series in one result.
const maxIntervals = 10000

// checkPlan refuses a plan that cannot be carried out.
func (s *scope) checkPlan(p *plan.Plan) error {
	// The least time of a trial of each cell; 0 for a tool that counts operations.
	least := make([]time.Duration, len(p.Cells))
	for i, cell := range p.Cells {
		trial, err := s.sketch(cell)
		if err != nil {
			return err
		}
		facts, err := s.runner.Facts(trial)
		if err != nil {
			return refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix: cell %d (%v): %v", i, cell, err)
		}
		if err := s.checkData(i, cell, trial); err != nil {
			return err
		}
		if facts.DurationSeconds > 0 || s.runner.Length != nil {
			length, err := s.length(cell)
			if err != nil {
				return err
			}
			least[i] = length.Least
		}
		if every := int64(facts.ReportIntervalSeconds); every > 0 && int64(s.run.Spec.Design.Duration.Seconds()) > maxIntervals*every {
			return refuse(v1alpha1.ReasonInvalidSpec,
				"spec.matrix: cell %d (%v): at most %d intervals fit into a result: make them longer, or shorten design.duration", i, cell, maxIntervals)
		}
	}
	if err := s.bears(p); err != nil {
		return err
	}
	if all := p.Duration(least, s.run.Spec.Design.Cooldown.Duration); all > s.run.Spec.Deadline.Duration {
		return refuse(v1alpha1.ReasonInvalidSpec,
			"spec.deadline: %s is shorter than the plan: %d trials of at least %s each take %s: raise deadline, or measure less",
			s.run.Spec.Deadline.Duration, len(p.Trials), slices.Min(least), all.Round(time.Second))
	}
	return nil
}

// cellWorkload is the workload of a cell: that of the spec with the cell's values.
func (s *scope) cellWorkload(cell plan.Cell) (json.RawMessage, error) {
	if len(cell) == 0 {
		return s.workload, nil
	}
	return plan.Apply(s.workload, cell, s.schema)
}

// storedPlan reads the plan that was written down.
func (r *Reconciler) storedPlan(ctx context.Context, s *scope) (*plan.Plan, error) {
	var parts [][]byte
	for i := range s.run.Status.Plan.ConfigMapCount {
		cm := &corev1.ConfigMap{}
		key := client.ObjectKey{Namespace: s.run.Namespace, Name: contract.PlanName(s.run.Name, i)}
		if err := r.Live.Get(ctx, key, cm); apierrors.IsNotFound(err) {
			return nil, refuse(v1alpha1.ReasonJournalLost,
				"ConfigMap %s with the plan of this run was deleted, and this version of Assay would plan otherwise: create a new run", key.Name)
		} else if err != nil {
			return nil, later(v1alpha1.ReasonRetrying, "reading the plan: %v", err)
		}
		parts = append(parts, cm.BinaryData[contract.KeyPlan])
	}
	p, err := journal.JoinPlan(parts)
	var newer *journal.TooNewError
	if errors.As(err, &newer) {
		return nil, later(v1alpha1.ReasonJournalTooNew, "the plan of this run: %v", newer)
	}
	if err != nil {
		return nil, refuse(v1alpha1.ReasonJournalLost, "the plan of this run cannot be read: %v", err)
	}
	if got := p.SHA256(); got != s.run.Status.Plan.SHA256 {
		return nil, refuse(v1alpha1.ReasonJournalLost, "the stored plan (SHA-256 %.12s) is not the one in the status (%.12s)", got, s.run.Status.Plan.SHA256)
	}
	return p, nil
}

// writePlan stores the plan before anything is started.
func (r *Reconciler) writePlan(ctx context.Context, s *scope) error {
	parts, err := journal.SplitPlan(s.plan)
	if err != nil {
		return err
	}
	for i, data := range parts {
		cm := resources.Journal(s.run, contract.PlanName(s.run.Name, int32(i)), contract.KeyPlan, data)
		if _, err := r.ensure(ctx, s, cm); err != nil {
			return err
		}
	}
	s.run.Status.Plan = &v1alpha1.PlanStatus{
		TrialCount: int32(len(s.plan.Trials)), CellCount: int32(len(s.plan.Cells)), SHA256: s.plan.SHA256(), ConfigMapCount: int32(len(parts)),
		Seed: new(s.plan.Seed),
	}
	return nil
}

// specHash is the SHA-256 of what decides the result: the spec without the fields
// that can be changed later, and everything that its references meant. A seed that
// followed from the spec counts as if it were written there.
func specHash(spec v1alpha1.BenchmarkRunSpec, seed int64, resolved v1alpha1.Resolved) string {
	spec = plan.Deciding(spec)
	spec.Design.Seed = &seed
	if in := resolved.Inputs; in != nil {
		// The name of the copy is that of the run.
		resolved.Inputs = &v1alpha1.ResolvedInputs{SHA256: in.SHA256}
	}
	data, err := json.Marshal(map[string]any{"spec": spec, "resolved": resolved})
	if err != nil {
		// Both come from JSON.
		panic(fmt.Sprintf("marshalling a spec: %v", err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// markRun puts the hash of the resolved spec on the run itself, where label
// selectors find it.
func (r *Reconciler) markRun(ctx context.Context, s *scope) error {
	hash := s.run.Status.SpecHash
	if s.run.Annotations[v1alpha1.AnnotationSpecHash] == hash {
		return nil
	}
	marked := s.run.DeepCopy()
	metav1.SetMetaDataAnnotation(&marked.ObjectMeta, v1alpha1.AnnotationSpecHash, hash)
	metav1.SetMetaDataLabel(&marked.ObjectMeta, v1alpha1.LabelSpecHash, resources.SpecHashLabel(hash))
	if err := r.Client.Patch(ctx, marked, client.MergeFromWithOptions(s.run.DeepCopy(), client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("writing the hash of the spec: %w", err)
	}
	// The status is written later in this pass, under the new version.
	s.run.ObjectMeta = marked.ObjectMeta
	return nil
}
