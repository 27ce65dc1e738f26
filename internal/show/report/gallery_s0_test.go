package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
)

// S0 at full size: all numbers of the report are there, and each of them that has our names is about something that the run measures.
func TestS0AtFullSizeIsAboutWhatIsMeasured(t *testing.T) {
	in := publishedIn(t, "../../../config/samples/published/s0-dotnet/full.yaml")
	workload, err := json.Marshal(in.Run.Spec.Workload.Drivers)
	if err != nil {
		t.Fatal(err)
	}
	combinations, err := drivers.Runner().Combinations(workload)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]float64{}
	for _, numbers := range in.Quoted {
		got[numbers.Target] = map[string]float64{}
		for _, m := range numbers.Phases[0].Measurements {
			key := fmt.Sprint(m.Labels)
			if _, has := got[numbers.Target][key]; has {
				t.Errorf("%s has %s twice", numbers.Target, key)
			}
			got[numbers.Target][key] = *m.Value
			if numbers.Target == "published-schemes" {
				continue // under the names of the report
			}
			if !slices.ContainsFunc(combinations, func(c runner.Combination) bool { return maps.Equal(c.Labels, m.Labels) }) {
				t.Errorf("%s: nothing that the run measures is %v", numbers.Target, m.Labels)
			}
		}
	}
	want := s0AsPrinted(t)
	for target, n := range map[string]int{"published-schemes": 108, "published-speedups": 99, "published-drivers": 63} {
		if len(want[target]) != n {
			t.Errorf("%s: %d numbers are printed, want %d", target, len(want[target]), n)
		}
		if diff := cmp.Diff(want[target], got[target]); diff != "" {
			t.Errorf("%s (-printed +got):\n%s", target, diff)
		}
	}
}

// s0AsPrinted are the numbers of the report by target and labels, those of the speed-ups and of the drivers under the names that they
// have here. The speed-ups of DbBatch are left out: README.md of the sample says why.
func s0AsPrinted(t *testing.T) map[string]map[string]float64 {
	t.Helper()
	read := func(name string) []contract.Measurement {
		text, err := os.ReadFile("../../trial/quoted/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return quoted.Table(text).Measurements
	}
	operations := map[string]string{"INSERT": "Insert", "UPDATE": "Update", "DELETE": "Delete", "SELECT": "SelectByKey"}
	schemes, speedups, byDriver := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, m := range read("newlife-quick.txt") {
		scheme := m.Labels["scheme"]
		if m.Name != "speedup" {
			schemes[fmt.Sprint(map[string]string{"operation": m.Labels["operation"], "scheme": scheme, "category": s0Category(scheme), "rows": m.Labels["rows"]})] = *m.Value
			continue
		}
		if strings.HasPrefix(scheme, "DbBatch") {
			continue
		}
		labels := s0Scheme(t, scheme)
		labels["operation"], labels["rows"] = operations[m.Labels["operation"]], m.Labels["rows"]
		speedups[fmt.Sprint(labels)] = *m.Value
	}
	for _, m := range read("newlife-drivers.txt") {
		driver, scheme, _ := strings.Cut(m.Labels["driver"], " ")
		labels := map[string]string{"operation": operations[m.Labels["operation"]], "rows": m.Labels["rows"],
			"driver": map[string]string{"NewLife": "NewLife.MySql", "Official": "MySql.Data", "Connector": "MySqlConnector"}[driver],
			"scheme": map[string]string{"SingleRow": "SingleRow", "Pipeline(tx)": "Pipelined", "Batch(tx)": "Prepared"}[scheme]}
		if labels["operation"] != "SelectByKey" {
			labels["transaction"] = map[bool]string{true: "One", false: "Autocommit"}[strings.HasSuffix(scheme, "(tx)")]
		}
		byDriver[fmt.Sprint(labels)] = *m.Value
	}
	return map[string]map[string]float64{"published-schemes": schemes, "published-speedups": speedups, "published-drivers": byDriver}
}

// s0Scheme has the labels here of a scheme of the report, such as "ExecuteBatch+Pipeline UPDATE (tx)".
func s0Scheme(t *testing.T, printed string) map[string]string {
	t.Helper()
	labels := map[string]string{"driver": "NewLife.MySql", "transaction": "Autocommit"}
	name, inOne := strings.CutSuffix(printed, " (tx)")
	if inOne {
		labels["transaction"] = "One"
	}
	for _, operation := range []string{" INSERT", " UPDATE", " DELETE"} {
		name = strings.TrimSuffix(name, operation)
	}
	if strings.HasPrefix(name, "ExecuteBatch") {
		labels["driver"] = "NewLife.MySql (ExecuteBatch)"
	}
	labels["scheme"] = map[string]string{"SingleRow": "SingleRow", "ExecuteBatch": "ExecuteMany", "ExecuteArrayBatch": "ExecuteMany",
		"ExecuteBatch+Pipeline": "Pipelined", "ExecuteArrayBatch+Pipeline": "Pipelined",
		"Multi-row VALUES": "MultiRow", "Multi-stmt": "MultiStatement", "IN()": "InList"}[name]
	if labels["scheme"] == "" {
		t.Errorf("no scheme here is that of %q", printed)
	}
	return labels
}

// s0Category that the report gives to a scheme.
func s0Category(scheme string) string {
	name, inOne := strings.CutSuffix(scheme, " (tx)")
	switch piped := strings.Contains(name, "+Pipeline"); {
	case inOne && piped:
		return "tx+pipe"
	case inOne:
		return "tx"
	case piped:
		return "pipeline"
	case strings.HasPrefix(name, "SingleRow"):
		return "baseline"
	case strings.HasPrefix(name, "Execute"):
		return "serial"
	default:
		return "text"
	}
}
