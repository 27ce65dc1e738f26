package admission

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// schedule with a template of these fields, which starts nothing by itself.
func schedule(t *testing.T, namespace, spec string) *unstructured.Unstructured {
	t.Helper()
	run := parse(t, namespace, spec)
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkSchedule"}}
	u.SetNamespace(namespace)
	u.SetGenerateName("schedule-")
	u.Object["spec"] = map[string]any{"schedule": "@yearly", "runTemplate": map[string]any{"spec": run.Object["spec"]}}
	return u
}

// asked waits until the policies of schedules are applied.
func asked(t *testing.T) {
	t.Helper()
	install(t)
	namespace := server.Namespace(t)
	user := grant(t, namespace, "early", "assay-edit")
	for _, forbidden := range []string{fields["spec.targets[].mysql.image"], fields["spec.targets[].external.credentials"], fields["spec.targets[].mysql.configFrom[]"]} {
		within(t, func() bool {
			return apierrors.IsForbidden(user.Create(t.Context(), schedule(t, namespace, forbidden), client.DryRunAll))
		})
	}
}

// Whatever a run may not have without a right, the template of a schedule may not have either.
func TestTemplatesAreAskedLikeRuns(t *testing.T) {
	asked(t)
	ns := server.Namespace(t)
	weak, able := grant(t, ns, "weak", "assay-edit"), grant(t, ns, "editor", edit...)
	if err := weak.Create(t.Context(), schedule(t, ns, plain), client.DryRunAll); err != nil {
		t.Errorf("a template that names nothing: %v", err)
	}
	for field, spec := range fields {
		t.Run(field, func(t *testing.T) {
			err := weak.Create(t.Context(), schedule(t, ns, spec), client.DryRunAll)
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), ": spec.runTemplate.spec.") {
				t.Errorf("without the right: %v; want a refusal that names the field", err)
			}
			if err := able.Create(t.Context(), schedule(t, ns, spec), client.DryRunAll); err != nil {
				t.Errorf("who may edit the namespace: %v", err)
			}
		})
	}
}

// Who may create schedules and no runs gets no run by a schedule.
func TestSchedulesNeedTheRightToCreateRuns(t *testing.T) {
	asked(t)
	ns := server.Namespace(t)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "schedules-only-" + ns}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"assay.dev"}, Resources: []string{"benchmarkschedules"}, Verbs: []string{"create", "patch", "update"}},
	}}
	if err := server.API.Create(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	user := grant(t, ns, "planner")
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "planner"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "planner-" + ns}},
	}
	if err := server.API.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	within(t, func() bool {
		err := user.Create(t.Context(), schedule(t, ns, plain), client.DryRunAll)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "may not create benchmarkruns")
	})
}

// Who changes a schedule, or lets it start a run, is asked for all that the template names; who labels
// it is not.
func TestUpdatesOfSchedules(t *testing.T) {
	asked(t)
	ns := server.Namespace(t)
	weak, editor := grant(t, ns, "weak", "assay-edit"), grant(t, ns, "editor", edit...)
	o := schedule(t, ns, fields["spec.targets[].external.credentials"])
	if err := editor.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for text, allowed := range map[string]bool{
		`{"metadata": {"labels": {"a": "b"}}}`:                           true,
		`{"metadata": {"annotations": {"a": "b"}}}`:                      true,
		`{"metadata": {"annotations": {"assay.dev/run-now": "1"}}}`:      false,
		`{"spec": {"schedule": "@hourly"}}`:                              false,
		`{"spec": {"suspend": true}}`:                                    false,
		`{"spec": {"runTemplate": {"spec": {"design": {"blocks": 7}}}}}`: false,
	} {
		patch := client.RawPatch(types.MergePatchType, []byte(text))
		err := weak.Patch(t.Context(), o.DeepCopy(), patch, client.DryRunAll)
		if allowed && err != nil || !allowed && !apierrors.IsForbidden(err) {
			t.Errorf("%s, without the right to the Secret: %v, want allowed: %v", text, err, allowed)
		}
		if err := editor.Patch(t.Context(), o.DeepCopy(), patch, client.DryRunAll); err != nil {
			t.Errorf("%s, by who may edit the namespace: %v", text, err)
		}
	}
}

// The manager creates the run of a template that was asked for, and has no right to pods itself.
func TestTheManagerCreatesRunsOfSchedules(t *testing.T) {
	asked(t)
	ns := server.Namespace(t)
	manager := grant(t, ns, "system:serviceaccount:assay-system:assay-manager")
	allowManager(t, ns, "system:serviceaccount:assay-system:assay-manager")
	within(t, func() bool {
		return manager.Create(t.Context(), parse(t, ns, fields["spec.targets[].mysql.image"]), client.DryRunAll) == nil
	})
}

