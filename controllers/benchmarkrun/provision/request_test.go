package provision

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/internal/ground/resources"
)

const class = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"

// asking is a run with a target, its replica and two clients whose nodes are requested, of one pool each, at noon. It waits for fifteen minutes.
func asking(changes ...func(*Input)) Input {
	shape := func(pool string) v1alpha1.InstanceShapeSpec {
		return v1alpha1.InstanceShapeSpec{
			Nodes: v1alpha1.NodesProvisioned, ProvisionWithin: &metav1.Duration{Duration: 15 * time.Minute}, ProvisioningClass: class,
			NodeSelector: map[string]string{"pool": pool}, CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"),
		}
	}
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "ns", UID: "1"}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "paper"}, {Name: "db"}}
	target, clients := shape("targets"), shape("clients")
	run.Status.Resolved = &v1alpha1.Resolved{ClientShape: clients, Targets: []v1alpha1.ResolvedTarget{{Name: "paper"}, {Name: "db", Shape: &target}}}
	in := Input{
		Run: run, Now: noon, Children: decision.NewChildren(run, nil, nil, nil),
		Need: placement.Need{Client: clients, Clients: 2, Targets: []placement.Target{{Name: "db", Shape: target, Replicas: 1}}},
	}
	in.Requested.Requests, in.Requested.Templates = map[string]*unstructured.Unstructured{}, map[string]*corev1.PodTemplate{}
	for _, change := range changes {
		change(&in)
	}
	return in
}

// Names of the requests.
const ofTargets, ofClients = "run-place-db", "run-place"

// requested some minutes before noon, with these conditions: a type, a status and a reason each.
func requested(name string, minutes int, conditions ...[3]string) func(*Input) {
	return func(in *Input) {
		made := metav1.Time{Time: noon.Add(-time.Duration(minutes) * time.Minute)}
		for _, pool := range in.requests() {
			if pool.Name() != name {
				continue
			}
			var list []any
			for _, c := range conditions {
				list = append(list, map[string]any{"type": c[0], "status": c[1], "reason": c[2], "message": "so it is"})
			}
			request := pool.Object()
			request.SetCreationTimestamp(made)
			request.Object["status"] = map[string]any{"conditions": list}
			in.Requested.Requests[name] = request
			templates(minutes, pool.Sets...)(in)
		}
	}
}

// templates of pods, made some minutes before noon.
func templates(minutes int, of ...resources.PodSet) func(*Input) {
	return func(in *Input) {
		for _, set := range of {
			template := set.Template()
			template.CreationTimestamp = metav1.Time{Time: noon.Add(-time.Duration(minutes) * time.Minute)}
			in.Requested.Templates[template.Name] = template
		}
	}
}

// wentOn some minutes before noon, after a suspension.
func wentOn(minutes int) func(*Input) {
	return func(in *Input) {
		in.Run.Status.AcceptedTime = &metav1.Time{Time: noon.Add(-time.Duration(minutes) * time.Minute)}
	}
}

// placed are placeholders, by their indices, with a node; pending are some without one.
func placed(indices ...int) func(*Input)  { return kept("node", indices) }
func pending(indices ...int) func(*Input) { return kept("", indices) }

func kept(node string, indices []int) func(*Input) {
	return func(in *Input) {
		for _, i := range indices {
			job := in.placeholders()[i].Job()
			in.Children.Placeholders[job.Name] = job
			in.Children.PlaceholderPods[job.Name] = &corev1.Pod{Spec: corev1.PodSpec{NodeName: node}}
		}
	}
}

// without a class are the shapes of the target, or of the clients, or both.
func without(target, clients bool) func(*Input) {
	return func(in *Input) {
		if target {
			in.Run.Status.Resolved.Targets[1].Shape.ProvisioningClass, in.Need.Targets[0].Shape.ProvisioningClass = "", ""
		}
		if clients {
			in.Run.Status.Resolved.ClientShape.ProvisioningClass, in.Need.Client.ProvisioningClass = "", ""
		}
	}
}

var (
	provisioned = [3]string{"Provisioned", "True", "CapacityIsProvisioned"}
	expired     = [3]string{"BookingExpired", "True", "CapacityReservationTimeExpired"}
)

