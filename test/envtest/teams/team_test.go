package teams

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
	"github.com/assay-bench/assay/test/helpers/pages"
	"github.com/assay-bench/assay/test/helpers/program"
)

// team has the namespaces NAME, of its runs, and NAME-assay, of its manager.
type team struct {
	name string
	// shell, and API, of a member: somebody of the group NAME.
	shell pages.Shell
	api   client.Client
	// manager is the API with the rights of the team's manager, and log the file with what that says.
	manager client.Client
	log     string
	// stop the manager.
	stop func()
}

// newTeam of a group that the administrator has given its namespaces.
func newTeam(t *testing.T, name string) *team {
	t.Helper()
	tm := &team{
		name: name, shell: shell(t, server.Kubeconfig(t, "member-of-"+name, "", name)), api: as(t, "member-of-"+name, name),
		manager: as(t, "system:serviceaccount:"+name+"-assay:assay-manager"), log: filepath.Join(t.TempDir(), "log"), stop: func() {},
	}
	// The authorizer learns of roles and bindings after a moment.
	for _, namespace := range []string{name, name + "-assay"} {
		within(t, "the rights of "+name, func() bool {
			return tm.api.Create(t.Context(), binding(namespace, "assay-manager-namespaces"), client.DryRunAll) == nil &&
				tm.api.Create(t.Context(), parse(t, namespace, "BenchmarkRun", "x", spec(name, catalogued)), client.DryRunAll) == nil
		})
	}
	return tm
}

// run commands as a member.
func (tm *team) run(t *testing.T, commands string) string {
	t.Helper()
	out, err := tm.shell.Run(t, commands)
	if err != nil {
		t.Fatalf("%s: %v\n%s", tm.name, err, out)
	}
	return out
}

func (tm *team) deployment(t *testing.T) (*appsv1.Deployment, error) {
	t.Helper()
	d := &appsv1.Deployment{}
	err := server.API.Get(t.Context(), client.ObjectKey{Namespace: tm.name + "-assay", Name: "assay-manager"}, d)
	return d, err
}

// start the manager that the team has installed, with its arguments and its configuration, and the kubelet of its runs.
func (tm *team) start(t *testing.T) {
	t.Helper()
	d, err := tm.deployment(t)
	if err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: d.Namespace, Name: "assay-manager-config"}, cm); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte(cm.Data["config.yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(tm.log)
	if err != nil {
		t.Fatal(err)
	}
	account := "system:serviceaccount:" + d.Namespace + ":" + d.Spec.Template.Spec.ServiceAccountName
	// A later flag wins over an earlier one.
	cmd := exec.Command(program.Manager(t), append(d.Spec.Template.Spec.Containers[0].Args, "--config="+config, "--metrics-bind-address=0", "--health-probe-bind-address=0")...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig(t, account, ""))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tm.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended: what it said tells why
		_ = cmd.Wait()
		_ = log.Close()
	})
	t.Cleanup(func() {
		tm.stop()
		if t.Failed() {
			t.Logf("the manager of %s says:\n%s", tm.name, tm.said(t))
		}
	})
	tm.play(t)
}

func (tm *team) said(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(tm.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// schedule by a member, which starts a run at once. Its template brings an image, which only who may create pods may: the member may, and
// the policies have to let the manager pass, which may not.
func (tm *team) schedule(t *testing.T) {
	t.Helper()
	mustCreate(t, tm.api, parse(t, tm.name, "BenchmarkSchedule", "nightly", "{onChange: true, runTemplate: {spec: "+spec(tm.name, `image: "registry.example.com/mysql:8.4"`)+"}}"))
}

// runNow starts another run of the schedule.
func (tm *team) runNow(t *testing.T) {
	t.Helper()
	s := &v1alpha1.BenchmarkSchedule{}
	if err := tm.api.Get(t.Context(), client.ObjectKey{Namespace: tm.name, Name: "nightly"}, s); err != nil {
		t.Fatal(err)
	}
	before := client.MergeFrom(s.DeepCopy())
	s.Annotations = map[string]string{v1alpha1.AnnotationRunNow: "again"}
	if err := tm.api.Patch(t.Context(), s, before); err != nil {
		t.Fatal(err)
	}
}

// await so many runs of the schedule, complete and in its history.
func (tm *team) await(t *testing.T, want int) {
	t.Helper()
	s := &v1alpha1.BenchmarkSchedule{}
	if err := tm.api.Get(t.Context(), client.ObjectKey{Namespace: tm.name, Name: "nightly"}, s); err != nil {
		t.Fatal(err)
	}
	within(t, fmt.Sprintf("%d complete runs of %s", want, tm.name), func() bool {
		var runs v1alpha1.BenchmarkRunList
		if err := tm.api.List(t.Context(), &runs, client.InNamespace(tm.name)); err != nil {
			t.Fatal(err)
		}
		complete := 0
		for i := range runs.Items {
			r := &runs.Items[i]
			if failed := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionFailed); failed != nil && failed.Status == metav1.ConditionTrue {
				t.Fatalf("%s of %s failed: %s: %s; the manager says:\n%s", r.Name, tm.name, failed.Reason, failed.Message, tm.said(t))
			}
			if apimeta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionComplete) {
				complete++
			}
		}
		cm := &corev1.ConfigMap{}
		if err := tm.api.Get(t.Context(), client.ObjectKey{Namespace: tm.name, Name: contract.HistoryName(s.Name, string(s.UID))}, cm); err != nil {
			return false // there is none before the first run has ended
		}
		past, err := history.Decode(cm.BinaryData[contract.KeyHistory])
		if err != nil {
			t.Fatal(err)
		}
		if len(runs.Items) > want || len(past.Runs) > want {
			t.Fatalf("%s has %d runs, and %d in its history, want %d", tm.name, len(runs.Items), len(past.Runs), want)
		}
		return complete == want && len(past.Runs) == want
	})
}
