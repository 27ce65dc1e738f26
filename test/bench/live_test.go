package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// What a scrape of the live figures costs the tool: within one trial, ten seconds with a scrape in every second, which is as often as the
// agent reads, and ten seconds without, in turns (with, without, without, with). The API server asks the pod, as Prometheus does, by
// its address. The bar: a median ratio of the throughput of 0.98. It needs a chart with metrics.podMonitor (hack/e2e.sh live).
func BenchmarkLiveFigures(b *testing.B) {
	for b.Loop() {
		liveFigures(b)
	}
}

// turn is a stretch of the window.
type turn struct {
	from, to time.Time
	scraped  bool
}

const (
	liveTurns  = 20
	turnLength = 10 * time.Second
)

func liveFigures(b *testing.B) {
	ns := cluster.Namespace(b)
	text := cluster.RunYAML("live", "", fmt.Sprintf("  design: {blocks: 1, warmup: 0s, duration: %s}\n", (liveTurns+2)*turnLength))
	run := cluster.Apply(b, ns, text)
	cluster.AwaitState(b, run, 4*time.Minute, "measured", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.CurrentTrial != nil })
	pod := clientOf(b, ns)
	time.Sleep(turnLength / 2)
	var turns []turn
	scrapes := 0
	for i := range liveTurns {
		t := turn{from: time.Now(), scraped: i%4 == 0 || i%4 == 3}
		for t.to = t.from.Add(turnLength); time.Now().Before(t.to); {
			if t.scraped {
				scrapeClient(b, ns, pod)
				scrapes++
			}
			time.Sleep(min(time.Second, time.Until(t.to)))
		}
		turns = append(turns, t)
	}
	got := cluster.AwaitRun(b, run, 3*time.Minute)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		b.Fatalf("not complete: %s", cluster.Message(got, v1alpha1.ConditionFailed))
	}
	res := cluster.Stored(b, ns, contract.TrialName("live", 0, 0), 0)
	ratios := ratiosOf(b, res, turns)
	b.Logf("throughput with scrapes over that without, pair by pair: %.3f", ratios)
	report(b, "scraped-to-not", "ratio", ratios)
	b.ReportMetric(float64(scrapes), "scrapes-n")
	if median := quantile(ratios, 0.5); median < 0.98 {
		b.Errorf("with scrapes the throughput is %.3f of that without", median)
	}
}

// ratiosOf the median throughput of each turn with scrapes to that of the one without beside it.
func ratiosOf(b *testing.B, res contract.Result, turns []turn) (ratios []float64) {
	m, ok := contract.Find(res.Measurements, contract.NameThroughput, nil)
	if !ok || len(m.Intervals) == 0 || res.Times.MeasureStarted == nil {
		b.Fatal("the trial has no time series")
	}
	median := func(t turn) float64 {
		var values []float64
		for _, i := range m.Intervals {
			end := res.Times.MeasureStarted.Add(time.Duration(i.AtSeconds * float64(time.Second)))
			if i.Value != nil && end.After(t.from.Add(time.Second)) && end.Before(t.to) {
				values = append(values, *i.Value)
			}
		}
		if len(values) < 5 {
			b.Fatalf("a turn of %v has %d intervals", turnLength, len(values))
		}
		return quantile(values, 0.5)
	}
	for i := 0; i+1 < len(turns); i += 2 {
		with, without := turns[i], turns[i+1]
		if !with.scraped {
			with, without = without, with
		}
		ratios = append(ratios, median(with)/median(without))
	}
	return ratios
}

// clientOf is the pod of the one client in a namespace, once it runs.
func clientOf(b *testing.B, ns string) string {
	b.Helper()
	var pods corev1.PodList
	running := func() bool {
		err := cluster.API.List(b.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleClient, v1alpha1.LabelTrial: "0"})
		return err == nil && len(pods.Items) == 1 && pods.Items[0].Status.Phase == corev1.PodRunning
	}
	for end := time.Now().Add(time.Minute); !running(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("of %d clients none runs", len(pods.Items))
		}
	}
	return pods.Items[0].Name
}

// scrapeClient fails the benchmark unless the figures are there.
func scrapeClient(b *testing.B, ns, pod string) {
	b.Helper()
	text, err := cluster.Clientset.CoreV1().Pods(ns).ProxyGet("http", pod, fmt.Sprint(resources.LivePort), "metrics", nil).DoRaw(b.Context())
	if err != nil || !strings.Contains(string(text), "\nassay_client_interval_value{") {
		b.Fatalf("scraping the client: %v: %s", err, text)
	}
}