// The template of a schedule can be changed, whatever of a run cannot.
func TestTemplatesCanBeChanged(t *testing.T) {
	server.Inputs(t)
	ns := server.Namespace(t)
	o := schedule(t, ns, plain)
	if err := server.API.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	other := parse(t, ns, `{targets: [{name: x, external: {host: h, credentials: {name: s}}}], matrix: [{name: threads, values: [1, 2]}], exclude: [{threads: 1}],
		workload: {sysbench: {test: oltp_write_only}}, design: {blocks: 3}, exclusive: false, deadline: 2h, analysis: {minimumEffect: "3%"}, gate: {baseline: b, threshold: "25%"}}`)
	if err := unstructured.SetNestedField(o.Object, other.Object["spec"], "spec", "runTemplate", "spec"); err != nil {
		t.Fatal(err)
	}
	// An object from the defaults of the first one would keep them: all is replaced.
	if err := server.API.Update(t.Context(), o); err != nil {
		t.Errorf("every field that a run cannot change: %v", err)
	}
	got := &v1alpha1.BenchmarkSchedule{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(o), got); err != nil || got.Spec.RunTemplate.Spec.Targets[0].Name != "x" {
		t.Errorf("%v, targets %v", err, got.Spec.RunTemplate.Spec.Targets)
	}
}

// What the API server refuses of a schedule, and what it says.
func TestBadSchedules(t *testing.T) {
	server.Inputs(t)
	ns := server.Namespace(t)
	storing := func(field string, value any) any {
		return map[string]any{"name": "db", "shape": map[string]any{"name": "small"}, "mysql": map[string]any{
			"flavor": "MySQL", "version": "8.4", "storage": map[string]any{"size": "1Gi", field: value},
		}}
	}
	retains, snapshots := storing("retain", true), storing("snapshot", map[string]any{"name": "tables"})
	tests := map[string]struct {
		change func(o map[string]any)
		want   string
	}{
		"a template that retains":   {set([]any{retains}, "spec", "runTemplate", "spec", "targets"), "mysql.storage.retain must be left out of a template"},
		"a template of snapshots":   {set([]any{snapshots}, "spec", "runTemplate", "spec", "targets"), "mysql.storage.snapshot must be left out of a template"},
		"a template with a ttl":     {set(300, "spec", "runTemplate", "spec", "ttlSecondsAfterFinished"), "ttlSecondsAfterFinished must be left out of a template"},
		"a suspended template":      {set(true, "spec", "runTemplate", "spec", "suspend"), "use spec.suspend of the schedule"},
		"a zone in a line":          {set("CRON_TZ=UTC 0 3 * * *", "spec", "schedule"), "use timeZone"},
		"an interval":               {set("@every 1h", "spec", "schedule"), "counts from the start of a program"},
		"a pattern without id":      {set("x", "spec", "runTemplate", "namePattern"), "namePattern"},
		"a pattern with anything":   {set("{name}-{id}", "spec", "runTemplate", "namePattern"), "namePattern"},
		"a long name":               {set(strings.Repeat("x", 48), "metadata", "name"), "at most 47 characters"},
		"a name with a dot":         {set("a.b", "metadata", "name"), "lower-case letters, digits"},
		"a label of Assay":          {set("x", "spec", "runTemplate", "metadata", "labels", "assay.dev/run"), "are Assay's own"},
		"a jitter of days":          {set("25h", "spec", "jitter"), "jitter must be between 0s and 24h"},
		"a deadline of nothing":     {set(1, "spec", "startingDeadlineSeconds"), "startingDeadlineSeconds"},
		"a bad template":            {set("1s", "spec", "runTemplate", "spec", "deadline"), "deadline must be between 1m and 720h"},
		"another concurrencyPolicy": {set("Never", "spec", "concurrencyPolicy"), "Unsupported value"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := schedule(t, ns, plain)
			o.SetGenerateName("")
			o.SetName("s")
			tt.change(o.Object)
			err := server.API.Create(t.Context(), o, client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func set(value any, path ...string) func(map[string]any) {
	return func(o map[string]any) {
		if n, is := value.(int); is {
			value = int64(n)
		}
		if err := unstructured.SetNestedField(o, value, path...); err != nil {
			panic(err)
		}
	}
}
