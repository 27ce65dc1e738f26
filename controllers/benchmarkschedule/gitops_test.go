package benchmarkschedule

import (
	"fmt"
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/gitops"
)

// apply the schedule as Flux does at every sync.
func (s *stage) apply(fields, test string) {
	s.t.Helper()
	spec := strings.ReplaceAll(fmt.Sprintf(template, s.namespace), "oltp_read_only", test)
	o := &unstructured.Unstructured{}
	s.must(yaml.Unmarshal([]byte(fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkSchedule, metadata: {name: nightly, namespace: %s}, spec: {%s, runTemplate: {spec: %s}}}`,
		s.namespace, fields, spec)), &o.Object))
	s.must(server.API.Apply(s.t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kustomize-controller"), client.ForceOwnership))
}

// health of the schedule for Flux and Argo CD.
func (s *stage) health() gitops.Health {
	s.t.Helper()
	return gitops.Of(s.t, server.API, gitops.Assay("BenchmarkSchedule", s.namespace, "nightly"))
}

// What is in Git is a schedule, and its runs are not. So the next syncs bring back no run that was deleted when it had
// ended, and change nothing. A commit that changes the template starts a run.
func TestASyncStartsNoRunAgain(t *testing.T) {
	t.Parallel()
	const fields = `onChange: true, successfulRunsHistoryLimit: 0`
	s := newStage(t, fields)
	if h := s.health(); h.Flux != "InProgress" {
		t.Errorf("before the manager has seen it, the schedule is %+v", h)
	}
	s.apply(fields, "oltp_read_only")
	s.pass()
	first := s.runs()
	if len(first) != 1 {
		t.Fatalf("runs %v, want one for the new schedule", first)
	}
	s.apply(fields, "oltp_read_only")
	s.pass()
	want(t, "runs after a sync", s.runs(), first)
	s.finish(first[0], true, 100, 110)
	s.pass()
	want(t, "runs after the end", s.runs(), []string(nil))
	for range 3 {
		s.apply(fields, "oltp_read_only")
		o := s.pass()
		want(t, "runs after a sync", s.runs(), []string(nil))
		want(t, "generation", o.Generation, int64(1))
		want(t, "health", s.health(), gitops.Health{Flux: "Current", ArgoCD: "Healthy", Message: "Resource is Ready"})
	}

	s.apply(fields, "oltp_write_only")
	s.pass()
	again := s.runs()
	if len(again) != 1 || again[0] == first[0] {
		t.Fatalf("runs %v after another commit, want one that is not %v", again, first)
	}
	s.apply(fields+", suspend: true", "oltp_write_only")
	s.pass()
	want(t, "health of a suspended schedule", s.health().ArgoCD, "Suspended")
	s.finish(again[0], true, 100, 110)
	s.pass()
	s.apply(fields+", timeZone: Europe/Atlantis", "oltp_write_only")
	o := s.pass()
	h := s.health()
	want(t, "health in a time zone that there is not", []string{h.Flux, h.ArgoCD}, []string{"Failed", "Degraded"})
	want(t, "message", h.Message, apimeta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionStalled).Message)
}
