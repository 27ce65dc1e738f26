package benchmarkrun

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"
)

func TestRunEndsWithItsResults(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)

	wantSummary := []v1alpha1.SummaryEntry{
		{Target: "db", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter", Median: "1027.8", Min: "1027.8", Max: "1027.8", TrialCount: 3, PlannedTrialCount: 3},
	}
	if diff := cmp.Diff(wantSummary, got.Status.Summary[:1]); diff != "" {
		t.Errorf("summary differs (-want +got):\n%s", diff)
	}
	if got.Status.Headline != "db 1028 tx/s (n=3)" || got.Status.Progress.Text != "3/3" || got.Status.Phase != v1alpha1.PhaseComplete {
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

func eventually(t *testing.T, what string, diff func() string) {
	t.Helper()
	var d string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if d = diff(); d == "" {
			return
		}
	}
	t.Errorf("not so: %s (-want +got):\n%s", what, d)
}

func TestSettingsAreMergedAndPinned(t *testing.T) {
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

// hardships are runs that a manager has to carry out although it dies again and again.
var hardships = map[string]struct {
	change func(*v1alpha1.BenchmarkRun)
	// bad says which attempts fail; nil for none.
	bad func(index, attempt int) bool
}{
	"one client": {change: func(*v1alpha1.BenchmarkRun) {}},
	"two clients, and trials that are repeated": {
		change: func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Clients.Count, r.Spec.Design.OnTrialFailure = 2, v1alpha1.OnFailureRetry
		},
		bad: func(index, attempt int) bool { return index%3 == 1 && attempt == 0 },
	},
}

// checkHardship: every attempt that had to be is in the journal once, in order.
func checkHardship(t *testing.T, k *kubelet.Kubelet, run *v1alpha1.BenchmarkRun, bad func(index, attempt int) bool) {
	t.Helper()
	trials := int(run.Status.Progress.Planned)
	if bad == nil {
		checkOnce(t, k, run, trials)
		return
	}
	var want []string
	tools := []string{}
	retries := int32(0)
	for i := range int32(trials) {
		tools = append(tools, contract.TrialName("run", i, 0))
		if bad(int(i), 0) {
			want = append(want, fmt.Sprintf("%d/0 Failed", i), fmt.Sprintf("%d/1 Succeeded!", i))
			tools = append(tools, contract.TrialName("run", i, 1))
			retries++
			continue
		}
		want = append(want, fmt.Sprintf("%d/0 Succeeded!", i))
	}
	if diff := cmp.Diff(want, attempts(t, run)); diff != "" {
		t.Errorf("the journal differs (-want +got):\n%s", diff)
	}
	totals := v1alpha1.Totals{Done: int32(trials), Succeeded: int32(trials), Retries: retries}
	if diff := cmp.Diff(totals, run.Status.Progress.Totals); diff != "" {
		t.Errorf("totals differ (-want +got):\n%s", diff)
	}
	checkTools(t, k, tools)
	for job, n := range k.Jobs() {
		if n != 1 {
			t.Errorf("Job %s was created %d times", job, n)
		}
	}
}

// hardshipKubelet plays the cluster of a hardship.
func hardshipKubelet(t *testing.T, namespace string, bad func(index, attempt int) bool) *kubelet.Kubelet {
	t.Helper()
	k := &kubelet.Kubelet{Namespace: namespace}
	if bad != nil {
		k.Client = failing(delivers(always(1)), bad)
	}
	return startKubelet(t, k)
}

// The manager is killed again and again, and more often than a trial takes.
func TestKilledManagerGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range hardships {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			k := hardshipKubelet(t, ns, tt.bad)
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 12 }, tt.change)
			create(t, run)
			kills := killUntilFinished(t, ns, run)
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			checkHardship(t, k, got, tt.bad)
			if kills < 10 {
				t.Errorf("the run survived only %d kills: too few to prove anything", kills)
			}
			t.Logf("%d kills in a run of 12 trials", kills)
		})
	}
}

