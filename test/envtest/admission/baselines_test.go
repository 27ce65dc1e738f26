package admission

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A run shows the numbers of the baselines of its gate, so that its author has to be allowed to read them:
// the first one and all others, of runs and of schedules.
func TestBaselinesNeedTheRightToGetThem(t *testing.T) {
	asked(t)
	ns := server.Namespace(t)
	starts := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "runs-only-" + ns}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"assay.dev"}, Resources: []string{"benchmarkruns", "benchmarkschedules"}, Verbs: []string{"create"}},
		{APIGroups: []string{"assay.dev"}, Resources: []string{"benchmarkbaselines"}, Verbs: []string{"get"}, ResourceNames: []string{"mine", "ours"}},
	}}
	if err := server.API.Create(t.Context(), starts); err != nil {
		t.Fatal(err)
	}
	author, editor := grant(t, ns, "author", starts.Name), grant(t, ns, "editor", "assay-edit")
	const hidden = `{gate: {baseline: theirs, threshold: 25%}}`
	within(t, func() bool {
		return apierrors.IsForbidden(author.Create(t.Context(), parse(t, ns, hidden), client.DryRunAll))
	})
	within(t, func() bool {
		return apierrors.IsForbidden(author.Create(t.Context(), schedule(t, ns, hidden), client.DryRunAll))
	})
	tests := map[string]struct{ gate, field string }{
		"no gate":                  {`{}`, ""},
		"a gate without baselines": {`{analysis: {comparisons: [{factor: target}]}, gate: {comparisons: Declared, margin: 3%}}`, ""},
		"one that he may read":     {`{gate: {baseline: mine, threshold: 25%}}`, ""},
		"one that he may not read": {hidden, "gate.baseline"},
		"several":                  {`{gate: {baseline: mine, also: [{name: ours}], threshold: 25%}}`, ""},
		"the last of several":      {`{gate: {baseline: mine, also: [{name: ours}, {name: mine2, effect: Inform}], threshold: 25%}}`, "gate.also"},
		"the fourth":               {`{gate: {baseline: theirs, also: [{name: mine}, {name: ours}, {name: x}], threshold: 25%}}`, "gate.baseline"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for path, o := range map[string]client.Object{"spec.": parse(t, ns, tt.gate), "spec.runTemplate.spec.": schedule(t, ns, tt.gate)} {
				err := author.Create(t.Context(), o.DeepCopyObject().(client.Object), client.DryRunAll)
				refused := err != nil && strings.Contains(err.Error(), path+tt.field+": author-"+ns+" may not get BenchmarkBaseline ")
				if tt.field == "" && err != nil || tt.field != "" && !refused {
					t.Errorf("%s: %v", path, err)
				}
				if err := editor.Create(t.Context(), o, client.DryRunAll); err != nil {
					t.Errorf("who may edit: %s: %v", path, err)
				}
			}
		})
	}
}
