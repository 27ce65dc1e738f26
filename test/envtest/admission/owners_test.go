package admission

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Who may edit a namespace makes no run look like one of a schedule: only a manager does. A run of a schedule can be labelled, and
// taken from its schedule, by anybody who may change it.
func TestOwnersOfRuns(t *testing.T) {
	asked(t)
	ns := server.Namespace(t)
	editor, manager := grant(t, ns, "editor", edit...), grant(t, ns, "system:serviceaccount:elsewhere:any-name")
	allowManager(t, ns, "system:serviceaccount:elsewhere:any-name")
	owner := schedule(t, ns, plain)
	if err := server.API.Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	owned := parse(t, ns, plain)
	owned.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind("BenchmarkSchedule"))})
	marked := parse(t, ns, plain)
	marked.SetAnnotations(map[string]string{v1alpha1.AnnotationScheduledTime: "2026-05-01T00:00:00Z"})
	refused := func(what, says string, err error) {
		t.Helper()
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want a refusal that says %q", what, err, says)
		}
	}
	within(t, func() bool {
		return apierrors.IsForbidden(editor.Create(t.Context(), owned.DeepCopy(), client.DryRunAll))
	})
	refused("an owner", "only the manager creates runs of a schedule", editor.Create(t.Context(), owned.DeepCopy(), client.DryRunAll))
	refused("an annotation", "only the manager sets assay.dev/trigger, assay.dev/scheduled-time", editor.Create(t.Context(), marked.DeepCopy(), client.DryRunAll))

	within(t, func() bool { return manager.Create(t.Context(), owned.DeepCopy(), client.DryRunAll) == nil })
	owned.SetAnnotations(marked.GetAnnotations())
	if err := manager.Create(t.Context(), owned); err != nil {
		t.Fatal(err)
	}
	own := parse(t, ns, plain)
	if err := editor.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	patch := func(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }
	for text, allowed := range map[string]bool{
		`{"metadata": {"labels": {"a": "b"}}}`:                                                       true,
		`{"metadata": {"annotations": {"a": "b"}}}`:                                                  true,
		`{"metadata": {"annotations": {"assay.dev/scheduled-time": null}}}`:                          false,
		`{"metadata": {"ownerReferences": null, "annotations": {"assay.dev/scheduled-time": null}}}`: true,
		`{"metadata": {"ownerReferences": null}}`:                                                    true,
		`{"metadata": {"annotations": {"assay.dev/scheduled-time": "2026-06-01T00:00:00Z"}}}`:        false,
		`{"metadata": {"annotations": {"assay.dev/replaces": "x"}}}`:                                 false,
	} {
		err := editor.Patch(t.Context(), owned.DeepCopy(), patch(text), client.DryRunAll)
		if allowed && err != nil || !allowed && !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v, want allowed: %v", text, err, allowed)
		}
	}
	// The garbage collector takes what blocks a deletion away.
	unblocked := owned.DeepCopy()
	refs := unblocked.GetOwnerReferences()
	refs[0].BlockOwnerDeletion = new(false)
	unblocked.SetOwnerReferences(refs)
	if err := editor.Update(t.Context(), unblocked, client.DryRunAll); err != nil {
		t.Errorf("what no longer blocks the deletion of its owner: %v", err)
	}
	other := owned.GetOwnerReferences()
	other[0].APIVersion = "evil.example/v1"
	own.SetOwnerReferences(other)
	refused("an owner of another group", "only the manager creates runs of a schedule", editor.Update(t.Context(), own, client.DryRunAll))
	own.SetOwnerReferences(owned.GetOwnerReferences())
	refused("an owner for a run of one's own", "only the manager creates runs of a schedule", editor.Update(t.Context(), own, client.DryRunAll))
}
