package provision

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/placement"
	"github.com/assay-bench/assay/test/helpers/bounds"
)

const (
	// mostTargets, mostReplicas of each and mostClients of a run, by its schema.
	mostTargets, mostReplicas, mostClients = 8, 4, 64
	mostPods                               = mostTargets*(1+mostReplicas) + mostClients
	// mostSets of pods that a ProvisioningRequest may have, by its CRD.
	mostSets = 32
	// mostMessage of a condition, in bytes, by its schema.
	mostMessage = 32768
)

// largest has every pod that a run may have, with names of the most length; pool names that of a target by its number, and that of clients by 8.
func largest(pool func(int) string) Input {
	return asking(func(in *Input) {
		shape := func(i int) v1alpha1.InstanceShapeSpec {
			s := in.Need.Client
			s.NodeSelector = map[string]string{"pool": pool(i)}
			return s
		}
		in.Run.Name = strings.Repeat("r", 63)
		in.Run.Spec.Targets, in.Run.Status.Resolved.Targets, in.Need.Targets, in.Need.Clients = nil, nil, nil, mostClients
		for i := range mostTargets {
			s, name := shape(i), fmt.Sprintf("%s-%d", strings.Repeat("t", 28), i)
			in.Run.Spec.Targets = append(in.Run.Spec.Targets, v1alpha1.Target{Name: name})
			in.Run.Status.Resolved.Targets = append(in.Run.Status.Resolved.Targets, v1alpha1.ResolvedTarget{Name: name, Shape: &s})
			in.Need.Targets = append(in.Need.Targets, placement.Target{Name: name, Shape: s, Replicas: mostReplicas})
		}
		in.Need.Client = shape(mostTargets)
		in.Run.Status.Resolved.ClientShape = in.Need.Client
	})
}

// The largest run is as large as the API admits.
func TestTheLargestRunIsThatOfTheAPI(t *testing.T) {
	for path, want := range map[string]int{"spec.targets": mostTargets, "spec.targets.mysql.replication.replicas": mostReplicas, "spec.clients.count": mostClients} {
		if got := bounds.Most(t, path); got != want {
			t.Errorf("%s is at most %d, and the largest run of these tests has %d", path, got, want)
		}
	}
}

// A run asks by 9 requests with 9 templates at the most, which are found again by their names, or by one with 9 sets, which the CRD takes.
func TestTheLargestRun(t *testing.T) {
	for name, tt := range map[string]struct {
		pool func(int) string
		// sets of pods of each request.
		sets []int
	}{
		"each has its pool": {func(i int) string { return fmt.Sprint(i) }, []int{1, 1, 1, 1, 1, 1, 1, 1, 1}},
		"all are of one":    {func(int) string { return "all" }, []int{9}},
		"two pools":         {func(i int) string { return fmt.Sprint(i % 2) }, []int{5, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			in := largest(tt.pool)
			readable := Names(in.Run)
			if len(slices.Compact(slices.Sorted(slices.Values(readable)))) != 9 {
				t.Fatalf("the names that are read are not 9 different ones: %v", readable)
			}
			var sets []int
			pods := 0
			for _, r := range in.requests() {
				sets = append(sets, len(r.Sets))
				if !slices.Contains(readable, r.Name()) || len(r.Sets) > mostSets {
					t.Errorf("request %s has %d sets, and what is read is %v", r.Name(), len(r.Sets), readable)
				}
				for _, s := range r.Sets {
					pods += s.Count
					if !slices.Contains(readable, s.Template().Name) {
						t.Errorf("template %s is not read again: %v", s.Template().Name, readable)
					}
				}
			}
			if diff := cmp.Diff(tt.sets, sets); diff != "" || pods != mostPods {
				t.Errorf("%d pods, and sets (-want +got):\n%s", pods, diff)
			}
			if err := awaitAll(in); err != nil {
				t.Error(err)
			}
		})
	}
}

// awaitAll plays a run from its first pass to its placeholders. Every request has much to say before it is provisioned, and the run says it of each.
func awaitAll(in Input) error {
	wait := decision.Waiting{Reason: v1alpha1.ReasonProvisioningNodes}
	_, actions := Ask(in, wait, decision.Known{}.Ask())
	if asked := len(in.requests()); len(actions) != 9+asked {
		return fmt.Errorf("%d actions make 9 templates and %d requests", len(actions), asked)
	}
	for _, r := range in.requests() {
		requested(r.Name(), 1)(&in)
		in.Requested.Requests[r.Name()].Object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Provisioned", "status": "False", "reason": strings.Repeat("R", 1024), "message": strings.Repeat("ü", 16384),
		}}}
	}
	state, _ := Ask(in, wait, decision.Known{}.Ask())
	message := state.(decision.Waiting).Message
	if len(message) > mostMessage {
		return fmt.Errorf("the message has %d bytes", len(message))
	}
	for _, r := range in.requests() {
		if !strings.Contains(message, "ProvisioningRequest "+r.Name()+" is not Provisioned: RRR") {
			return fmt.Errorf("nothing is said of request %s", r.Name())
		}
		requested(r.Name(), 1, provisioned)(&in)
	}
	if _, actions = Ask(in, wait, decision.Known{}.Ask()); len(actions) != mostPods {
		return fmt.Errorf("%d placeholders, want %d", len(actions), mostPods)
	}
	return nil
}

// Everything that a run has requested is taken back in one pass, however much it is.
func TestTheLargestRunTakesAllBack(t *testing.T) {
	in := largest(func(i int) string { return fmt.Sprint(i) })
	for _, r := range in.requests() {
		requested(r.Name(), 1)(&in)
	}
	var kinds []string
	for _, a := range LetGoRequests(in.Requested) {
		kind := "PodTemplate"
		if _, is := a.(decision.Delete).Object.(*unstructured.Unstructured); is {
			kind = "ProvisioningRequest"
		}
		kinds = append(kinds, kind)
	}
	want := slices.Concat(slices.Repeat([]string{"ProvisioningRequest"}, 9), slices.Repeat([]string{"PodTemplate"}, 9))
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
