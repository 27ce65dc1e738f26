package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dashboard is what Grafana reads of a file.
type dashboard struct {
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Type, Query string }
	}
	Annotations struct {
		List []struct{ Name, Expr string }
	}
}

// checkDashboards: Prometheus answers every query, and every panel, mark and variable has data, for one of some runs.
func (p *prometheus) checkDashboards(t *testing.T, ns string, runs []string) {
	files, err := filepath.Glob("../../charts/assay/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		has := map[string]int{}
		for _, run := range runs {

			fill := strings.NewReplacer("$namespace", ns, "$schedule", "story", "$runs", ".*", "$run", run, "$measurement", "throughput", "$target", ".*")
			for _, panel := range d.Panels {
				for i, q := range panel.Targets {
					has[fmt.Sprintf("%s, query %d: %s", panel.Title, i, q.Expr)] += p.queryRange(t, fill.Replace(q.Expr)) // what ended before is in the range
				}
			}
			for _, mark := range d.Annotations.List {
				has["mark "+mark.Name+": "+mark.Expr] += p.queryRange(t, fill.Replace(mark.Expr))
			}
			for _, v := range d.Templating.List {
				if v.Type != "query" {
					continue
				}
				selector := strings.TrimPrefix(fill.Replace(v.Query), "label_values(")
				selector = selector[:strings.LastIndex(selector, ",")]
				has["variable "+v.Query] += len(p.query(t, fmt.Sprintf("count by (%s) (%s)", lastLabel(v.Query), selector)))
			}
		}
		for what, n := range has {
			// An interval needs six trials that nothing disturbed. Its query differs from that of the median by the metric alone.
			if n == 0 && !strings.Contains(what, "assay_run_result_interval_") {
				t.Errorf("%s: no data for %s", filepath.Base(file), what)
			}
		}
	}
}

// lastLabel is the label of label_values(SELECTOR, LABEL).
func lastLabel(query string) string {
	return strings.TrimSuffix(strings.TrimSpace(query[strings.LastIndex(query, ",")+1:]), ")")
}
