// Package permissions runs the manager on a real API server with the permissions
// that the chart grants, and no others: two runs that fail, and one that does all
// that a run can do, from their creation to their deletion, in each mode of the
// chart.
package permissions

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/autoscaler"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/inputs"
	"github.com/assay-bench/assay/test/helpers/program"
	"github.com/assay-bench/assay/test/helpers/snapshotter"
)

const root = "../../../"

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.MainWithAudit(m, &server)) }

func TestManagerNeedsNoMoreThanTheChartGrants(t *testing.T) {
	tests := map[string]struct {
		release string
		values  func(namespaces ...string) []string
	}{
		"scope Cluster": {"assay", func(...string) []string { return nil }},
		"scope Namespaced": {"assay-two", func(namespaces ...string) []string {
			return []string{"--set=rbac.scope=Namespaced", "--set=watchNamespaces={" + strings.Join(namespaces, ",") + "}"}
		}},
	}
	manager := program.Manager(t)
	autoscaler.API.Install(t, server.Config)
	snapshotter.API.Install(t, server.Config)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			namespace, played, system := server.Namespace(t), server.Namespace(t), server.Namespace(t)
			settings := install(t, tt.release, system, tt.values(namespace, played))
			play(t, played)
			snapshotter.Play(t, server.API, played)
			log := start(t, manager, settings, "0")
			create(t, namespace)
			createWhole(t, played)
			for _, o := range append(outcomes(namespace), wholeOutcome(t, played)) {
				if !eventually(t.Context(), o) {
					t.Fatalf("not within 30 s: %s; the manager says:\n%s", o.what, log)
				}
			}
			for _, again := range []func(*testing.T, string) outcome{createAgain, createCopy} {
				if o := again(t, played); !eventually(t.Context(), o) {
					t.Fatalf("not within 30 s: %s; the manager says:\n%s", o.what, log)
				}
			}
			if denied := regexp.MustCompile(`.*(forbidden|Unauthorized).*`).FindString(log.String()); denied != "" {
				t.Errorf("the manager was denied something: %s", denied)
			}
			checkVerbs(t, settings)
		})
	}
}

// settings of one installation.
type settings struct {
	args                []string
	config, credentials string
	// user is the manager, and rules are all that it was granted.
	user  string
	rules []rbacv1.PolicyRule
}

// install renders the chart and creates what it holds; the Deployment stays a
// list of arguments, because nothing here runs pods.
func install(t *testing.T, release, namespace string, values []string) settings {
	t.Helper()
	inputs.Read(t, root+"charts", root+"hack/tools/helm")
	if out, err := exec.Command(root+"hack/tool.sh", "helm").CombinedOutput(); err != nil {
		t.Fatalf("hack/tool.sh helm: %v\n%s", err, out)
	}
	args := append([]string{
		"template", release, root + "charts/assay", "--namespace=" + namespace, "--kube-version=1.34.0",
		// No controller makes pods here: a run that waits for one fails soon, and is cleaned up.
		"--set=crds.install=false,timeouts.podCreation=2s",
	}, values...)
	rendered, err := exec.Command(root+"bin/helm", args...).Output()
	if err != nil {
		t.Fatalf("helm template: %v", err)
	}
	s := settings{config: filepath.Join(t.TempDir(), "config.yaml")}
	for doc := range strings.SplitSeq("\n"+string(rendered), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			t.Fatal(err)
		}
		switch u.GetKind() {
		case "":
			continue
		case "ConfigMap":
			text, _, _ := unstructured.NestedString(u.Object, "data", "config.yaml")
			if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "Deployment":
			var d appsv1.Deployment
			if err := yaml.Unmarshal([]byte(doc), &d); err != nil {
				t.Fatal(err)
			}
			s.args = d.Spec.Template.Spec.Containers[0].Args
			s.user = "system:serviceaccount:" + namespace + ":" + d.Spec.Template.Spec.ServiceAccountName
			s.credentials = server.Kubeconfig(t, s.user, "")
		}
		s.rules = append(s.rules, managerRules(t, release, u.GetKind(), []byte(doc))...)
		if err := server.API.Create(t.Context(), u); err != nil {
			t.Fatalf("%s %s: %v", u.GetKind(), u.GetName(), err)
		}
		t.Cleanup(func() { _ = server.API.Delete(context.Background(), u) })
	}
	return s
}

// output of a process, read while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start runs the manager with the chart's arguments until the test ends.
func start(t *testing.T, manager string, s settings, metrics string) *output {
	t.Helper()
	log := &output{}
	// A later flag wins over an earlier one.
	cmd := exec.Command(manager, append(s.args, "--config="+s.config, "--metrics-bind-address="+metrics, "--health-probe-bind-address=0")...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.credentials)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	return log
}

