package provision

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/resources"
)

const class = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"

// asking is a run with a target and two clients whose nodes are requested, at noon. It waits for five minutes.
func asking(changes ...func(*Input)) Input {
	shape := v1alpha1.InstanceShapeSpec{Nodes: v1alpha1.NodesProvisioned, ProvisionWithin: &metav1.Duration{Duration: 5 * time.Minute}, ProvisioningClass: class}
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "1"}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "paper"}, {Name: "db"}}
	run.Status.Resolved = &v1alpha1.Resolved{ClientShape: shape, Targets: []v1alpha1.ResolvedTarget{{Name: "paper"}, {Name: "db", Shape: &shape}}}
	in := Input{
		Run: run, Now: noon, Children: decision.NewChildren(run, nil, nil, nil),
		Need: placement.Need{Client: shape, Clients: 2, Targets: []placement.Target{{Name: "db", Shape: shape, Replicas: 1}}},
	}
	for _, change := range changes {
		change(&in)
	}
	return in
}

// requested some minutes before noon, with these conditions.
func requested(minutes int, conditions ...[3]string) func(*Input) {
	return func(in *Input) {
		in.Requested.Request = resources.Request(in.Run, class, nil)
		in.Requested.Request.SetCreationTimestamp(metav1.Time{Time: noon.Add(-time.Duration(minutes) * time.Minute)})
		var list []any
		for _, c := range conditions {
			list = append(list, map[string]any{"type": c[0], "status": c[1], "reason": c[2], "message": "so it is"})
		}
		in.Requested.Request.Object["status"] = map[string]any{"conditions": list}
	}
}

// placed are so many placeholders with a node.
func placed(n int) func(*Input) {
	return func(in *Input) {
		for i, p := range in.placeholders()[:n] {
			job := p.Job()
			in.Children.Placeholders[job.Name] = job
			in.Children.PlaceholderPods[job.Name] = &corev1.Pod{Spec: corev1.PodSpec{NodeName: fmt.Sprint("node-", i)}}
		}
	}
}

// onlyTarget has its nodes requested; those of the clients exist.
func onlyTarget(in *Input) {
	in.Run.Status.Resolved.ClientShape, in.Need.Client = v1alpha1.InstanceShapeSpec{}, v1alpha1.InstanceShapeSpec{}
}

func onlyClients(in *Input) {
	in.Run.Status.Resolved.Targets[1].Shape, in.Need.Targets[0].Shape = &v1alpha1.InstanceShapeSpec{}, v1alpha1.InstanceShapeSpec{}
}

func withoutClass(in *Input) {
	onlyTarget(in)
	onlyClients(in)
}

// does is an action in short.
func does(a decision.Action) string {
	do := a.(decision.Create)
	switch o := do.Object.(type) {
	case *corev1.PodTemplate:
		return "PodTemplate " + o.Name
	case *batchv1.Job:
		return "Job " + o.Name
	case *unstructured.Unstructured:
		sets, _, _ := unstructured.NestedSlice(o.Object, "spec", "podSets")
		text := o.GetKind() + " " + o.GetName()
		for _, s := range sets {
			name, _, _ := unstructured.NestedString(s.(map[string]any), "podTemplateRef", "name")
			text += fmt.Sprintf(" %vx%s", s.(map[string]any)["count"], name)
		}
		return text
	}
	return fmt.Sprintf("%T", do.Object)
}

