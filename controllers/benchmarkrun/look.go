package benchmarkrun

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/config"
)

// looker looks at the servers that others run, for a run that asks for nodes.
type looker struct{ *Reconciler }

// lookAgain behind the Services of a run that is about to ask for nodes: since it was accepted it may have waited for days, and the pods
// are elsewhere. What is found stands in status.resolved of the run, which is the caller's own copy. Unready is what the run
// has to wait for, in words; empty for nothing.
func (r looker) lookAgain(ctx context.Context, run *v1alpha1.BenchmarkRun) (unready string, err error) {
	found := map[string]v1alpha1.ResolvedService{}
	for i, t := range run.Spec.Targets {
		if t.Service() == nil {
			continue
		}
		look, err := r.lookBehind(ctx, run, *t.External)
		if err != nil {
			return "", err
		}
		if look.Problem != "" {
			return fmt.Sprintf("spec.targets[%d].external.serviceRef: Service %q cannot be measured now: %s", i, t.External.ServiceRef.Name, look.Problem), nil
		}
		found[t.Name] = look.Service
	}
	for i := range run.Status.Resolved.Targets {
		if now, is := found[run.Status.Resolved.Targets[i].Name]; is {
			run.Status.Resolved.Targets[i].Service = &now
		}
	}
	if len(found) == 0 {
		return "", nil
	}
	if err := accept.CheckResolved(*run.Status.Resolved); err != nil {
		return err.Error(), nil // fewer pods, later, may fit
	}
	return "", nil
}

// lookBehind one Service, while no other pass reads what may be large.
func (r looker) lookBehind(ctx context.Context, run *v1alpha1.BenchmarkRun, e v1alpha1.ExternalTarget) (target.Look, error) {
	r.reading.Lock()
	defer r.reading.Unlock()
	answer, err := (&reader{live: r.Live, run: run}).behind(ctx, e.ServiceRef.Name)
	if err != nil {
		return target.Look{}, err
	}
	behind, exists := answer.(decision.Behind)
	if !exists {
		return target.Look{Problem: "there is no such Service in the namespace any more"}, nil
	}
	return target.Found(e.Port, behind), nil
}

// mayHold are those of the nodes behind Services that a run may hold. Where shapes are fences (shapes.inline: Deny), these are the nodes that
// some InstanceShape offers: a small pod that tolerates a taint would hold any other node, too.
func (r looker) mayHold(ctx context.Context, beside []string, nodes []corev1.Node) ([]string, error) {
	if len(beside) == 0 || r.Config.Shapes.Inline != config.InlineDeny {
		return beside, nil
	}
	var shapes v1alpha1.InstanceShapeList
	if err := r.Client.List(ctx, &shapes); err != nil {
		return nil, fmt.Errorf("listing the InstanceShapes: %w", err)
	}
	c := placement.NewCluster(nodes)
	offered := c.Set()
	for _, shape := range shapes.Items {
		offered.AddAll(c.Candidates(placement.Need{Client: shape.Spec}))
	}
	names := c.NamesIn(offered)
	return slices.DeleteFunc(slices.Clone(beside), func(node string) bool { return !slices.Contains(names, node) }), nil
}

// showBehind what was found when the run got its nodes: what was said at its acceptance may be otherwise by now.
func showBehind(st *v1alpha1.BenchmarkRunStatus) {
	if st.Resolved == nil {
		return
	}
	for _, t := range st.Resolved.Targets {
		if t.Service != nil {
			same, one := target.Common(t.Name, *t.Service), targetStatus(st, t.Name)
			one.ImageID, one.NodeName, one.QOSClass = same.ImageID, same.NodeName, same.QOSClass
		}
	}
	if now := accept.BehindServices(*st.Resolved); len(now) > 0 {
		st.Findings = withFindings(slices.DeleteFunc(slices.Clone(st.Findings), accept.IsAboutService), now...)
	}
}
