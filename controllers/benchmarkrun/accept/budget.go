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

// demand is what the results of a run may take of etcd.
type demand struct {
	budget.Budget
	// fixed bytes of it are written when the run is accepted: the plan and the copies.
	fixed int64
}

// demands of the run. It needs nothing of the cluster but what the references meant.
func (in Input) demands(out Result, shows *v1alpha1.PlannedAnalysis, copies []decision.Action) (demand, error) {
	fixed := out.Planned.Bytes
	for _, action := range copies {
		if c, is := action.(decision.Create); is {
			if cm, is := c.Object.(*corev1.ConfigMap); is {
				fixed += budget.OfConfigMap(cm)
			}
		}
	}
	b, err := out.Work.Budget(out.Planned.Plan, shows, fixed, in.Catalogue.Config)
	return demand{b, fixed}, err
}

// admitted is what becomes of the demand of a run beside those of the others. The result has no meaning while ask is not complete.
func admitted(in Input, d demand, ask *decision.Asking) (*v1alpha1.ResultsStatus, error) {
	got := ask.Admit(d.fixed, d.Bytes)
	if !got.Known {
		return nil, nil
	}
	if err := judge(got.Value, d.Bytes, in.Run.Namespace); err != nil {
		return nil, err
	}
	return &v1alpha1.ResultsStatus{BudgetBytes: d.Bytes, ClientBudgetBytes: d.Result, HeldBytes: d.fixed, Store: in.folder()}, nil
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
