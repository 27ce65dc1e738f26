package accept

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/store"
)

// budget is how many bytes the results of the run may take, and what of that is written at
// once: the plan and the copies. It has no meaning while ask is not complete.
func (in Input) budget(
	out Result, shows *v1alpha1.PlannedAnalysis, copies []decision.Action, ask *decision.Asking,
) (*v1alpha1.ResultsStatus, error) {
	fixed, err := fixedBytes(out, copies)
	if err != nil {
		return nil, err
	}
	b, err := out.Work.Budget(out.Planned.Plan, shows, fixed, in.Catalogue.Config)
	if err != nil {
		return nil, err
	}
	got := ask.Admit(fixed, b.Bytes)
	if !got.Known {
		return nil, nil
	}
	if err := judge(got.Value, b.Bytes, in.Run.Namespace); err != nil {
		return nil, err
	}
	return &v1alpha1.ResultsStatus{BudgetBytes: b.Bytes, ClientBudgetBytes: b.Result, HeldBytes: fixed, Store: in.folder()}, nil
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
			return experiment.Refuse(v1alpha1.ReasonResultBudgetExceeded,
				"spec.design, spec.matrix: too much of etcd for results: %s for this run + %s of the other runs in %s, %s is %s: delete ended runs, measure less, or let the administrator raise the budget",
				budget.Text(bytes), budget.Text(u.Held), scope.what, scope.field, budget.Text(u.Limit))
		}
	}
	return nil
}

// folder of the run in the object store.
func (in Input) folder() string {
	cfg, run := in.Catalogue.Config.Results.Store, in.Run
	if !cfg.Configured() {
		return ""
	}
	return "s3://" + cfg.Bucket + "/" + Layout(cfg, run).Folder(string(run.UID))
}

// Layout is where the objects of a run are.
func Layout(cfg config.Store, run *v1alpha1.BenchmarkRun) store.Layout {
	return store.Layout{Prefix: cfg.Prefix, Cluster: cfg.Cluster, Namespace: run.Namespace, Run: run.Name}
}

// fixedBytes are what is written when the run is accepted.
func fixedBytes(out Result, copies []decision.Action) (int64, error) {
	fixed, err := experiment.PlanBytes(out.Planned.Plan)
	if err != nil {
		return 0, err
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
