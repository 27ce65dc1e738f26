package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// sample of an answer.
type sample struct {
	Metric map[string]string
	Value  []any
}

func (s sample) number() string {
	if len(s.Value) != 2 {
		return ""
	}
	return fmt.Sprint(s.Value[1])
}

type target struct {
	Labels                       map[string]string
	ScrapeURL, Health, LastError string
}

func (p *prometheus) targets(t *testing.T) []target {
	var found struct{ ActiveTargets []target }
	p.get(t, "/api/v1/targets", nil, &found)
	return found.ActiveTargets
}

func (p *prometheus) query(t *testing.T, expr string) []sample {
	t.Helper()
	var found struct{ Result []sample }
	p.get(t, "/api/v1/query", url.Values{"query": {expr}}, &found)
	return found.Result
}

// queryRange counts the series of the last twenty minutes: those of the whole story.
func (p *prometheus) queryRange(t *testing.T, expr string) int {
	t.Helper()
	now := time.Now()
	var found struct{ Result []json.RawMessage }
	p.get(t, "/api/v1/query_range", url.Values{
		"query": {expr}, "start": {now.Add(-20 * time.Minute).Format(time.RFC3339)}, "end": {now.Format(time.RFC3339)}, "step": {"5s"},
	}, &found)
	return len(found.Result)
}

// get asks Prometheus. An error of a query fails the test.
func (p *prometheus) get(t *testing.T, path string, query url.Values, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.address+path+"?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: hang.Limit}).Do(request)
	if err != nil {
		t.Fatalf("asking Prometheus: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("asking Prometheus: %v", err)
	}
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Status != "success" {
		t.Errorf("%s: Prometheus answers %d %.500s to %s", path, response.StatusCode, text, query.Get("query"))
		return
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// readyPod is the first pod with these labels, when it is ready.
func readyPod(t *testing.T, ns string, labels client.MatchingLabels) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	eventually(t, 3*time.Minute, func() string {
		var pods corev1.PodList
		if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), labels); err != nil {
			return err.Error()
		}
		for _, p := range pods.Items {
			ready := slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
			})
			if p.DeletionTimestamp.IsZero() && ready {
				found = &p
				return ""
			}
		}
		return fmt.Sprintf("of %d pods with %v none is ready", len(pods.Items), labels)
	})
	if found == nil {
		t.FailNow()
	}
	return found
}