func killUntilFinished(t *testing.T, namespace string, run *v1alpha1.BenchmarkRun) (kills int) {
	t.Helper()
	for kills < 100 {
		kill := startManager(t, namespace, nil)
		// From before the first pass, for which its caches must be full, to some trials
		// later.
		time.Sleep(time.Duration(250+kills*137%700) * time.Millisecond)
		kill()
		kills++
		if isFinished(t, run) {
			return kills
		}
	}
	// On a machine with much else to do, none of them got far.
	startManager(t, namespace, nil)
	return kills
}

func isFinished(t *testing.T, run *v1alpha1.BenchmarkRun) bool {
	t.Helper()
	got := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
		t.Fatal(err)
	}
	return got.Finished()
}

// The manager dies right before or right after every single write that it makes.
func TestManagerDyingAtEveryWriteGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range hardships {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			k := hardshipKubelet(t, ns, tt.bad)
			run := newRun(t, ns, tt.change)
			create(t, run)
			for lives := 1; ; lives++ {
				dead := make(chan struct{})
				lose := int32(0)
				if lives%2 == 0 {
					lose = int32(lives/2%7 + 1)
				}
				kill := startManager(t, ns, func(c client.Client) client.Client { return mortal(c, lose, dead) })
				select {
				case <-dead:
				case <-time.After(time.Second):
				}
				kill()
				if isFinished(t, run) {
					t.Logf("%d lives", lives)
					break
				}
				if lives > 300 {
					t.Fatal("300 lives were not enough")
				}
			}
			checkHardship(t, k, await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete)), tt.bad)
		})
	}
}

func TestJobTakenAwayIsNotRepeated(t *testing.T) {
	ns := server.Namespace(t)
	var taken atomic.Bool
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	good := k.Client
	k.Client = func(trial contract.Trial) *contract.Result {
		if trial.Ref.Index != nil && *trial.Ref.Index == 1 && taken.CompareAndSwap(false, true) {
			job := &batchv1.Job{}
			job.Name, job.Namespace = contract.TrialName("run", 1, 0), ns
			if err := server.API.Delete(t.Context(), job, client.PropagationPolicy("Background")); err != nil {
				t.Errorf("deleting the Job: %v", err)
			}
			return nil
		}
		return good(trial)
	}
	startManager(t, ns, nil)
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	reason := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed).Reason
	if reason != v1alpha1.ReasonClientLost && reason != v1alpha1.ReasonResultMissing {
		t.Errorf("reason %s", reason)
	}
	if n := k.ToolStarts()["run-trial-00001"]; n != 1 {
		t.Errorf("the trial was run %d times", n)
	}
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].TrialCount != 1 {
		t.Errorf("the trial before the failure is lost: %+v", got.Status.Summary)
	}
}

func TestSuspendHoldsBackAndReleases(t *testing.T) {
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
	suspend(true)
	await(t, run, "suspended between trials", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseSuspended })
	time.Sleep(1100 * time.Millisecond)
	suspend(false)
	got = await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 6)
	// Time before the start counts towards no deadline anyway.
	if got.Status.SuspendedDuration == nil || got.Status.SuspendedDuration.Duration < time.Second || got.Status.SuspendedDuration.Duration > 30*time.Second {
		t.Errorf("the time suspended was not counted: %v", got.Status.SuspendedDuration)
	}
}

func TestTTLDeletesTheRun(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks = 1
		r.Spec.TTLSecondsAfterFinished = new(int32(1))
	})
	create(t, run)
	eventually(t, "the run is gone", func() string {
		err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), &v1alpha1.BenchmarkRun{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return "still there"
	})
}

