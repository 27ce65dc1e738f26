package e2e

import (
	"context"
	"flag"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// compared is a run with intervals and a comparison, of which each trial has figures of several intervals. With windows of 5 s it was over
// before all was asked of its clients: Prometheus hears of new pods every 5 s.
const compared = `  matrix: [{name: threads, values: [1, 2]}]
  design: {blocks: 6, warmup: 0s, duration: 10s}
  analysis: {comparisons: [{factor: threads, measurements: [{name: throughput}]}]}
`

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

	var fast *v1alpha1.BenchmarkRun
	t.Run("runs", func(t *testing.T) { fast = p.checkRuns(t, ns) })
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
	t.Run("alerts regressed", func(t *testing.T) {
		if fast == nil { // this part is played alone
			fast = playUndisturbed(t, ns, "fast")
		}
		p.checkRegressed(t, fast)
	})
	t.Run("alert store unreachable", func(t *testing.T) { p.checkStoreAway(t) })
	t.Run("dashboards", func(t *testing.T) { p.checkDashboards(t, ns, []string{"live", "dry"}) })
	t.Run("alert manager down", func(t *testing.T) {
		scaleManager(t, 0)
		t.Cleanup(func() { scaleManager(t, 1) })
		p.fires(t, "AssayManagerDown", map[string]string{"severity": "critical"})
	})
}

// checkRuns: while a run has the nodes, its client is scraped, another one waits for longer than it should, and a schedule misses a
// time; one that failed says so. It returns a run that measured something.
func (p *prometheus) checkRuns(t *testing.T, ns string) *v1alpha1.BenchmarkRun {
	bad := strings.Replace(cluster.MariaDB, "storage:", "config: {innodb_no_such_setting: \"1\"}, storage:", 1)
	failing := cluster.Apply(t, ns, cluster.Beside(cluster.RunYAML("failing", bad, short)))
	live := cluster.Apply(t, ns, cluster.RunYAML("live", "", compared))
	cluster.AwaitState(t, live, time.Minute, "placed", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement != nil })
	late := createSchedule(t, ns, "late", cluster.RunYAML("x", "", short), "schedule: '* * * * *'\nstartingDeadlineSeconds: 10")
	t.Run("alert queued", func(t *testing.T) {
		p.fires(t, "AssayRunQueuedTooLong", map[string]string{"namespace": ns, "severity": "warning"})
	})
	t.Run("live", func(t *testing.T) { p.checkLive(t, live) })
	t.Run("alert schedule missed", func(t *testing.T) { p.checkMissed(t, late) })
	t.Run("alert failed", func(t *testing.T) {
		cluster.AwaitRun(t, failing, 2*time.Minute)
		p.fires(t, "AssayRunFailed", map[string]string{"namespace": ns, "run": "failing", "reason": "ServerRefusedSetting", "severity": "warning"})
	})
	fast := cluster.AwaitRun(t, live, 4*time.Minute)
	if !counts(fast) {
		fast = playUndisturbed(t, ns, "again")
	}
	t.Run("results", func(t *testing.T) { p.checkResults(t, fast) })
	return fast
}

// playUndisturbed plays a run, at most twice: other work on this machine may disturb all of its trials.
func playUndisturbed(t *testing.T, ns, name string) *v1alpha1.BenchmarkRun {
	t.Helper()
	for try := range 2 {
		run := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML(fmt.Sprintf("%s-%d", name, try), "", compared)), 4*time.Minute)
		if counts(run) {
			return run
		}
		t.Logf("%s shows nothing: %+v, %+v", run.Name, run.Status.Comparisons, run.Status.Findings)
	}
	t.Fatal("every block was disturbed, twice")
	return nil
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

// counts says whether the run has a trial that counts, and a comparison: Prometheus and its operator are neighbours of the measured
// pods here, and blocks of which a trial is disturbed are not compared.
func counts(run *v1alpha1.BenchmarkRun) bool {
	return slices.ContainsFunc(run.Status.Summary, func(e v1alpha1.SummaryEntry) bool { return e.Median != "" }) &&
		slices.ContainsFunc(run.Status.Comparisons, func(c v1alpha1.ComparisonEntry) bool {
			return c.Ratio != "" && c.Family == v1alpha1.FamilyPrimary // the metrics have no others, and a run of which most is disturbed has others alone
		})
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
		if n < 12 {
			return fmt.Sprintf("%d rules are loaded", n)
		}
		return ""
	})
}

// checkLive: while its tool runs, a client is scraped, and what it tells changes with the tool's intervals. Nobody but
// Prometheus can connect to it.
func (p *prometheus) checkLive(t *testing.T, run *v1alpha1.BenchmarkRun) {
	cluster.AwaitState(t, run, 4*time.Minute, "measured", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.CurrentTrial != nil })
	labels := fmt.Sprintf(`namespace=%q, run=%q, target="mariadb", trial=~"[0-9]+"`, run.Namespace, run.Name)
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
		// Between two trials there is no client, and a rule is evaluated after what it reads.
		eventually(t, time.Minute, func() string {
			if len(p.query(t, expr)) == 0 {
				return "no answer to " + expr
			}
			return ""
		})
	}
	pod := podOf(t, run.Namespace, run.Name, v1alpha1.RoleClient)
	address := net.JoinHostPort(pod.Status.PodIP, fmt.Sprint(resources.LivePort))
	// On a node that is not measured: it would be a neighbour of the trial.
	api := "kubernetes.default.svc:443"
	if got := cluster.Connects(t, unrestricted(t, run.Namespace, managerPod(t).Spec.NodeName), 1, address, api); !slices.Equal(got, []string{api}) {
		t.Errorf("a pod of the run's namespace connects to %v", got)
	}
}

// checkResults: what the run measured is in Prometheus, in base units.
func (p *prometheus) checkResults(t *testing.T, run *v1alpha1.BenchmarkRun) {
	labels := fmt.Sprintf(`namespace=%q, run=%q`, run.Namespace, run.Name)
	var throughput v1alpha1.SummaryEntry
	for _, e := range run.Status.Summary {
		if e.Name == "throughput" && e.Cell == 0 {
			throughput = e
		}
	}
	if throughput.Median == "" {
		t.Fatalf("no trial of the first cell counts: %+v", throughput.LeftOut)
	}
	median := fmt.Sprintf(`assay_run_result_median{measurement="throughput", unit="tx/s", cell="0", namespace=%q, run=%q}`, run.Namespace, run.Name)
	want := map[string]string{
		median: throughput.Median,
		`assay_run_phase{phase="Complete", ` + labels + `}`:                        "1",
		`assay_run_trials_succeeded{` + labels + `}`:                               "12",
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
