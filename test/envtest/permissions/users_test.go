package permissions

import (
	"os/exec"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

// userRole is a role of the chart for users.
func userRole(t *testing.T, name string) *rbacv1.ClusterRole {
	t.Helper()
	inputs.Read(t, root+"charts", root+"hack/tools/helm")
	rendered, err := exec.Command(root+"bin/helm", "template", "assay", root+"charts/assay", "--kube-version=1.34.0", "--show-only=templates/user-roles.yaml").Output()
	if err != nil {
		t.Fatalf("helm template: %v", err)
	}
	for doc := range strings.SplitSeq(string(rendered), "\n---\n") {
		role := &rbacv1.ClusterRole{}
		if err := yaml.Unmarshal([]byte(doc), role); err != nil {
			t.Fatal(err)
		}
		if role.Name == name {
			role.Name = "users-" + name
			return role
		}
	}
	t.Fatalf("the chart has no ClusterRole %s", name)
	return nil
}

// as is the API server with the rights of a user who is bound to one role in one namespace.
func as(t *testing.T, namespace, name string) client.Client {
	t.Helper()
	role := userRole(t, name)
	mustCreate(t, role)
	mustCreate(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "user-of-" + name}},
	})
	config := rest.CopyConfig(server.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "user-of-" + name}
	c, err := client.NewWithWatch(config, client.Options{Scheme: server.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whoever has nothing but assay-edit creates runs and sees what becomes of them; assay-view only
// sees them. Neither writes a status.
func TestUsersWithOneRole(t *testing.T) {
	if out, err := exec.Command(root+"hack/tool.sh", "helm").CombinedOutput(); err != nil {
		t.Fatalf("hack/tool.sh helm: %v\n%s", err, out)
	}
	namespace := server.Namespace(t)
	editor, viewer := as(t, namespace, "assay-edit"), as(t, namespace, "assay-view")
	run := &unstructured.Unstructured{}
	text := `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: mine, namespace: ` + namespace + `}, spec: {` +
		`targets: [{name: db, shape: {name: small}, mysql: {flavor: MySQL, version: '8.4'}}], clients: {shape: {name: small}}, workload: {sysbench: {test: oltp_read_only}}}}`
	if err := yaml.Unmarshal([]byte(text), &run.Object); err != nil {
		t.Fatal(err)
	}
	if err := viewer.Create(t.Context(), run.DeepCopy()); !apierrors.IsForbidden(err) {
		t.Errorf("assay-view creates a run: %v", err)
	}
	if err := editor.Create(t.Context(), run); err != nil {
		t.Fatalf("assay-edit cannot create a run: %v", err)
	}
	for name, user := range map[string]client.Client{"assay-edit": editor, "assay-view": viewer} {
		got, list := &v1alpha1.BenchmarkRun{}, &v1alpha1.BenchmarkRunList{}
		if err := user.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
			t.Errorf("%s cannot get a run: %v", name, err)
		}
		if err := user.List(t.Context(), list, client.InNamespace(namespace)); err != nil || len(list.Items) != 1 {
			t.Errorf("%s cannot list runs: %v, %d", name, err, len(list.Items))
		}
		watch, err := user.(client.WithWatch).Watch(t.Context(), list, client.InNamespace(namespace))
		if err != nil {
			t.Errorf("%s cannot watch runs: %v", name, err)
		} else {
			watch.Stop()
		}
		got.Status.Phase = v1alpha1.PhaseComplete
		if err := user.Status().Update(t.Context(), got); !apierrors.IsForbidden(err) {
			t.Errorf("%s writes a status: %v", name, err)
		}
	}
	if err := viewer.Delete(t.Context(), run); !apierrors.IsForbidden(err) {
		t.Errorf("assay-view deletes a run: %v", err)
	}
	if err := editor.Delete(t.Context(), run); err != nil {
		t.Errorf("assay-edit cannot delete its run: %v", err)
	}
}
