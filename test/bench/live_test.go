package bench

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// What a scrape of the live figures costs the tool: within one trial, ten seconds with a scrape in every second, which is as often as the
// agent reads, and ten seconds without, in turns. The bar: a median ratio of the throughput of 0.98. It needs a chart with
// metrics.podMonitor.
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
	address := forwardClient(b, ns)
	time.Sleep(turnLength / 2)
	var turns []turn
	scrapes := 0
	for i := range liveTurns {
		t := turn{from: time.Now(), scraped: i%2 == 0}
		for t.to = t.from.Add(turnLength); time.Now().Before(t.to); {
			if t.scraped {
				scrapeClient(b, address)
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
	report(b, "scraped-to-not", "ratio", ratios)
	b.ReportMetric(float64(scrapes), "scrapes-n")
	if median := quantile(ratios, 0.5); median < 0.98 {
		b.Errorf("with scrapes the throughput is %.3f of that without", median)
	}
}

// ratiosOf the median throughput of each turn with scrapes to that of the next one without.
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
		ratios = append(ratios, median(turns[i])/median(turns[i+1]))
	}
	return ratios
}

// forwardClient is an address for the live figures of the one client in a namespace.
func forwardClient(b *testing.B, ns string) string {
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
	cmd := exec.CommandContext(b.Context(), "kubectl", "-n", ns, "port-forward", "pod/"+pods.Items[0].Name, fmt.Sprintf(":%d", resources.LivePort))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || address == "" {
		b.Fatalf("kubectl port-forward says %q: %v", line, err)
	}
	return address
}

// scrapeClient fails the benchmark unless the figures are there.
func scrapeClient(b *testing.B, address string) {
	b.Helper()
	response, err := (&http.Client{Timeout: 5 * time.Second}).Get("http://" + address + "/metrics")
	if err != nil {
		b.Fatalf("scraping the client: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(text), "\nassay_client_interval_value{") {
		b.Fatalf("scraping the client: %d %v: %s", response.StatusCode, err, text)
	}
}
