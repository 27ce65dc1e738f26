package resources

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// requestedPod is a placeholder of a run whose nodes are requested.
func requestedPod(index int, of string) Placeholder {
	run := run()
	run.Status.Resolved.AgentImage, run.Status.Resolved.ClientShape = "agent:1", shape("c")
	s := shape("t")
	s.Nodes, s.ProvisioningClass = v1alpha1.NodesProvisioned, "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
	return Placeholder{Run: run, Index: index, Target: of, Shape: s, Within: 15 * time.Minute, Pods: config.Default().Pods, Request: "run-place-db"}
}

// A request has a set of pods for each group, and a time after which nobody asks any more.
func TestRequest(t *testing.T) {
	sets := []PodSet{{First: requestedPod(0, "db"), Count: 3}, {First: requestedPod(3, ""), Count: 2}}
	owner := map[string]any{
		"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun", "name": "run", "uid": "0123456789abcdef", "controller": true, "blockOwnerDeletion": true,
	}
	want := map[string]any{
		"apiVersion": "autoscaling.x-k8s.io/v1", "kind": "ProvisioningRequest",
		"metadata": map[string]any{
			"name": "run-place-db", "namespace": "ns", "ownerReferences": []any{owner},
			"labels": map[string]any{
				v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelRun: "run", v1alpha1.LabelRunUID: "0123456789abcdef", v1alpha1.LabelRole: v1alpha1.RolePlaceholder,
			},
		},
		"spec": map[string]any{"provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io", "podSets": []any{
			map[string]any{"podTemplateRef": map[string]any{"name": "run-place-db"}, "count": int64(3)},
			map[string]any{"podTemplateRef": map[string]any{"name": "run-place"}, "count": int64(2)},
		}, "parameters": map[string]any{"ValidUntilSeconds": "1200"}},
	}
	if diff := cmp.Diff(want, NodeRequest{Sets: sets}.Object().Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is requested is what the placeholders are, but for the annotations by which they take it.
func TestTemplatesAreThePlaceholders(t *testing.T) {
	for of, name := range map[string]string{"db": "run-place-db", "": "run-place"} {
		pod := requestedPod(2, of)
		template, job := PodSet{First: pod, Count: 1}.Template(), pod.Job()
		if template.Name != name || !metav1.IsControlledBy(template, pod.Run) {
			t.Errorf("the template is %s, and has the owners %v", template.Name, template.OwnerReferences)
		}
		taken := job.Spec.Template.Annotations
		want := map[string]string{
			"autoscaling.x-k8s.io/consume-provisioning-request": "run-place-db", "autoscaling.x-k8s.io/provisioning-class-name": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
		}
		for key, value := range want {
			if taken[key] != value {
				t.Errorf("annotation %s of the placeholder is %q, want %q", key, taken[key], value)
			}
			delete(taken, key)
		}
		if diff := cmp.Diff(job.Spec.Template, template.Template); diff != "" {
			t.Errorf("the template differs from the placeholder (-placeholder +template):\n%s", diff)
		}
	}
	plain := requestedPod(0, "db")
	plain.Request = ""
	if a := plain.Job().Spec.Template.Annotations; a["autoscaling.x-k8s.io/consume-provisioning-request"] != "" {
		t.Errorf("a placeholder without a request has %v", a)
	}
}

// What the API server fills in is no difference, and what decides the nodes is.
func TestSameTemplate(t *testing.T) {
	filled := func(p *corev1.PodTemplate) {
		p.UID, p.Template.Spec.DNSPolicy, p.Template.Spec.SchedulerName = "u", corev1.DNSClusterFirst, corev1.DefaultSchedulerName
		p.Template.Spec.Containers[0].TerminationMessagePath = corev1.TerminationMessagePathDefault
	}
	tests := map[string]struct {
		change func(*corev1.PodTemplate)
		want   bool
	}{
		"as it was made": {func(*corev1.PodTemplate) {}, true},
		"filled in":      {filled, true},
		"two containers": {func(p *corev1.PodTemplate) {
			p.Template.Spec.Containers = append(p.Template.Spec.Containers, corev1.Container{})
		}, false},
		"more at first":   {func(p *corev1.PodTemplate) { p.Template.Spec.InitContainers = p.Template.Spec.Containers[:1] }, false},
		"other nodes":     {func(p *corev1.PodTemplate) { p.Template.Spec.NodeSelector = map[string]string{"a": "b"} }, false},
		"pods on one":     {func(p *corev1.PodTemplate) { p.Template.Spec.Affinity = nil }, false},
		"other pods":      {func(p *corev1.PodTemplate) { p.Template.Labels = nil }, false},
		"a limit is less": {func(p *corev1.PodTemplate) { p.Template.Spec.Containers[0].Resources.Limits = nil }, false},
		"an overhead":     {func(p *corev1.PodTemplate) { p.Template.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: {}} }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want := PodSet{First: requestedPod(0, "db"), Count: 1}.Template()
			found := want.DeepCopy()
			tt.change(found)
			if got := SameTemplate(found, want); got != tt.want {
				t.Errorf("the same: %t, want %t", got, tt.want)
			}
		})
	}
}

func TestRequestConditions(t *testing.T) {
	tests := map[string]struct {
		status any
		want   map[string]metav1.Condition
	}{
		"no status":            {want: map[string]metav1.Condition{}},
		"a status of no kind":  {status: "x", want: map[string]metav1.Condition{}},
		"no conditions":        {status: map[string]any{}, want: map[string]metav1.Condition{}},
		"what is no condition": {status: map[string]any{"conditions": []any{"x", map[string]any{"status": "True"}}}, want: map[string]metav1.Condition{}},
		"two conditions": {
			status: map[string]any{"conditions": []any{
				map[string]any{"type": "Accepted", "status": "True", "reason": "Accepted", "message": "m"}, map[string]any{"type": "Failed", "status": "False"},
			}},
			want: map[string]metav1.Condition{
				"Accepted": {Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Accepted", Message: "m"}, "Failed": {Type: "Failed", Status: metav1.ConditionFalse},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			request := &unstructured.Unstructured{Object: map[string]any{}}
			if tt.status != nil {
				request.Object["status"] = tt.status
			}
			if diff := cmp.Diff(tt.want, RequestConditions(request)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