func TestAsk(t *testing.T) {
	const waiting = "0 of 4 placeholder pods have a node"
	soon := noon.Add(requestPoll)
	waits := func(until time.Time, more string) decision.State {
		return decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes, Message: waiting + more, Until: until}
	}
	fails := func(message string) decision.State {
		return decision.Failed{Reason: v1alpha1.ReasonNodesNotProvisioned, Message: message}
	}
	jobs := []string{"Job run-place-0", "Job run-place-1", "Job run-place-2", "Job run-place-3"}
	const missing = "the shape has provisioningClass " + class + ", and the API is missing, or leave provisioningClass out, so that placeholder pods alone ask for the nodes"
	tests := map[string]struct {
		in   Input
		want decision.State
		does []string
	}{
		"without a class placeholders come at once": {in: asking(withoutClass), want: waits(time.Time{}, ""), does: jobs},
		"the templates come before the request": {
			in: asking(), want: waits(soon, "; ProvisioningRequest run-place is made"),
			does: []string{"PodTemplate run-place-db", "PodTemplate run-place", "ProvisioningRequest run-place 2xrun-place-db 2xrun-place"},
		},
		"of pods whose shape has no class nothing is requested": {
			in: asking(onlyClients), want: waits(soon, "; ProvisioningRequest run-place is made"), does: []string{"PodTemplate run-place", "ProvisioningRequest run-place 2xrun-place"},
		},
		"the API is missing": {
			in: asking(func(in *Input) { in.Requested.Refused = "the API is missing" }), want: fails("spec.targets[1].shape: " + missing),
		},
		"the API is missing, for clients": {
			in: asking(onlyClients, func(in *Input) { in.Requested.Refused = "the API is missing" }), want: fails("spec.clients.shape: " + missing),
		},
		"nobody has looked at it": {in: asking(requested(1)), want: waits(soon, "; ProvisioningRequest run-place is not Accepted by an autoscaler yet")},
		"accepted": {
			in: asking(requested(1, [3]string{"Accepted", "True", "Accepted"})), want: waits(soon, "; ProvisioningRequest run-place is Accepted: Accepted: so it is"),
		},
		"not provisioned yet": {
			in:   asking(requested(1, [3]string{"Accepted", "True", "Accepted"}, [3]string{"Provisioned", "False", "CapacityIsNotFound"})),
			want: waits(soon, "; ProvisioningRequest run-place is not Provisioned: CapacityIsNotFound: so it is"),
		},
		"an earlier one is being deleted": {
			in: asking(requested(1, [3]string{"Provisioned", "True", "CapacityIsProvisioned"}), func(in *Input) {
				in.Requested.Request.SetDeletionTimestamp(&metav1.Time{Time: noon})
			}),
			want: waits(soon, "; ProvisioningRequest run-place, which was let go before, is being deleted"),
		},
		"provisioned": {
			in:   asking(requested(1, [3]string{"Provisioned", "True", "CapacityIsProvisioned"})),
			want: waits(soon, "; ProvisioningRequest run-place is Provisioned: CapacityIsProvisioned: so it is"), does: jobs,
		},
		"provisioned, and some placeholders are there": {
			in:   asking(requested(1, [3]string{"Provisioned", "True", "CapacityIsProvisioned"}), placed(2)),
			want: waits(soon, "; ProvisioningRequest run-place is Provisioned: CapacityIsProvisioned: so it is"), does: jobs[2:],
		},
		"the booking has expired, and machines may take longer": {
			in:   asking(requested(1, [3]string{"Provisioned", "True", "CapacityIsProvisioned"}, [3]string{"BookingExpired", "True", "CapacityReservationTimeExpired"}), placed(4)),
			want: waits(soon, "; ProvisioningRequest run-place is BookingExpired: CapacityReservationTimeExpired: so it is"),
		},
		"failed": {
			in:   asking(requested(1, [3]string{"Failed", "True", "Expired"})),
			want: fails("the autoscaler makes no nodes: ProvisioningRequest run-place is Failed: Expired: so it is"),
		},
		"revoked before all pods have their nodes": {
			in:   asking(requested(1, [3]string{"Provisioned", "True", "CapacityIsProvisioned"}, [3]string{"CapacityRevoked", "True", "OutOfStock"}), placed(3)),
			want: fails("the autoscaler makes no nodes: ProvisioningRequest run-place is CapacityRevoked: OutOfStock: so it is"),
		},
		"it takes too long": {
			in:   asking(requested(6, [3]string{"Provisioned", "False", "CapacityIsNotFound"})),
			want: fails("no nodes were made within 5m0s (provisionWithin of the shape): ProvisioningRequest run-place is not Provisioned: CapacityIsNotFound: so it is"),
		},
		"provisioned, and machines take too long": {
			in:   asking(requested(6, [3]string{"Provisioned", "True", "CapacityIsProvisioned"})),
			want: fails("no nodes were made within 5m0s (provisionWithin of the shape): ProvisioningRequest run-place is Provisioned: CapacityIsProvisioned: so it is"),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, actions := Ask(tt.in, decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes, Message: waiting}, decision.Known{}.Ask())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			var did []string
			for _, a := range actions {
				did = append(did, does(a))
			}
			if diff := cmp.Diff(tt.does, did); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

// The request goes before its templates, and what goes already is left alone.
func TestLetGoRequest(t *testing.T) {
	in := asking(requested(1))
	in.Requested.Templates = []corev1.PodTemplate{{ObjectMeta: metav1.ObjectMeta{Name: "run-place-0"}}, {ObjectMeta: metav1.ObjectMeta{Name: "run-place-2"}}}
	names := func() (out []string) {
		for _, a := range LetGoRequest(in.Requested) {
			out = append(out, a.(decision.Delete).Object.GetName())
		}
		return out
	}
	if diff := cmp.Diff([]string{"run-place", "run-place-0", "run-place-2"}, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	in.Requested.Request.SetDeletionTimestamp(&metav1.Time{Time: noon})
	if diff := cmp.Diff([]string{"run-place-0", "run-place-2"}, names()); diff != "" {
		t.Errorf("a request that is being deleted (-want +got):\n%s", diff)
	}
}