const shape = "{inline: {cpu: 100m, memory: 128Mi}}"

// runs: one waits for the pod of a database, one for the pod of a client.
var runs = map[string]string{
	"provided": "targets: [{name: db, shape: " + shape + ", mysql: {flavor: MySQL, version: '8.4', storage: {retain: true}}}]",
	"external": "targets: [{name: db, external: {host: db.example.com, credentials: {name: db}, tls: Disabled, insecureSkipVerify: true}}]",
}

// create makes nodes, a shape, and the runs.
func create(t *testing.T, namespace string) {
	t.Helper()
	for _, name := range []string{"node-a", "node-b"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
		mustCreate(t, node)
		node.Spec.Taints = nil // The API server taints a node that nobody has seen yet.
		if err := server.API.Update(t.Context(), node); err != nil {
			t.Fatal(err)
		}
		node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("4Gi")}
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		if err := server.API.Status().Update(t.Context(), node); err != nil {
			t.Fatal(err)
		}
	}
	mustCreate(t, &v1alpha1.InstanceShape{
		ObjectMeta: metav1.ObjectMeta{Name: "small"}, Spec: v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi")},
	})
	mustCreate(t, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: namespace},
		Data:       map[string][]byte{"username": []byte("u"), "password": []byte("p")},
	})
	for name, targets := range runs {
		u := &unstructured.Unstructured{}
		text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: %s, namespace: %s}, spec: {
			exclusive: false, %s, clients: {shape: %s}, workload: {sysbench: {test: oltp_read_only}}, design: {blocks: 1, warmup: 0s, duration: 1s},
			ttlSecondsAfterFinished: 4}}`, name, namespace, targets, "{name: small}")
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		mustCreate(t, u)
	}
	mustCreate(t, asking(namespace))
	createSchedule(t, namespace)
	createBehind(t, namespace)
	createBaseline(t, namespace)
}

func mustCreate(t *testing.T, obj client.Object) {
	t.Helper()
	if err := server.API.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.API.Delete(context.Background(), obj) })
}

// outcome is something that the manager has to bring about.
type outcome struct {
	what  string
	holds func(context.Context) bool
}

// outcomes in the order in which they come.
func outcomes(namespace string) []outcome {
	get := func(ctx context.Context, obj client.Object, name string) error {
		return server.API.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, obj)
	}
	list := []outcome{
		{"the shape knows its nodes", func(ctx context.Context) bool {
			s := &v1alpha1.InstanceShape{}
			return server.API.Get(ctx, client.ObjectKey{Name: "small"}, s) == nil && s.Status.NodeCount != nil && *s.Status.NodeCount == 2
		}},
		{"the database has its StatefulSet", func(ctx context.Context) bool {
			return get(ctx, &appsv1.StatefulSet{}, "provided-db-db") == nil
		}},
		{"the client has its Job", func(ctx context.Context) bool {
			return get(ctx, &batchv1.Job{}, "external-db-load") == nil
		}},
	}
	for name := range runs {
		list = append(list, outcome{name + " fails for want of a pod", func(ctx context.Context) bool {
			run := &v1alpha1.BenchmarkRun{}
			return get(ctx, run, name) == nil && run.Status.Phase == v1alpha1.PhaseFailed && failure(run) == v1alpha1.ReasonPodRejected
		}})
	}
	list = append(list, askingOutcomes(namespace)...)
	list = append(append(list, scheduleOutcomes(namespace)...), baselineOutcome(namespace), behindOutcome(namespace))
	list = append(list, outcome{"what was made is torn down", func(ctx context.Context) bool {
		return apierrors.IsNotFound(get(ctx, &appsv1.StatefulSet{}, "provided-db-db")) &&
			apierrors.IsNotFound(get(ctx, &corev1.ServiceAccount{}, "external-assay-client"))
	}}, outcome{"the events are there", func(ctx context.Context) bool {
		var events corev1.EventList
		return server.API.List(ctx, &events, client.InNamespace(namespace)) == nil && len(events.Items) > 0
	}})
	for name := range runs {
		list = append(list, outcome{name + " is deleted in time", func(ctx context.Context) bool {
			return apierrors.IsNotFound(get(ctx, &v1alpha1.BenchmarkRun{}, name))
		}})
	}
	return list
}

func failure(run *v1alpha1.BenchmarkRun) string {
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionFailed && c.Status == metav1.ConditionTrue {
			return c.Reason
		}
	}
	return ""
}

func eventually(ctx context.Context, o outcome) bool {
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if o.holds(ctx) {
			return true
		}
	}
	return false
}
