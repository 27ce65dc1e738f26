package teams

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/inputs"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// play the pods of the team's runs.
func (tm *team) play(t *testing.T) {
	t.Helper()
	k := &kubelet.Kubelet{API: server.API, Namespace: tm.name, Client: func(trial contract.Trial) *contract.Result {
		return &contract.Result{
			Version: contract.ResultVersion, Trial: trial.Ref, State: contract.Succeeded, RawSHA256: contract.Digest([]byte("raw")),
			Tool: contract.Tool{Name: "sysbench"}, Data: &contract.Data{},
			Measurements: []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Value: new(1.0)}},
		}
	}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); k.Run(ctx, t) }()
	t.Cleanup(func() { cancel(); <-ended })
}

// machines of the team: two nodes and their shape, which an administrator of the cluster makes.
func (tm *team) machines(t *testing.T) {
	t.Helper()
	for i := range 2 {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", tm.name, i), Labels: map[string]string{"pool": tm.name}}}
		mustCreate(t, server.API, node)
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
	mustCreate(t, server.API, &v1alpha1.InstanceShape{ObjectMeta: metav1.ObjectMeta{Name: tm.name}, Spec: v1alpha1.InstanceShapeSpec{
		CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), NodeSelector: map[string]string{"pool": tm.name},
	}})
}

// checkShape: both managers count the nodes of each shape.
func (tm *team) checkShape(t *testing.T) {
	t.Helper()
	within(t, "the nodes of the shape "+tm.name, func() bool {
		s := &v1alpha1.InstanceShape{}
		err := server.API.Get(t.Context(), client.ObjectKey{Name: tm.name}, s)
		return err == nil && s.Status.NodeCount != nil && *s.Status.NodeCount == 2
	})
}

// shell in a folder with the chart, with kubectl and Helm.
func shell(t *testing.T, kubeconfig string) pages.Shell {
	t.Helper()
	inputs.Read(t, top+"/charts", top+"/hack/tools/helm")
	if out, err := exec.Command(top+"/hack/tool.sh", "helm").CombinedOutput(); err != nil {
		t.Fatalf("hack/tool.sh helm: %v\n%s", err, out)
	}
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "charts"), filepath.Join(folder, "charts")); err != nil {
		t.Fatal(err)
	}
	programs := strings.Join([]string{os.Getenv("KUBEBUILDER_ASSETS"), filepath.Join(root, "bin"), os.Getenv("PATH")}, ":")
	return pages.Shell{Dir: folder, Env: []string{"KUBECONFIG=" + kubeconfig, "PATH=" + programs}}
}

// as is the API with the rights of a user in groups.
func as(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	config := rest.CopyConfig(server.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	api, err := client.New(config, client.Options{Scheme: server.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// binding of a ClusterRole in a namespace, to a ServiceAccount there.
func binding(namespace, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "binds-" + role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "default"}},
	}
}

// catalogued is a server that the chart names.
const catalogued = `version: "8.4"`

// spec of a small run on the shape of a team. The server is given as YAML.
func spec(shape, mysql string) string {
	return fmt.Sprintf(`{targets: [{name: db, shape: {name: %[1]s}, mysql: {flavor: MySQL, %[2]s}}], clients: {shape: {name: %[1]s}},
		workload: {sysbench: {test: oltp_read_only}}, design: {blocks: 1, warmup: 0s, duration: 1s}}`, shape, mysql)
}

// parse an object of Assay, whose spec is given as YAML.
func parse(t *testing.T, namespace, kind, name, spec string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: assay.dev/v1alpha1, kind: %s, metadata: {namespace: %s, name: %s}, spec: %s}", kind, namespace, name, spec)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func mustCreate(t *testing.T, api client.Client, o client.Object) {
	t.Helper()
	if err := api.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", hang.Limit, what)
		}
	}
}
