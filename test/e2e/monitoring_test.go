package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

var monitoring = flag.Bool("monitoring", false, "the story about Prometheus (make e2e-monitoring)")

// The real Prometheus Operator finds our monitors and rules; the real Prometheus scrapes the manager by HTTPS with its token,
// and a running client past its NetworkPolicy; the alerts fire; and every query of every dashboard has an answer.
func TestMonitoring(t *testing.T) {
	if !*monitoring {
		t.Skip("only in make e2e-monitoring")
	}
	p := startPrometheus(t)
	ns := cluster.Namespace(t)

	t.Run("targets", func(t *testing.T) { p.checkManager(t) })
	t.Run("rules", func(t *testing.T) { p.checkRules(t) })

	bad := strings.Replace(cluster.MariaDB, "storage:", "config: {innodb_no_such_setting: \"1\"}, storage:", 1)
	failing := cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("failing", bad, short)))
	live := cluster.Apply(t, ns, cluster.RunYAML("live", "", "  design: {blocks: 6, warmup: 0s, duration: 10s}\n"))
	queued := cluster.Apply(t, ns, cluster.RunYAML("queued", "", "  design: {blocks: 1, warmup: 0s, duration: 5s}\n"))
	// While the first run has the nodes.
	t.Run("alert queued", func(t *testing.T) {
		p.fires(t, "AssayRunQueuedTooLong", map[string]string{"namespace": ns, "severity": "warning"})
	})
	t.Run("live", func(t *testing.T) { p.checkLive(t, live) })
	t.Run("alert failed", func(t *testing.T) {
		cluster.AwaitRun(t, failing, 2*time.Minute)
		p.fires(t, "AssayRunFailed", map[string]string{"namespace": ns, "run": "failing", "reason": "ServerRefusedSetting", "severity": "warning"})
	})
	live = cluster.AwaitRun(t, live, 4*time.Minute)
	if err := cluster.API.Delete(t.Context(), queued); err != nil {
		t.Error(err)
	}
	// Other work on this machine may disturb all trials of a run: then it is played again.
	for try := 0; try < 2 && !counts(live); try++ {
		again := fmt.Sprintf("live-%d", try)
		live = cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML(again, "", "  design: {blocks: 6, warmup: 0s, duration: 5s}\n")), 4*time.Minute)
	}
	t.Run("results", func(t *testing.T) { p.checkResults(t, live) })
	t.Run("dashboards", func(t *testing.T) { p.checkDashboards(t, live) })
	t.Run("alert invalid", func(t *testing.T) {
		text := workloadOf("dry", "", "{test: oltp_delete, threads: 2, tables: 1, tableSize: 1000, randType: uniform}")
		text = strings.Replace(text, short, "  design: {blocks: 1, warmup: 0s, duration: 6s}\n", 1)
		run := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.Beside(text)), 3*time.Minute)
		reason := ""
		for _, c := range run.Status.Conditions {
			if c.Type == v1alpha1.ConditionValid {
				reason = c.Reason
			}
		}
		p.fires(t, "AssayRunInvalid", map[string]string{"namespace": ns, "run": "dry", "reason": reason, "severity": "warning"})
	})
	t.Run("alert manager down", func(t *testing.T) {
		scaleManager(t, 0)
		t.Cleanup(func() { scaleManager(t, 1) })
		p.fires(t, "AssayManagerDown", map[string]string{"severity": "critical"})
	})
}

// scaleManager sets how many managers there are.
func scaleManager(t *testing.T, replicas int32) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // it is called at the end, too
	d := &appsv1.Deployment{}
	if err := cluster.API.Get(ctx, client.ObjectKey{Namespace: managerNamespace, Name: "assay-manager"}, d); err != nil {
		t.Error(err)
		return
	}
	patch := client.MergeFrom(d.DeepCopy())
	d.Spec.Replicas = &replicas
	if err := cluster.API.Patch(ctx, d, patch); err != nil {
		t.Error(err)
	}
}

// counts says whether the run has a trial that counts.
func counts(run *v1alpha1.BenchmarkRun) bool {
	return slices.ContainsFunc(run.Status.Summary, func(e v1alpha1.SummaryEntry) bool { return e.Median != "" })
}

