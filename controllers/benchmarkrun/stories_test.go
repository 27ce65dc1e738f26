package benchmarkrun

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestRunEndsWithItsResults(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)

	wantSummary := []v1alpha1.SummaryEntry{
		{Target: "db", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter", Median: "1027.8", Min: "1027.8", Max: "1027.8", TrialCount: 3, PlannedTrialCount: 3,
			Steadiness: &v1alpha1.SteadinessCount{TooShort: 3}},
	}
	if diff := cmp.Diff(wantSummary, got.Status.Summary[:1]); diff != "" {
		t.Errorf("summary differs (-want +got):\n%s", diff)
	}
	if got.Status.Headline != "db 1,028 tx/s (n=3, steadiness unknown)" || got.Status.Progress.Text != "3/3" || got.Status.Phase != v1alpha1.PhaseComplete {
		t.Errorf("headline %q, progress %q, phase %q", got.Status.Headline, got.Status.Progress.Text, got.Status.Phase)
	}
	if !isTrue(v1alpha1.ConditionValid)(got) {
		t.Errorf("not valid: %+v", got.Status.Findings)
	}
	inSummary := func(name string) bool {
		return slices.ContainsFunc(got.Status.Summary, func(e v1alpha1.SummaryEntry) bool { return e.Name == name })
	}
	for _, name := range []string{contract.NameQueries, contract.NameLatencyMin, contract.NameLatencyMax, contract.NameLatencyPercentile} {
		if !inSummary(name) {
			t.Errorf("the summary has no %s", name)
		}
	}
	db := got.Status.Targets[0]
	wantLoad := []v1alpha1.Value{
		{Name: "time.load", Value: "0.001", Unit: "s", Direction: "LowerIsBetter"}, {Name: "rows.loaded", Value: "20000", Unit: "1"},
		{Name: "throughput.rows", Value: "20000000", Unit: "rows/s", Direction: "HigherIsBetter"},
	}
	if diff := cmp.Diff(wantLoad, db.Load); diff != "" {
		t.Errorf("the load differs (-want +got):\n%s", diff)
	}
	if db.NodeName != "node-target" || db.ServerVersion != "10.11.19-MariaDB" || db.ImageID == "" {
		t.Errorf("the target is not described: %+v", db)
	}
	types := map[string]string{}
	for _, n := range got.Status.Nodes {
		types[n.Name] = n.InstanceType
	}
	if diff := cmp.Diff(map[string]string{"node-target": "type-t", "node-client": "type-c"}, types); diff != "" {
		t.Errorf("the nodes are not described (-want +got):\n%s", diff)
	}
	if tr := got.Status.Trials[0]; tr.ClientNodeNames[0] != "node-client" || tr.TargetNodeName != "node-target" || tr.ClientImageID == "" || tr.Result != "run-trial-00000-result-0" {
		t.Errorf("the trial is not described: %+v", tr)
	}
	// Everything but the results goes.
	want := map[string][]string{"ConfigMap": {
		"run-db-load-result-0", "run-plan-0000", "run-records-0000", "run-summary-0000", "run-trial-00000-result-0", "run-trial-00001-result-0", "run-trial-00002-result-0",
	}}
	eventually(t, "only results are left", func() string { return cmp.Diff(want, children(t, ns)) })
}

func TestSettingsAreMergedAndPinned(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	release := make(chan struct{})
	k := &kubelet.Kubelet{Namespace: ns}
	good := goodClient(t)
	k.Client = func(trial contract.Trial) *contract.Result { <-release; return good(trial) }
	startKubelet(t, k)
	for name, data := range map[string]map[string]string{
		"base":  {"my.cnf": "[mysqld]\ninnodb-buffer-pool-size = 1G\nmax_connections=100\n[client]\nuser=x\n"},
		"tuned": {"max_connections": "500"},
	} {
		cm := &corev1.ConfigMap{Data: data}
		cm.Name, cm.Namespace = name, ns
		if err := server.API.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		m := r.Spec.Targets[0].MySQL
		m.ConfigFrom = []corev1.LocalObjectReference{{Name: "base"}, {Name: "tuned"}}
		m.Config = map[string]string{"innodb_buffer_pool_size": "2G"}
	})
	create(t, run)
	got := await(t, run, "Placed", isTrue(v1alpha1.ConditionPlaced))
	close(release)
	want := []v1alpha1.ServerSetting{
		{Name: "max_connections", Value: "500", Source: v1alpha1.SourceSpec}, {Name: "innodb_buffer_pool_size", Value: "2G", Source: v1alpha1.SourceSpec},
	}
	if diff := cmp.Diff(want, got.Status.Resolved.Targets[0].Settings); diff != "" {
		t.Errorf("settings differ (-want +got):\n%s", diff)
	}
	// A change of the ConfigMap does not reach a run that was accepted.
	base := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "base"}, base); err != nil {
		t.Fatal(err)
	}
	base.Data["my.cnf"] = "[mysqld]\nmax_connections=1\n"
	if err := server.API.Update(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	got = await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if diff := cmp.Diff(want, got.Status.Resolved.Targets[0].Settings); diff != "" {
		t.Errorf("the settings changed under the run (-want +got):\n%s", diff)
	}
}

