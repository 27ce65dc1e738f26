package admission

import (
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
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

// Who promotes numbers does so in his own name. GitOps writes what others have promoted, by a right. What changes nothing of the promotion is
// nobody's promotion.
func TestAuthorsOfPromotions(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	others := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "promote-as-" + ns}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"assay.dev"}, Resources: []string{"benchmarkbaselines"}, Verbs: []string{"promote-as"}},
	}}
	if err := server.API.Create(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	editor := grant(t, ns, "editor", edit...)
	lead, gitops := grant(t, ns, "lead", "assay-edit", "assay-promote"), grant(t, ns, "gitops", "assay-edit", "assay-promote", others.Name)
	by := func(author string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkBaseline, metadata: {namespace: %s, generateName: b-}, spec: {run: {name: r}, 
			promotion: {time: "2026-11-01T09:00:00Z", author: %s, reason: r}, measurements: [{target: db, name: throughput, unit: tx/s, direction: HigherIsBetter, blocks: ["1", "2"]}]}}`, ns, author)
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		return u
	}
	if err := editor.Create(t.Context(), by("editor-"+ns), client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("who may edit the namespace: %v, want a refusal", err)
	}
	within(t, func() bool { return gitops.Create(t.Context(), by("somebody"), client.DryRunAll) == nil })
	within(t, func() bool {
		err := lead.Create(t.Context(), by("somebody"), client.DryRunAll)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "spec.promotion.author is somebody, and you are lead-"+ns)
	})
	own := by("lead-" + ns)
	if err := lead.Create(t.Context(), own); err != nil {
		t.Fatalf("in one's own name: %v", err)
	}
	theirs := by("somebody")
	if err := gitops.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	theirs.SetLabels(map[string]string{"a": "b"})
	if err := lead.Update(t.Context(), theirs); err != nil {
		t.Errorf("a label for the promotion of somebody else: %v", err)
	}
	for what, change := range map[string]func(spec map[string]any){
		"another author":           func(spec map[string]any) { spec["promotion"].(map[string]any)["author"] = "somebody" },
		"numbers of somebody else": func(spec map[string]any) { spec["measurements"].([]any)[0].(map[string]any)["blocks"] = []any{"9"} },
	} {
		changed := map[string]*unstructured.Unstructured{"another author": own, "numbers of somebody else": theirs}[what].DeepCopy()
		change(changed.Object["spec"].(map[string]any))
		if err := lead.Update(t.Context(), changed, client.DryRunAll); !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v, want a refusal", what, err)
		}
	}
}