// checkManager: the manager is scraped by HTTPS, with a right that was given, and tells of the runs.
func (p *prometheus) checkManager(t *testing.T) {
	eventually(t, 2*time.Minute, func() string {
		for _, target := range p.targets(t) {
			if target.Labels["service"] != "assay-manager-metrics" {
				continue
			}
			if !strings.HasPrefix(target.ScrapeURL, "https://") {
				return "the manager is scraped at " + target.ScrapeURL
			}
			if target.Health != "up" {
				return "the manager is " + target.Health + ": " + target.LastError
			}
			return ""
		}
		return "Prometheus does not know the manager"
	})
	eventually(t, time.Minute, func() string {
		if got := p.query(t, "assay_metrics_collected"); len(got) != 1 || got[0].number() != "1" {
			return fmt.Sprint("assay_metrics_collected: ", got)
		}
		return ""
	})
}

// checkRules: all rules of the chart are loaded, and can be evaluated.
func (p *prometheus) checkRules(t *testing.T) {
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct{ Name, Health, LastError string }
		}
	}
	eventually(t, 2*time.Minute, func() string {
		p.get(t, "/api/v1/rules", nil, &rules)
		n := 0
		for _, g := range rules.Groups {
			for _, r := range g.Rules {
				if r.Health != "ok" {
					return fmt.Sprintf("%s %s: %s %s", g.Name, r.Name, r.Health, r.LastError)
				}
				n++
			}
		}
		if n < 10 {
			return fmt.Sprintf("%d rules are loaded", n)
		}
		return ""
	})
}

// checkLive: while its tool runs, a client is scraped, and what it tells changes with the tool's intervals. Nobody but
// Prometheus can connect to it.
func (p *prometheus) checkLive(t *testing.T, run *v1alpha1.BenchmarkRun) {
	cluster.AwaitState(t, run, 4*time.Minute, "measured", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.CurrentTrial != nil })
	labels := fmt.Sprintf(`namespace=%q, run=%q, target="mariadb", trial=~"[0-5]"`, run.Namespace, run.Name)
	seen := map[string]bool{}
	eventually(t, 90*time.Second, func() string {
		for _, s := range p.query(t, `assay_client_interval_value{measurement="throughput", unit="tx/s", `+labels+`} > 0`) {
			seen[s.number()] = true
		}
		if len(seen) < 2 {
			return fmt.Sprintf("of the throughput of %s Prometheus has seen %v", run.Name, seen)
		}
		return ""
	})
	for _, expr := range []string{
		`assay_client_tool_running{phase="run", ` + labels + `} == 1`, `assay_client_interval_end_seconds{` + labels + `} > 0`,
		`assay_client_interval_value{measurement="latency.percentile", unit="seconds", ` + labels + `} > 0`,
		`assay_client_interval_value{measurement="rate.errors", ` + labels + `} or on () vector(0)`,
		fmt.Sprintf(`namespace_run:assay_client_throughput:sum{namespace=%q, run=%q} > 0`, run.Namespace, run.Name),
	} {
		if len(p.query(t, expr)) == 0 {
			t.Errorf("no answer to %s", expr)
		}
	}
	pod := podOf(t, run.Namespace, run.Name, v1alpha1.RoleClient)
	address := net.JoinHostPort(pod.Status.PodIP, fmt.Sprint(resources.LivePort))
	// On a node that is not measured: it would be a neighbour of the trial.
	api := "kubernetes.default.svc:443"
	if got := cluster.Connects(t, unrestricted(t, run.Namespace, managerPod(t).Spec.NodeName), address, api); !slices.Equal(got, []string{api}) {
		t.Errorf("a pod of the run's namespace connects to %v", got)
	}
}

