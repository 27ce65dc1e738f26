package accept

import (
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/budget"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/store"
)

// budget is how many bytes the results of the run may take, and what of that is written at
// once: the plan and the copies. It has no meaning while ask is not complete.
func (in Input) budget(out Result, copies []decision.Action, ask *decision.Asking) (Budget, error) {
	fixed, err := fixedBytes(out, copies)
	if err != nil {
		return Budget{}, err
	}
	b, err := bytesOf(in, out, fixed)
	if err != nil {
		return Budget{}, err
	}
	got := ask.Admit(fixed, b.Bytes)
	if !got.Known {
		return Budget{}, nil
	}
	if err := judge(got.Value, b.Bytes, in.Run.Namespace); err != nil {
		return Budget{}, err
	}
	return Budget{Budget: b, Held: fixed, Store: in.folder()}, nil
}

// bytesOf the results of the run, of which so many are written at once.
func bytesOf(in Input, out Result, fixed int64) (budget.Budget, error) {
	limits := in.Catalogue.Config.Results.Budget
	b, err := budget.Of(in.demandOfBytes(out, fixed), budget.Limits{Run: limits.Run.Value(), LeastResult: limits.LeastResult.Value()})
	var small *budget.TooSmallError
	if errors.As(err, &small) {
		return b, refuse(v1alpha1.ReasonResultBudgetExceeded,
			"spec.design, spec.matrix: %v: measure less, or let the administrator raise results.budget.run", err)
	}
	return b, err
}

// judge what other runs hold. What they may still write is a matter of the queue: this run waits there
// until they have ended.
func judge(r decision.Admission, bytes int64, namespace string) error {
	for _, scope := range []struct {
		usage       decision.Usage
		field, what string
	}{
		{r.Namespace, "results.budget.namespace", "namespace " + namespace},
		{r.Cluster, "results.budget.cluster", "all namespaces"},
	} {
		if u := scope.usage; u.Held+bytes > u.Limit {
			return refuse(v1alpha1.ReasonResultBudgetExceeded,
				"spec.design, spec.matrix: too much of etcd for results: %s for this run + %s of the other runs in %s, %s is %s: delete ended runs, measure less, or let the administrator raise the budget",
				budget.Text(bytes), budget.Text(u.Held), scope.what, scope.field, budget.Text(u.Limit))
		}
	}
	return nil
}

// Budget of a run that is accepted.
type Budget struct {
	budget.Budget
	// Held are the bytes of the plan and of the copies.
	Held int64
	// Store is the folder of the run in the object store; empty without one.
	Store string
}

// folder of the run in the object store.
func (in Input) folder() string {
	cfg, run := in.Catalogue.Config.Results.Store, in.Run
	if !cfg.Configured() {
		return ""
	}
	layout := store.Layout{Prefix: cfg.Prefix, Cluster: cfg.Cluster, Namespace: run.Namespace, Run: run.Name}
	return "s3://" + cfg.Bucket + "/" + layout.Folder(string(run.UID))
}

// demandOfBytes is how many objects the run makes.
func (in Input) demandOfBytes(out Result, fixed int64) budget.Demand {
	p, spec := out.Planned.Plan, in.Run.Spec
	d := budget.Demand{
		Trials: int64(len(p.Trials)), Attempts: 1, Clients: int64(in.Run.ClientCount()),
		Entries: int64(len(p.Cells)) * int64(len(p.Targets)), Fixed: fixed,
		Values: int64(journal.MostValues(in.Catalogue.Config.Limits.ResultMemory.Value(), len(p.Trials))),
	}
	// Each value of each combination is compared with that of another one.
	d.Comparisons = min((d.Entries-1)*d.Values, int64(in.Catalogue.Config.Limits.Comparisons))
	if out.Work.Search != nil {
		d.Entries += d.Entries * int64(spec.Design.Blocks)
	}
	for _, axis := range p.Axes { // a sweep is as large as a comparison
		if slices.Contains(out.Work.Tool.Design.Loads, axis) {
			d.Comparisons += d.Entries / analysis.MinLoads
		}
	}
	for _, cell := range p.Cells {
		bytes := int64(0)
		for name, value := range cell {
			bytes += int64(len(name) + len(value.StrVal) + 16)
		}
		d.Cell = max(d.Cell, bytes)
	}
	if spec.Design.OnTrialFailure == v1alpha1.OnFailureRetry {
		d.Attempts += int64(spec.Design.MaxRetries)
	}
	if a := out.Status.Analysis; a != nil && a.ComparisonCount <= in.Catalogue.Config.Limits.Comparisons { // of more, nothing is compared
		d.Entries += int64(a.ComparisonCount)
	}
	for _, t := range spec.Targets {
		switch {
		case t.Published != nil:
			continue
		case t.External != nil:
			d.Loads++ // the clean-up
		}
		d.Loads++
		if out.Work.Tool.Data.SharesLoad {
			d.Loads += d.Clients - 1
		}
	}
	return d
}

// fixedBytes are what is written when the run is accepted.
func fixedBytes(out Result, copies []decision.Action) (int64, error) {
	parts, err := journal.SplitPlan(out.Planned.Plan)
	if err != nil {
		return 0, err
	}
	var fixed int64
	for _, data := range parts {
		fixed += budget.OfResult(int64(len(data)))
	}
	for _, action := range copies {
		if c, is := action.(decision.Create); is {
			if cm, is := c.Object.(*corev1.ConfigMap); is {
				fixed += budget.OfConfigMap(cm)
			}
		}
	}
	return fixed, nil
}
