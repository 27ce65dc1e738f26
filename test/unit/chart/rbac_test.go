package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// permissions are rules taken apart: "group/resource verb".
func permissions(rules ...rbacv1.PolicyRule) []string {
	var out []string
	for _, r := range rules {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					out = append(out, group+"/"+resource+" "+verb)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// wanted is what the manager needs, as controller-gen found it in the sources.
func wanted(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	data, err := os.ReadFile(root + "config/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(data, &role); err != nil {
		t.Fatal(err)
	}
	return role.Rules
}

func TestScopeCluster(t *testing.T) {
	o := mustHelm(t)
	got := find[rbacv1.ClusterRole](t, o, "ClusterRole /assay-manager")
	if diff := cmp.Diff(permissions(wanted(t)...), permissions(got.Rules...)); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Role assay-system/assay-manager-leader-election"}, o.keys("Role")); diff != "" {
		t.Errorf("Roles (-want +got):\n%s", diff)
	}
}

func TestScopeNamespaced(t *testing.T) {
	o := mustHelm(t, "--set=rbac.scope=Namespaced", "--set=watchNamespaces={a,b}")
	cluster := find[rbacv1.ClusterRole](t, o, "ClusterRole /assay-manager")
	want := []string{
		"/nodes get", "/nodes list", "/nodes watch",
		"assay.dev/instanceshapes get", "assay.dev/instanceshapes list", "assay.dev/instanceshapes watch",
		"assay.dev/instanceshapes/status update",
		"snapshot.storage.k8s.io/volumesnapshotcontents get",
	}
	if diff := cmp.Diff(want, permissions(cluster.Rules...)); diff != "" {
		t.Errorf("permissions in the whole cluster (-want +got):\n%s", diff)
	}
	for _, namespace := range []string{"a", "b"} {
		role := find[rbacv1.Role](t, o, "Role "+namespace+"/assay-manager")
		if diff := cmp.Diff(permissions(wanted(t)...), permissions(slices.Concat(cluster.Rules, role.Rules)...)); diff != "" {
			t.Errorf("permissions in namespace %s (-want +got):\n%s", namespace, diff)
		}
		binding := find[rbacv1.RoleBinding](t, o, "RoleBinding "+namespace+"/assay-manager")
		want := []rbacv1.Subject{{Kind: "ServiceAccount", Name: "assay-manager", Namespace: "assay-system"}}
		if diff := cmp.Diff(want, binding.Subjects); diff != "" {
			t.Errorf("subjects in namespace %s (-want +got):\n%s", namespace, diff)
		}
	}
	args := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec.Containers[0].Args
	if !slices.Contains(args, "--namespaces=a,b") {
		t.Errorf("the manager does not watch a and b: %v", args)
	}
}

// What the manager only gets by name, it may not list.
func TestNotListed(t *testing.T) {
	for _, r := range wanted(t) {
		for _, resource := range []string{"secrets", "services", "serviceaccounts", "networkpolicies", "poddisruptionbudgets", "roles", "rolebindings"} {
			if slices.Contains(r.Resources, resource) && (slices.Contains(r.Verbs, "list") || slices.Contains(r.Verbs, "watch")) {
				t.Errorf("the manager may %v %s", r.Verbs, resource)
			}
		}
	}
}

// No permission of the manager lets it read the Secrets' or change the objects of
// others more than a run needs: these verbs are never granted.
func TestNeverGranted(t *testing.T) {
	for _, r := range wanted(t) {
		for _, verb := range r.Verbs {
			if slices.Contains([]string{"*", "escalate", "bind", "impersonate", "deletecollection"}, verb) {
				t.Errorf("the manager may %s %v", verb, r.Resources)
			}
		}
		if slices.Contains(r.Resources, "*") || slices.Contains(r.APIGroups, "*") || slices.Contains(r.Resources, "pods/exec") {
			t.Errorf("the manager may %v %v of %v", r.Verbs, r.Resources, r.APIGroups)
		}
	}
}

// Both ways to install Assay give the same manager with the same permissions.
func TestKustomizeIsTheSame(t *testing.T) {
	chart, kustomize := mustHelm(t), mustKustomize(t, "config/default")
	if diff := cmp.Diff(pod(t, chart), pod(t, kustomize)); diff != "" {
		t.Errorf("the manager's pod (-chart +kustomize):\n%s", diff)
	}
	for _, name := range []string{"assay-manager", "assay-view", "assay-edit", "assay-manager-metrics", "assay-metrics-reader"} {
		a, b := find[rbacv1.ClusterRole](t, chart, "ClusterRole /"+name), find[rbacv1.ClusterRole](t, kustomize, "ClusterRole /"+name)
		if diff := cmp.Diff(permissions(a.Rules...), permissions(b.Rules...)); diff != "" {
			t.Errorf("ClusterRole %s (-chart +kustomize):\n%s", name, diff)
		}
		if diff := cmp.Diff(aggregation(a.Labels), aggregation(b.Labels)); diff != "" {
			t.Errorf("labels of ClusterRole %s (-chart +kustomize):\n%s", name, diff)
		}
	}
	key := "Role assay-system/assay-manager-leader-election"
	a, b := find[rbacv1.Role](t, chart, key), find[rbacv1.Role](t, kustomize, key)
	if diff := cmp.Diff(a.Rules, b.Rules); diff != "" {
		t.Errorf("%s (-chart +kustomize):\n%s", key, diff)
	}
}

// The policies are the same too, and each has its binding.
func TestPolicies(t *testing.T) {
	chart, kustomize := mustHelm(t), mustKustomize(t, "config/default")
	kinds := []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
	for _, kind := range kinds {
		var want []string
		for _, of := range []string{"benchmarkruns", "benchmarkschedules"} {
			for _, what := range []string{"baselines", "configmaps", "pods", "secrets", "services"} {
				want = append(want, kind+" /assay-"+of+"-"+what)
			}
		}
		want = append(want, kind+" /assay-benchmarkruns-owners", kind+" /assay-benchmarkbaselines-author")
		slices.Sort(want)
		if diff := cmp.Diff(want, chart.keys(kind)); diff != "" {
			t.Errorf("chart (-want +got):\n%s", diff)
		}
		for _, key := range want {
			a, b := find[map[string]any](t, chart, key), find[map[string]any](t, kustomize, key)
			if diff := cmp.Diff(a["spec"], b["spec"]); diff != "" {
				t.Errorf("%s (-chart +kustomize):\n%s", key, diff)
			}
		}
	}
	for what, args := range map[string][]string{
		"turned off":                     {"--set=admission.policy.enabled=false"},
		"an API server without the kind": {"--api-versions=v1/Pod"},
	} {
		for _, kind := range kinds {
			if got := mustHelm(t, args...).keys(kind); len(got) > 0 {
				t.Errorf("%s: %v", what, got)
			}
		}
	}
	both := []string{"--api-versions=v1/Pod", "--api-versions=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy"}
	if got := mustHelm(t, both...).keys(kinds[0]); len(got) != 12 {
		t.Errorf("an API server with the kind: %v", got)
	}
}

// Policies are bound to the namespaces that a release watches, and know no name of a manager: another release, or another namespace
// for it, changes nothing.
func TestPoliciesOfSeveralReleases(t *testing.T) {
	chart := mustHelm(t, "--set=rbac.scope=Namespaced,watchNamespaces={a,b}")
	for _, key := range chart.keys("ValidatingAdmissionPolicyBinding") {
		b := find[admissionv1.ValidatingAdmissionPolicyBinding](t, chart, key)
		want := []metav1.LabelSelectorRequirement{{Key: "kubernetes.io/metadata.name", Operator: "In", Values: []string{"a", "b"}}}
		if b.Spec.MatchResources == nil || !cmp.Equal(want, b.Spec.MatchResources.NamespaceSelector.MatchExpressions) {
			t.Errorf("%s is bound to %+v", key, b.Spec.MatchResources)
		}
	}
	overlay := t.TempDir()
	base, err := filepath.Abs(root + "config/default")
	if err != nil {
		t.Fatal(err)
	}
	if base, err = filepath.Rel(overlay, base); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte("namespace: elsewhere\nresources: ["+base+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := tool(t, "kustomize", "build", overlay)
	if err != nil {
		t.Fatal(err, text)
	}
	moved := parse(t, text)
	if got := find[rbacv1.ClusterRoleBinding](t, moved, "ClusterRoleBinding /assay-manager").Subjects[0].Namespace; got != "elsewhere" {
		t.Errorf("the binding is for a manager in %s", got)
	}
	for _, doc := range moved {
		if strings.Contains(string(doc), "assay-system") {
			t.Errorf("it names the namespace of the base:\n%.500s", doc)
		}
	}
}

// Without an account of its own the manager's rights would be those of every pod of the namespace.
func TestAnAccountIsNamed(t *testing.T) {
	if out, err := helm(t, "--set=serviceAccount.create=false"); err == nil || !strings.Contains(out, "serviceAccount.create: false needs serviceAccount.name") {
		t.Errorf("%v: %s", err, out)
	}
	if got := find[rbacv1.ClusterRoleBinding](t, mustHelm(t, "--set=serviceAccount.create=false,serviceAccount.name=own"), "ClusterRoleBinding /assay-manager").Subjects[0].Name; got != "own" {
		t.Errorf("the account is %s", got)
	}
}

// pod of the manager without what is meant to differ.
func pod(t *testing.T, o objects) corev1.PodSpec {
	t.Helper()
	spec := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec
	spec.Volumes[0].ConfigMap.Name = "" // kustomize adds a hash
	args := &spec.Containers[0].Args
	*args = slices.DeleteFunc(*args, func(a string) bool { return strings.HasPrefix(a, "--leader-election-namespace=") })
	return spec
}

func aggregation(labels map[string]string) []string {
	var out []string
	for name, value := range labels {
		if strings.HasPrefix(name, "rbac.authorization.k8s.io/aggregate-to-") {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}

// The manager's own pod meets the restricted Pod Security Standard.
func TestRestricted(t *testing.T) {
	spec := pod(t, mustHelm(t))
	c := spec.Containers[0].SecurityContext
	switch {
	case spec.SecurityContext.RunAsNonRoot == nil || !*spec.SecurityContext.RunAsNonRoot:
		t.Error("it may run as root")
	case spec.SecurityContext.SeccompProfile == nil || spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		t.Error("it has no seccomp profile")
	case c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation:
		t.Error("it may gain privileges")
	case c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem:
		t.Error("it may write to its file system")
	case !slices.Equal(c.Capabilities.Drop, []corev1.Capability{"ALL"}):
		t.Error("it keeps capabilities")
	}
}