// checkResults: what the run measured is in Prometheus, in base units.
func (p *prometheus) checkResults(t *testing.T, run *v1alpha1.BenchmarkRun) {
	labels := fmt.Sprintf(`namespace=%q, run=%q`, run.Namespace, run.Name)
	var throughput v1alpha1.SummaryEntry
	for _, e := range run.Status.Summary {
		if e.Name == "throughput" {
			throughput = e
		}
	}
	if throughput.Median == "" {
		t.Fatalf("every trial was disturbed, so there is nothing to compare: %+v", throughput.LeftOut)
	}
	median := fmt.Sprintf(`assay_run_result_median{measurement="throughput", unit="tx/s", namespace=%q, run=%q}`, run.Namespace, run.Name)
	want := map[string]string{
		median: throughput.Median,
		`assay_run_phase{phase="Complete", ` + labels + `}`:                        "1",
		`assay_run_trials_succeeded{` + labels + `}`:                               "6",
		`assay_run_condition{condition="Complete", status="True", ` + labels + `}`: "1",
		`namespace_run:assay_run_trials_done:ratio{` + labels + `}`:                "1",
	}
	for expr, value := range want {
		eventually(t, time.Minute, func() string {
			if got := p.query(t, expr); len(got) != 1 || got[0].number() != value {
				return fmt.Sprintf("%s: %v, want %s", expr, got, value)
			}
			return ""
		})
	}
}

// checkDashboards: Prometheus answers every query of every panel and variable. Those that need no object store, gate or comparison have data.
func (p *prometheus) checkDashboards(t *testing.T, run *v1alpha1.BenchmarkRun) {
	files, err := filepath.Glob("../../charts/assay/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	fill := strings.NewReplacer("$namespace", run.Namespace, "$runs", run.Name, "$run", run.Name, "$measurement", "throughput", "$target", ".*")
	// The live figures may be those of the run before.
	without := []string{"Throughput", "Latency", "Gates", "Comparisons", "Verdicts", "Object store", "Errors", "Time left", "Validity findings", "Queue by namespace"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
			Templating struct {
				List []struct{ Type, Query string }
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, panel := range d.Panels {
			n := 0
			for _, q := range panel.Targets {
				n += p.queryRange(t, fill.Replace(q.Expr)) // what ended before is in the range of the panel
			}
			// An interval needs six trials that nothing disturbed: one query of a panel is enough.
			if n == 0 && !slices.Contains(without, panel.Title) {
				t.Errorf("%s: %s: no data for %v", filepath.Base(file), panel.Title, panel.Targets)
			}
		}
		for _, v := range d.Templating.List {
			if v.Type != "query" {
				continue
			}
			selector, label, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(fill.Replace(v.Query), "label_values("), ")"), ", "+lastLabel(v.Query))
			if got := p.query(t, fmt.Sprintf("count by (%s) (%s)", lastLabel(v.Query), selector)); len(got) == 0 {
				t.Errorf("%s: no values of the variable %s%s", filepath.Base(file), v.Query, label)
			}
		}
	}
}

// lastLabel is the label of label_values(SELECTOR, LABEL).
func lastLabel(query string) string {
	return strings.TrimSuffix(strings.TrimSpace(query[strings.LastIndex(query, ",")+1:]), ")")
}

// fires waits until an alert fires with these labels.
func (p *prometheus) fires(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	var alerts struct {
		Alerts []struct {
			Labels, Annotations map[string]string
			State               string
		}
	}
	eventually(t, 2*time.Minute, func() string {
		p.get(t, "/api/v1/alerts", nil, &alerts)
		for _, a := range alerts.Alerts {
			same := a.Labels["alertname"] == name && a.State == "firing"
			for k, v := range labels {
				same = same && a.Labels[k] == v
			}
			if same {
				if !strings.HasSuffix(a.Annotations["runbook_url"], "/"+name+".md") {
					return fmt.Sprint("the alert has no runbook: ", a.Annotations)
				}
				t.Logf("fires: %s", a.Annotations["summary"])
				return ""
			}
		}
		return fmt.Sprintf("%s %v does not fire: %v", name, labels, alerts.Alerts)
	})
}

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

// queryRange counts the series of the last ten minutes.
func (p *prometheus) queryRange(t *testing.T, expr string) int {
	t.Helper()
	now := time.Now()
	var found struct{ Result []json.RawMessage }
	p.get(t, "/api/v1/query_range", url.Values{
		"query": {expr}, "start": {now.Add(-10 * time.Minute).Format(time.RFC3339)}, "end": {now.Format(time.RFC3339)}, "step": {"5s"},
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
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
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