func TestTargetsAreMeasuredInTurn(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		second := *r.Spec.Targets[0].DeepCopy()
		second.Name, second.MySQL.Flavor, second.MySQL.Version = "my", "MySQL", "9.7"
		r.Spec.Targets = append(r.Spec.Targets, second)
		r.Spec.Design.Blocks, r.Spec.Design.Order = 2, v1alpha1.OrderABBA
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 4)
	var order []string
	for _, tr := range got.Status.Trials {
		order = append(order, tr.Target)
	}
	if want := []string{"db", "my", "my", "db"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

func TestSuspendHoldsBackAndReleases(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Suspend, r.Spec.Design.Blocks = true, 6 })
	create(t, run)
	got := await(t, run, "Suspended", isTrue(v1alpha1.ConditionSuspended))
	time.Sleep(300 * time.Millisecond)
	if diff := cmp.Diff(map[string][]string{}, children(t, ns)); diff != "" {
		t.Errorf("a suspended run made objects (-want +got):\n%s", diff)
	}
	if got.Status.Phase != v1alpha1.PhaseSuspended {
		t.Errorf("phase %s", got.Status.Phase)
	}
	suspend := func(yes bool) {
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, yes))
		if err := server.API.Patch(t.Context(), run, patch); err != nil {
			t.Fatal(err)
		}
	}
	suspend(false)
	await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 0 })
	before := time.Now()
	suspend(true)
	await(t, run, "suspended between trials", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseSuspended })
	time.Sleep(1100 * time.Millisecond)
	suspend(false)
	got = await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 6)
	// Time before the start counts towards no deadline anyway.
	if d := got.Status.SuspendedDuration; d == nil || d.Duration < time.Second || d.Duration > time.Since(before) {
		t.Errorf("the time suspended was not counted: %v", d)
	}
}

func TestClientMayTouchOnlyItsOwnTrial(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var role rbacv1.Role
	k := &kubelet.Kubelet{Namespace: ns}
	good := goodClient(t)
	k.Client = func(trial contract.Trial) *contract.Result {
		if trial.Ref.Index != nil && *trial.Ref.Index == 1 {
			if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.ClientName("run")}, &role); err != nil {
				t.Errorf("reading the Role: %v", err)
			}
		}
		return good(trial)
	}
	startKubelet(t, k)
	run := newRun(t, ns)
	create(t, run)
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	want := []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"run-trial-00001"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"run-trial-00001-result-0"}, Verbs: []string{"get", "patch"}},
	}
	if diff := cmp.Diff(want, role.Rules); diff != "" {
		t.Errorf("the Role differs (-want +got):\n%s", diff)
	}
}

func TestNothingIsWrittenWhileATrialRuns(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	release := make(chan struct{})
	k := &kubelet.Kubelet{Namespace: ns}
	good := goodClient(t)
	k.Client = func(trial contract.Trial) *contract.Result {
		if trial.Ref.Phase == string(contract.PhaseRun) {
			<-release
		}
		return good(trial)
	}
	startKubelet(t, k)
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 1 })
	create(t, run)
	measuring := func(r *v1alpha1.BenchmarkRun) bool {
		cm := &corev1.ConfigMap{}
		err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TrialName("run", 0, 0)}, cm)
		return err == nil && cm.Data[contract.KeyStart] != ""
	}
	await(t, run, "measuring", measuring)
	// The manager and the kubelet come to rest.
	first := versions(t, ns)
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); {
		before := first
		time.Sleep(2 * time.Second)
		if first = versions(t, ns); cmp.Equal(before, first) {
			break
		}
	}
	time.Sleep(poll + 2*time.Second)
	if diff := cmp.Diff(first, versions(t, ns)); diff != "" {
		t.Errorf("objects changed while the trial was running (-before +after):\n%s", diff)
	}
	close(release)
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// versions are the resource versions of everything in a namespace that a manager
// could write.
func versions(t *testing.T, namespace string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, list := range []client.ObjectList{&v1alpha1.BenchmarkRunList{}, &corev1.ConfigMapList{}, &batchv1.JobList{}, &rbacv1.RoleList{}, &corev1.SecretList{}} {
		if err := server.API.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		items, err := apimeta.ExtractList(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range items {
			obj := o.(client.Object)
			out[string(obj.GetUID())] = obj.GetResourceVersion()
		}
	}
	return out
}
