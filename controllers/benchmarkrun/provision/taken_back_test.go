package provision

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
)

// Requests go before their templates, and what goes already is left alone.
func TestLetGoRequests(t *testing.T) {
	in := asking(requested(ofTargets, 1), requested(ofClients, 1))
	names := func() (out []string) {
		for _, a := range LetGoRequests(in.Requested) {
			out = append(out, fmt.Sprintf("%T %s", a.(decision.Delete).Object, a.(decision.Delete).Object.GetName()))
		}
		return out
	}
	want := []string{"*unstructured.Unstructured run-place", "*unstructured.Unstructured run-place-db", "*v1.PodTemplate run-place", "*v1.PodTemplate run-place-db"}
	if diff := cmp.Diff(want, names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	in.Requested.Requests[ofClients].SetDeletionTimestamp(&metav1.Time{Time: noon})
	if diff := cmp.Diff(want[1:], names()); diff != "" {
		t.Errorf("a request that is being deleted (-want +got):\n%s", diff)
	}
	in.Requested.Requests, in.Requested.Unseen = nil, []string{ofTargets}
	if diff := cmp.Diff(want[2:3], names()); diff != "" {
		t.Errorf("a request that cannot be seen keeps its template (-want +got):\n%s", diff)
	}
}

// What is read of a run are requests of targets and clients whose shapes have a class.
func TestNames(t *testing.T) {
	for name, tt := range map[string]struct {
		target, clients bool
		want            []string
	}{
		"both": {want: []string{ofTargets, ofClients}}, "clients": {target: true, want: []string{ofClients}},
		"a target": {clients: true, want: []string{ofTargets}}, "none": {target: true, clients: true},
	} {
		if diff := cmp.Diff(tt.want, Names(asking(without(tt.target, tt.clients)).Run)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := Names(&v1alpha1.BenchmarkRun{}); got != nil {
		t.Errorf("a run that was not accepted has %q", got)
	}
}
