package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/show/metrics"
)

// rule is one of a PrometheusRule.
type rule struct {
	Alert, Record, Expr string
	Labels, Annotations map[string]string
}

type prometheusRule struct {
	Spec struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
}

func rulesOf(t *testing.T, args ...string) (all []rule) {
	t.Helper()
	text, has := mustHelm(t, append(args, "--set=metrics.rules.enabled=true")...)["PrometheusRule assay-system/assay-manager"]
	if !has {
		t.Fatal("there is no PrometheusRule")
	}
	var rules prometheusRule
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Spec.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// ours are names of metrics in an expression that begin as Assay's do; those of recording rules have a colon.
var ours = regexp.MustCompile(`[a-z_:]*\bassay_[a-z_]+(:[a-z]+)?|\bassay:[a-z_]+:[a-z]+`)

// checkNames says which metrics of an expression nobody has.
func checkNames(t *testing.T, where, expr string, records []string) {
	t.Helper()
	known := slices.Clone(records)
	for _, s := range append(metrics.Sections(), live.Sections()...) {
		for _, f := range s.Families {
			known = append(known, f.Name)
		}
	}
	for _, name := range ours.FindAllString(expr, -1) {
		if !slices.Contains(known, name) {
			t.Errorf("%s: nobody has the metric %s", where, name)
		}
	}
}

func recordsOf(rules []rule) (names []string) {
	for _, r := range rules {
		if r.Record != "" {
			names = append(names, r.Record)
		}
	}
	return names
}

// Every alert says what it is about and has a runbook, every runbook has an alert, and no rule names a metric that does not exist.
func TestRules(t *testing.T) {
	rules := rulesOf(t)
	var alerts []string
	for _, r := range rules {
		checkNames(t, r.Alert+r.Record, r.Expr, recordsOf(rules))
		if regexp.MustCompile(`\$[A-Z]+`).MatchString(fmt.Sprint(r)) {
			t.Errorf("%s: a placeholder is left: %v", r.Alert, r)
		}
		if r.Alert == "" {
			continue
		}
		alerts = append(alerts, r.Alert)
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Labels["severity"] == "" {
			t.Errorf("%s lacks its summary, description or severity", r.Alert)
		}
		want := "https://github.com/assay-bench/assay/blob/main/docs/runbooks/" + r.Alert + ".md"
		if r.Annotations["runbook_url"] != want {
			t.Errorf("%s: runbook_url %s, want %s", r.Alert, r.Annotations["runbook_url"], want)
		}
		page, err := os.ReadFile("../../../docs/runbooks/" + r.Alert + ".md")
		if err != nil {
			t.Errorf("%s has no runbook: %v", r.Alert, err)
		}
		for _, chapter := range []string{"# " + r.Alert, "## What it means", "## How to look", "## What to do"} {
			if !strings.Contains("\n"+string(page), "\n"+chapter+"\n") {
				t.Errorf("the runbook of %s has no chapter %q", r.Alert, chapter)
			}
		}
	}
	pages, err := filepath.Glob("../../../docs/runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if name := strings.TrimSuffix(filepath.Base(p), ".md"); name != "README" && !slices.Contains(alerts, name) {
			t.Errorf("there is no alert for the runbook %s", name)
		}
	}
	if len(alerts) < 8 {
		t.Errorf("%d alerts", len(alerts))
	}
}

// What the values say comes out.
func TestRulesOfValues(t *testing.T) {
	rules := rulesOf(t, "--set=metrics.rules.queuedTooLongSeconds=7", "--set=metrics.rules.runbooks=https://own")
	at := slices.IndexFunc(rules, func(r rule) bool { return r.Alert == "AssayRunQueuedTooLong" })
	if at < 0 || !strings.HasSuffix(rules[at].Expr, "> 7") || rules[at].Annotations["runbook_url"] != "https://own/AssayRunQueuedTooLong.md" {
		t.Errorf("got %v", rules[at])
	}
}

// dashboard is what Grafana loads.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		Title   string
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Annotations struct {
		List []struct{ Name, Expr string }
	}
}

// Every dashboard is a ConfigMap for the sidecar, can be loaded, and names no metric that does not exist.
func TestDashboards(t *testing.T) {
	o := mustHelm(t, "--set=metrics.dashboards.enabled=true", "--set=metrics.dashboards.annotations.grafana_folder=Assay")
	records := recordsOf(rulesOf(t))
	for _, name := range []string{"live", "history", "schedule", "operator"} {
		c := find[corev1.ConfigMap](t, o, "ConfigMap assay-system/assay-dashboard-"+name)
		if c.Labels["grafana_dashboard"] != "1" || c.Annotations["grafana_folder"] != "Assay" {
			t.Errorf("%s: labels %v, annotations %v", name, c.Labels, c.Annotations)
		}
		var d dashboard
		if err := json.Unmarshal([]byte(c.Data["assay-"+name+".json"]), &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.UID != "assay-"+name || d.Title == "" || len(d.Panels) == 0 {
			t.Errorf("%s: uid %q, title %q, %d panels", name, d.UID, d.Title, len(d.Panels))
		}
		for _, p := range d.Panels {
			if len(p.Targets) == 0 {
				t.Errorf("%s: %s has no query", name, p.Title)
			}
			for _, q := range p.Targets {
				checkNames(t, name+": "+p.Title, q.Expr, records)
			}
		}
		for _, a := range d.Annotations.List {
			checkNames(t, name+": marks "+a.Name, a.Expr, records)
		}
		for _, v := range d.Templating.List {
			if v.Type == "query" {
				checkNames(t, name+": variable "+v.Name, v.Query, records)
			}
		}
	}
	if found := o.keys("PrometheusRule"); len(found) > 0 {
		t.Errorf("nobody asked for %v", found)
	}
}

// The monitor of client pods takes no more of a pod than a client has, and looks where the manager does.
func TestPodMonitor(t *testing.T) {
	if found := mustHelm(t).keys("PodMonitor"); len(found) > 0 {
		t.Errorf("by default there is %v", found)
	}
	o := mustHelm(t, "--set=metrics.podMonitor.enabled=true", "--set=metrics.podMonitor.labels.release=own", "--set=watchNamespaces={a,b}")
	monitor := string(o["PodMonitor assay-system/assay-clients"])
	for _, part := range []string{"release: own", "sampleLimit: 200", "matchNames", "interval: 10s"} {
		if !strings.Contains(monitor, part) {
			t.Errorf("the PodMonitor lacks %q:\n%s", part, monitor)
		}
	}
	if strings.Contains(monitor, "honorLabels") {
		t.Error("a tenant's pod can say of which namespace it is")
	}
	if live := configOf(t, o).Pods.Network.Live; live == nil {
		t.Error("the manager is not told that clients have live figures")
	}
	if live := configOf(t, mustHelm(t)).Pods.Network.Live; live != nil {
		t.Errorf("the manager is told of live figures: %+v", live)
	}
}
