package plugin

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/cli/exit"
)

// What `shapes` prints for programs is what the API server takes as it is: as YAML and as JSON. It needs to list nodes, and no more.
func TestShapesAreTaken(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "big", Labels: map[string]string{corev1.LabelInstanceTypeStable: "m5.xlarge", corev1.LabelHostname: "big"}}}
	create(t, node)
	node.Spec.Taints = []corev1.Taint{{Key: "bench", Value: "yes", Effect: corev1.TaintEffectNoSchedule}} // and not that of a node that is new
	if err := server.API.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3920m"), corev1.ResourceMemory: resource.MustParse("15Gi")}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if err := server.API.Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	const user = "lists-nodes"
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}}})
	create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})
	for _, format := range []string{"yaml", "json"} {
		var got said
		within(t, "the right is known", func() bool {
			got = call(t.Context(), as(t, user, "default", ""), "shapes", "-o", format)
			return !strings.Contains(got.problems, "is forbidden")
		})
		if got.code != exit.OK {
			t.Fatalf("%s", got)
		}
		list := &unstructured.UnstructuredList{}
		data, err := yaml.YAMLToJSON([]byte(got.out))
		if err != nil {
			t.Fatal(err)
		}
		if err := list.UnmarshalJSON(data); err != nil || list.GetKind() != "List" || len(list.Items) != 1 {
			t.Fatalf("%v: %d shapes: %s", err, len(list.Items), got)
		}
		shape := list.Items[0]
		if err := server.API.Create(t.Context(), &shape, client.DryRunAll); err != nil || shape.GetName() != "m5-xlarge" || fmt.Sprint(shape.Object["kind"]) != "InstanceShape" {
			t.Errorf("%s: %v", shape.GetName(), err)
		}
	}
}