// does is an action in short.
func does(a decision.Action) string {
	if do, is := a.(decision.Delete); is {
		return "delete " + do.Object.GetName()
	}
	do := a.(decision.Create)
	switch o := do.Object.(type) {
	case *corev1.PodTemplate:
		return "PodTemplate " + o.Name
	case *batchv1.Job:
		return "Job " + o.Name + " of " + o.Spec.Template.Annotations["autoscaling.x-k8s.io/consume-provisioning-request"]
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
	waits := func(more string) decision.State {
		return decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes, Message: waiting + more, Until: soon}
	}
	fails := func(message string) decision.State {
		return decision.Failed{Reason: v1alpha1.ReasonNodesNotProvisioned, Message: message}
	}
	conflicts := func(what string) decision.State {
		return decision.Failed{
			Reason: v1alpha1.ReasonChildConflict, Message: what + " exists and does not ask for what this run needs: find out who made it, delete it, or give the run another name",
		}
	}
	jobs := []string{"Job run-place-0 of run-place-db", "Job run-place-1 of run-place-db", "Job run-place-2 of run-place", "Job run-place-3 of run-place"}
	askTargets := []string{"PodTemplate run-place-db", "ProvisioningRequest run-place-db 2xrun-place-db"}
	askClients := []string{"PodTemplate run-place", "ProvisioningRequest run-place 2xrun-place"}
	const missing = "the shape has provisioningClass " + class + ", and the API is missing, or leave provisioningClass out, so that placeholder pods alone ask for the nodes"
	unserved := func(in *Input) { in.Requested.Refused = "the API is missing" }
	clientsAre := requested(ofClients, 1, provisioned)
	const clientsSay = "ProvisioningRequest run-place is Provisioned: CapacityIsProvisioned: so it is"
	const madeAgain = "ProvisioningRequest run-place-db is BookingExpired: CapacityReservationTimeExpired: so it is; it is made again"
	tests := map[string]struct {
		in   Input
		want decision.State
		does []string
	}{
		"without a class placeholders come at once": {
			in: asking(without(true, true)), want: decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes, Message: waiting},
			does: []string{"Job run-place-0 of ", "Job run-place-1 of ", "Job run-place-2 of ", "Job run-place-3 of "},
		},
		"each pool has a request, and the templates come before it": {
			in: asking(), want: waits("; ProvisioningRequest run-place-db is made; ProvisioningRequest run-place is made"), does: slices.Concat(askTargets, askClients),
		},
		"of pods whose shape has no class nothing is requested": {in: asking(without(true, false)), want: waits("; ProvisioningRequest run-place is made"), does: askClients},
		"a template is there already": {
			in:   asking(without(true, false), func(in *Input) { templates(1, in.requests()[0].Sets...)(in) }),
			want: waits("; ProvisioningRequest run-place is made"), does: askClients[1:],
		},
		"the API is missing":              {in: asking(unserved), want: waits("; spec.targets[1].shape: " + missing)},
		"the API is missing, for clients": {in: asking(without(true, false), unserved), want: waits("; spec.clients.shape: " + missing)},
		"the API is gone for too long": {
			in:   asking(requested(ofTargets, 16), unserved),
			want: fails("no nodes were made within 15m0s (provisionWithin of the shape): spec.targets[1].shape: " + missing + "; ProvisioningRequest run-place-db is not Accepted by an autoscaler yet"),
		},
		"the API is gone, and the run went on a moment ago": {
			in: asking(requested(ofTargets, 16), unserved, wentOn(1)), want: waits("; spec.targets[1].shape: " + missing),
		},
		"the API is gone for too long since the run went on": {
			in:   asking(requested(ofTargets, 99), unserved, wentOn(16)),
			want: fails("no nodes were made within 15m0s (provisionWithin of the shape): spec.targets[1].shape: " + missing + "; ProvisioningRequest run-place-db is not Accepted by an autoscaler yet"),
		},
		"one of before the suspension is Accepted": {
			in:   asking(requested(ofTargets, 99, [3]string{"Accepted", "True", ""}), clientsAre, wentOn(1)),
			want: waits("; ProvisioningRequest run-place-db is Accepted: so it is; " + clientsSay),
		},
		"one of before the suspension has Failed": {
			in:   asking(requested(ofTargets, 99, [3]string{"Failed", "True", "Expired"}), clientsAre, wentOn(1)),
			want: waits("; ProvisioningRequest run-place-db is Failed: Expired: so it is; it is made again; " + clientsSay), does: []string{"delete run-place-db"},
		},
		"one that was made since has Failed": {
			in:   asking(requested(ofTargets, 1, [3]string{"Failed", "True", "Expired"}), clientsAre, wentOn(2)),
			want: fails("the autoscaler makes no nodes: ProvisioningRequest run-place-db is Failed: Expired: so it is"),
		},
		"nobody has looked at it": {in: asking(requested(ofTargets, 1), clientsAre), want: waits("; ProvisioningRequest run-place-db is not Accepted by an autoscaler yet; " + clientsSay)},
		"accepted": {
			in: asking(requested(ofTargets, 1, [3]string{"Accepted", "True", ""}), clientsAre), want: waits("; ProvisioningRequest run-place-db is Accepted: so it is; " + clientsSay),
		},
		"not provisioned yet": {
			in:   asking(requested(ofTargets, 1, [3]string{"Accepted", "True", "Accepted"}, [3]string{"Provisioned", "False", "CapacityIsNotFound"}), clientsAre),
			want: waits("; ProvisioningRequest run-place-db is not Provisioned: CapacityIsNotFound: so it is; " + clientsSay),
		},
		"an earlier one is being deleted, however old it is": {
			in: asking(requested(ofTargets, 99, provisioned), clientsAre, func(in *Input) {
				in.Requested.Requests[ofTargets].SetDeletionTimestamp(&metav1.Time{Time: noon})
				delete(in.Requested.Templates, ofTargets)
			}),
			want: waits("; ProvisioningRequest run-place-db, which was let go before, is being deleted; " + clientsSay),
		},
		"all are provisioned": {
			in:   asking(requested(ofTargets, 1, provisioned), clientsAre),
			want: waits("; " + clientsSay + "; ProvisioningRequest run-place-db is Provisioned: CapacityIsProvisioned: so it is"), does: jobs,
		},
		"all are provisioned, and some placeholders are there": {
			in:   asking(requested(ofTargets, 1, provisioned), clientsAre, placed(0, 1)),
			want: waits("; " + clientsSay + "; ProvisioningRequest run-place-db is Provisioned: CapacityIsProvisioned: so it is"), does: jobs[2:],
		},
		"the booking has expired, and all placeholders have their nodes": {
			in:   asking(requested(ofTargets, 11, provisioned, expired), clientsAre, placed(0, 1, 2, 3)),
			want: waits("; " + clientsSay + "; ProvisioningRequest run-place-db is BookingExpired: CapacityReservationTimeExpired: so it is"),
		},
		"the booking has expired, and a machine never came": {
			in: asking(requested(ofTargets, 11, provisioned, expired), clientsAre, placed(0, 2, 3), pending(1)), want: waits("; " + madeAgain),
			does: []string{"delete run-place-db", "delete run-place-0", "delete run-place-1"},
		},
		"the booking has expired before another pool was provisioned": {
			in:   asking(requested(ofTargets, 11, provisioned, expired), requested(ofClients, 11, [3]string{"Provisioned", "False", "CapacityIsNotFound"})),
			want: waits("; " + madeAgain + "; ProvisioningRequest run-place is not Provisioned: CapacityIsNotFound: so it is"), does: []string{"delete run-place-db"},
		},
		"a request is made again when its placeholders are gone": {
			in:   asking(func(in *Input) { templates(11, in.requests()[0].Sets...)(in) }, clientsAre, placed(2, 3), pending(1)),
			want: waits("; placeholder pods make room before ProvisioningRequest run-place-db is made again"), does: []string{"delete run-place-1"},
		},
		"placeholders are gone": {
			in:   asking(func(in *Input) { templates(11, in.requests()[0].Sets...)(in) }, clientsAre, placed(2, 3)),
			want: waits("; ProvisioningRequest run-place-db is made"), does: askTargets[1:],
		},
		"a request that was made again has the time of the first": {
			in:   asking(clientsAre, requested(ofTargets, 1, [3]string{"Provisioned", "False", "CapacityIsNotFound"}), func(in *Input) { templates(16, in.requests()[0].Sets...)(in) }),
			want: fails("no nodes were made within 15m0s (provisionWithin of the shape): " + clientsSay + "; ProvisioningRequest run-place-db is not Provisioned: CapacityIsNotFound: so it is"),
		},
		"failed": {
			in:   asking(requested(ofTargets, 1, [3]string{"Failed", "True", "Expired"}), clientsAre),
			want: fails("the autoscaler makes no nodes: ProvisioningRequest run-place-db is Failed: Expired: so it is"),
		},
		"failed by a view of the cluster that was behind": {
			in:   asking(requested(ofTargets, 1, [3]string{"Failed", "True", "FailedToCreatePods"}), clientsAre),
			want: waits("; ProvisioningRequest run-place-db is Failed: FailedToCreatePods: so it is; it is made again; " + clientsSay), does: []string{"delete run-place-db"},
		},
		"revoked before all pods have their nodes": {
			in:   asking(requested(ofTargets, 1, provisioned, [3]string{"CapacityRevoked", "True", "OutOfStock"}), clientsAre, placed(1, 2, 3)),
			want: fails("the autoscaler makes no nodes: ProvisioningRequest run-place-db is CapacityRevoked: OutOfStock: so it is"),
		},
		"it takes too long": {
			in:   asking(requested(ofTargets, 16, [3]string{"Provisioned", "False", "CapacityIsNotFound"}), clientsAre),
			want: fails("no nodes were made within 15m0s (provisionWithin of the shape): " + clientsSay + "; ProvisioningRequest run-place-db is not Provisioned: CapacityIsNotFound: so it is"),
		},
		"a request says that it belongs to the run, and asks for more": {
			in: asking(requested(ofTargets, 1, provisioned), clientsAre, func(in *Input) {
				sets := in.Requested.Requests[ofTargets].Object["spec"].(map[string]any)["podSets"].([]any)
				sets[0].(map[string]any)["count"] = int64(200)
			}),
			want: conflicts("ProvisioningRequest ns/run-place-db"),
		},
		"a template says that it belongs to the run, and is larger": {
			in: asking(clientsAre, func(in *Input) {
				templates(1, in.requests()[0].Sets...)(in)
				in.Requested.Templates[ofTargets].Template.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
			}),
			want: conflicts("PodTemplate ns/run-place-db"),
		},
		"a template says that it belongs to the run, and is for other nodes": {
			in: asking(clientsAre, func(in *Input) {
				templates(1, in.requests()[0].Sets...)(in)
				in.Requested.Templates[ofTargets].Template.Spec.NodeSelector = map[string]string{"pool": "expensive"}
			}),
			want: conflicts("PodTemplate ns/run-place-db"),
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

// Targets of one size in one pool have one request, and other sizes, selectors and classes have others.
func TestPools(t *testing.T) {
	together := []string{"run-place-db 2xrun-place-db 1xrun-place-other", "run-place 2xrun-place"}
	apart := []string{"run-place-db 2xrun-place-db", "run-place-other 1xrun-place-other", "run-place 2xrun-place"}
	changes := map[string]struct {
		change func(*v1alpha1.InstanceShapeSpec)
		want   []string
	}{
		"alike":                  {func(*v1alpha1.InstanceShapeSpec) {}, together},
		"annotations":            {func(s *v1alpha1.InstanceShapeSpec) { s.Annotations = map[string]string{"a": "b"} }, together},
		"another size":           {func(s *v1alpha1.InstanceShapeSpec) { s.CPU = resource.MustParse("2") }, apart},
		"another selector":       {func(s *v1alpha1.InstanceShapeSpec) { s.NodeSelector = map[string]string{"pool": "x"} }, apart},
		"another class":          {func(s *v1alpha1.InstanceShapeSpec) { s.ProvisioningClass = "queued" }, apart},
		"tolerations of its own": {func(s *v1alpha1.InstanceShapeSpec) { s.Tolerations = []corev1.Toleration{{Key: "x"}} }, apart},
		"the pool of the clients": {
			func(s *v1alpha1.InstanceShapeSpec) { s.NodeSelector = map[string]string{"pool": "clients"} },
			[]string{"run-place-db 2xrun-place-db", "run-place-other 1xrun-place-other 2xrun-place"},
		},
		"no class": {
			func(s *v1alpha1.InstanceShapeSpec) { s.ProvisioningClass = "" },
			[]string{"run-place-db 2xrun-place-db", "run-place 2xrun-place"},
		},
	}
	for name, tt := range changes {
		t.Run(name, func(t *testing.T) {
			in := asking(func(in *Input) {
				other := placement.Target{Name: "other", Shape: in.Need.Targets[0].Shape}
				tt.change(&other.Shape)
				in.Need.Targets = append(in.Need.Targets, other)
			})
			var got []string
			for _, pool := range in.requests() {
				got = append(got, strings.TrimPrefix(does(decision.Create{Object: pool.Object()}), "ProvisioningRequest "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// With idleTargets: Stopped, targets of one size have one placeholder, which has the class of the first of them: no request is empty.
func TestTargetsThatShareAPlaceholder(t *testing.T) {
	for first, want := range map[string][]string{
		"":    {"Job run-place-0 of ", "Job run-place-1 of ", "Job run-place-2 of "},
		class: {"PodTemplate run-place-db", "ProvisioningRequest run-place-db 1xrun-place-db"},
	} {
		in := asking(without(false, true), func(in *Input) {
			in.Need.OneAtATime = true
			db := in.Need.Targets[0]
			db.Replicas = 0
			in.Need.Targets = []placement.Target{db, {Name: "other", Shape: db.Shape}}
			in.Need.Targets[0].Shape.ProvisioningClass = first
		})
		_, actions := Ask(in, decision.Waiting{}, decision.Known{}.Ask())
		var did []string
		for _, a := range actions {
			did = append(did, does(a))
		}
		if diff := cmp.Diff(want, did); diff != "" {
			t.Errorf("the class of the first is %q (-want +got):\n%s", first, diff)
		}
	}
}