func TestDeadlineEndsTheRun(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := &kubelet.Kubelet{Namespace: ns}
	// The second trial never gets anywhere.
	k.ClientStatus = func(job *batchv1.Job) *corev1.ContainerStatus {
		if job.Name != contract.TrialName("run", 1, 0) {
			return nil
		}
		return &corev1.ContainerStatus{Name: "runner", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}}
	}
	startKubelet(t, k)
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "in its second trial", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Progress.CurrentTrial != nil && *r.Status.Progress.CurrentTrial == 1
	})
	// The deadline cannot be changed and is at least a minute: let the start be long ago.
	for {
		got.Status.StartTime.Time = got.Status.StartTime.Add(-2 * time.Hour)
		if server.API.Status().Update(t.Context(), got) == nil {
			break
		}
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Fatal(err)
		}
	}
	got = failedWith(t, run, v1alpha1.ReasonDeadlineExceeded)
	if !isTrue(v1alpha1.ConditionAccepted)(got) || isTrue(v1alpha1.ConditionMeasured)(got) {
		t.Errorf("the deadline stands at the wrong step: %+v", got.Status.Conditions)
	}
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].TrialCount != 1 {
		t.Errorf("what was measured before is lost: %+v", got.Status.Summary)
	}
	if second := got.Status.Trials[1]; second.State != v1alpha1.TrialFailed || second.Reason != v1alpha1.ReasonDeadlineExceeded {
		t.Errorf("the trial that was running: %+v", second)
	}
	eventually(t, "nothing runs any more", func() string { return cmp.Diff([]string(nil), children(t, ns)["Job"]) })
}

// A run that fails leaves no tables behind in somebody else's server, and it still
// ends with the reason of its failure.
func TestFailedRunCleansExternalTargets(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := &kubelet.Kubelet{Namespace: ns}
	good := goodClient(t)
	k.Client = func(trial contract.Trial) *contract.Result {
		res := good(trial)
		if trial.Ref.Phase == string(contract.PhaseRun) {
			res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonConnectionLost, Message: "gone"}
		}
		return res
	}
	startKubelet(t, k)
	secret := &corev1.Secret{StringData: map[string]string{"username": "u", "password": "p"}}
	secret.Name, secret.Namespace = "cloud", ns
	if err := server.API.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets = []v1alpha1.Target{{Name: "cloud", External: &v1alpha1.ExternalTarget{
			Host: "db.example", Credentials: corev1.LocalObjectReference{Name: "cloud"},
		}}}
	})
	create(t, run)
	got := failedWith(t, run, string(contract.ReasonConnectionLost))
	want := map[string]int{"run-cloud-load": 1, "run-trial-00000": 1, "run-cloud-cleanup": 1}
	if diff := cmp.Diff(want, k.ToolStarts()); diff != "" {
		t.Errorf("the tool was started (-want +got):\n%s", diff)
	}
	if got.Status.Targets[0].CleanupResult == "" {
		t.Error("the clean-up is not in the status")
	}
}

func TestRetain(t *testing.T) {
	tests := map[string]struct {
		retain v1alpha1.RetainPolicy
		fails  bool
		want   bool
	}{
		"Never tears a failed run down":             {v1alpha1.RetainNever, true, false},
		"OnFailure keeps a failed run":              {v1alpha1.RetainOnFailure, true, true},
		"OnFailure tears a complete run down":       {v1alpha1.RetainOnFailure, false, false},
		"Always keeps a complete run, Jobs and all": {v1alpha1.RetainAlways, false, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ns := server.Namespace(t)
			k := &kubelet.Kubelet{Namespace: ns}
			if tt.fails {
				k.Client = func(contract.Trial) *contract.Result { return nil }
			}
			startManager(t, ns, nil)
			startKubelet(t, k)
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain, r.Spec.Design.Blocks = tt.retain, 1 })
			create(t, run)
			await(t, run, "finished", (*v1alpha1.BenchmarkRun).Finished)
			eventually(t, "the database stays as told", func() string {
				return cmp.Diff(tt.want, len(children(t, ns)["StatefulSet"]) == 1)
			})
			eventually(t, "the Job stays as told", func() string {
				return cmp.Diff(tt.want, len(children(t, ns)["Job"]) > 0)
			})
		})
	}
}

func TestClientMayTouchOnlyItsOwnTrial(t *testing.T) {
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
	time.Sleep(500 * time.Millisecond)
	first := versions(t, ns)
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
