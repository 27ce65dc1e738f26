package report

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// published are medians of a published comparison of drivers: operation, what is compared, size or nothing, value.
type published struct {
	Operation, Scheme, Category string
	Rows                        int
	Value                       float64
}

func readPublished(t testing.TB, file string) (out []published) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// batchSchemes is the published comparison of 12 schemes in three operations and sizes, measured in eight blocks.
func batchSchemes() made {
	return driversOf("batch.json", "time.total", "ms", contract.LowerIsBetter, "scheme", "SingleRow")
}

// nodeDrivers is the published comparison of Node.js drivers.
func nodeDrivers() made {
	return driversOf("node.json", contract.NameThroughput, "ops/s", contract.HigherIsBetter, "driver", "mysql")
}

func driversOf(file, name, unit string, direction contract.Direction, factor, baseline string) made {
	all := readPublished(&testing.T{}, file)
	m := made{targets: []string{"mysql"}, blocks: 20, names: []string{name},
		comparisons: []analysis.Comparison{{Field: "spec.analysis", Factor: factor, Baseline: baseline, Measurements: []analysis.Measurement{{Name: name}}}}}
	labelsOf := func(p published) []string {
		out := []string{"operation", p.Operation, factor, p.Scheme}
		if p.Rows > 0 {
			out = append(out, "rows", strconv.Itoa(p.Rows))
		}
		return out
	}
	for _, p := range all {
		labels := value(name, unit, direction, 0, labelsOf(p)...).Labels
		m.combinations = append(m.combinations, analysis.Combination{Labels: labels, Factors: labels})
	}
	m.measure = func(_ string, _ plan.Cell, block int) (out []contract.RecordedValue) {
		for i, p := range all {
			out = append(out, value(name, unit, direction, p.Value*noise(0.01, block, i), labelsOf(p)...))
		}
		return out
	}
	return m
}

func TestThePublishedTablesAreThere(t *testing.T) {
	in := batchSchemes().input(t)
	d, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	var tables []*table
	for _, b := range d.Sections[0].Blocks {
		if b.Table != nil {
			tables = append(tables, b.Table)
		}
	}
	if len(tables) != 3 {
		t.Fatalf("got %d tables of medians, want one for each operation", len(tables))
	}
	for i, operation := range []string{"DELETE", "INSERT", "UPDATE"} {
		if !slices.ContainsFunc(tables, func(one *table) bool { return strings.Contains(one.Caption, operation) }) {
			t.Errorf("no table is about %s", operation)
		}
		if got := len(tables[i].Rows); got != 12 {
			t.Errorf("%s: got %d rows, want the 12 schemes", tables[i].Caption, got)
		}
		if got := len(tables[i].Head); got != 4 {
			t.Errorf("%s: got %d columns, want the scheme and three sizes", tables[i].Caption, got)
		}
	}
	// The winners of the source.
	winners := map[string]string{}
	for _, one := range tables {
		for _, row := range one.Rows {
			for c, cell := range row {
				if cell.Strong {
					winners[one.Caption[:6]+" "+one.Head[c].Name] = row[0].Text
				}
			}
		}
	}
	best := map[string]published{}
	for _, p := range readPublished(t, "batch.json") {
		key := p.Operation + " rows " + strconv.Itoa(p.Rows)
		if b, has := best[key]; !has || p.Value < b.Value {
			best[key] = p
		}
	}
	if len(best) != 9 || len(winners) != 9 {
		t.Fatalf("got %d winners, want 9 of %d: %v", len(winners), len(best), winners)
	}
	for key, p := range best {
		if !strings.HasPrefix(winners[key], p.Scheme) {
			t.Errorf("%s: got %q in bold, want %q", key, winners[key], p.Scheme)
		}
	}
}

// A driver that cannot do something has no number, which is not 0, and the others have their percentages.
func TestThePublishedDriversStandBesideEachOther(t *testing.T) {
	d, err := build(nodeDrivers().input(t))
	if err != nil {
		t.Fatal(err)
	}
	var medians *table
	for _, b := range d.Sections[0].Blocks {
		if b.Table != nil && medians == nil {
			medians = b.Table
		}
	}
	if medians == nil || len(medians.Rows) != 10 || len(medians.Head) != 4 {
		t.Fatalf("got %+v, want 10 benchmarks and three drivers", medians)
	}
	row := func(name string) []cell {
		i := slices.IndexFunc(medians.Rows, func(row []cell) bool { return row[0].Text == name })
		if i < 0 {
			t.Fatalf("no row %q", name)
		}
		return medians.Rows[i]
	}
	if got := row("select one mysql.user using execute")[1]; got.Text != "–" || got.Strong {
		t.Errorf("a driver that cannot execute has %+v", got)
	}
	for name, want := range map[string][2]float64{"select one mysql.user": {2.9, 10.6}, "select random number": {-9.5, 5.5}} {
		for i, percent := range want {
			below := row(name)[2+i].Below
			text := strings.NewReplacer(" %", "", "+", "").Replace(below[len(below)-1])
			got, err := strconv.ParseFloat(text, 64)
			if err != nil || got < percent-1.5 || got > percent+1.5 { // each trial has up to 1 % of noise
				t.Errorf("%s: got %q for %s, want about %v %%", name, below, medians.Head[2+i].Name, percent)
			}
		}
	}
	for _, r := range medians.Rows {
		if !r[3].Strong {
			t.Errorf("%s: mariadb is not in bold", r[0].Text)
		}
	}
}

// threeEngines is a comparison as of YCSB: throughput, and latencies of each operation.
func threeEngines() made {
	rates := map[string]float64{"MyTopling": 24000, "MyRocks": 13957, "PolarDB": 23438}
	return made{
		targets: []string{"MyTopling", "MyRocks", "PolarDB"}, blocks: 12, names: []string{contract.NameThroughput, contract.NameLatencyAvg},
		comparisons: []analysis.Comparison{{Field: "spec.targets", Factor: v1alpha1.FactorTarget, Measurements: []analysis.Measurement{{Name: contract.NameThroughput}}}},
		measure: func(target string, _ plan.Cell, block int) []contract.RecordedValue {
			rate := rates[target] * noise(0.01, block, len(target))
			return []contract.RecordedValue{value(contract.NameThroughput, "ops/s", contract.HigherIsBetter, rate),
				value(contract.NameLatencyAvg, "us", contract.LowerIsBetter, 15e6/rate, "operation", "READ"),
				value(contract.NameLatencyAvg, "us", contract.LowerIsBetter, 25e6/rate, "operation", "UPDATE")}
		},
	}
}

// Grouped bars, each with its spread and its trials: the targets in the group of each operation.
func TestThePublishedBarsAreThere(t *testing.T) {
	c := sectionOf(t, threeEngines().input(t), "comparison")
	var bars []*picture
	for _, b := range c.Blocks {
		if b.Picture != nil && strings.Contains(b.Picture.Caption, "spread") {
			bars = append(bars, b.Picture)
		}
	}
	if len(bars) != 2 || len(bars[1].Behind.Rows) != 6 || !slices.Equal(bars[1].Key, []string{"MyTopling", "MyRocks", "PolarDB"}) {
		t.Fatalf("got %d pictures with bars, want the throughput, and the latencies of three engines in two groups", len(bars))
	}
	svg, err := bars[1].draw(chart.Wide)
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{`<g class="b"><title>READ, `: 3, `<g class="b"><title>UPDATE, `: 3, "<title>trial ": 72, `font-weight="600">READ<`: 1, "interval ": 12} {
		if got := strings.Count(svg, what); got != n {
			t.Errorf("got %d times %q, want %d", got, what, n)
		}
	}
}

// networks is a sweep of three workloads over threads, of two variants of one server.
func networks() made {
	m := twoServers(10)
	m.targets, m.axes, m.loads = []string{"old network", "new network"}, []string{"test", "threads"}, []string{"threads"}
	for _, test := range []string{"oltp_read_only", "oltp_write_only", "oltp_read_write"} {
		for _, n := range []int32{2, 16, 64, 256, 512, 1024} {
			m.cells = append(m.cells, plan.Cell{"test": intstr.FromString(test), "threads": intstr.FromInt32(n)})
		}
	}
	return m
}

// Curves over threads, one picture for each workload, with a line for each variant.
func TestThePublishedCurvesAreThere(t *testing.T) {
	in := networks().input(t)
	var captions []string
	for _, b := range sectionOf(t, in, "load").Blocks {
		if b.Picture == nil || !strings.Contains(b.Picture.Caption, "throughput") {
			continue
		}
		captions = append(captions, b.Picture.Caption)
		if !slices.Equal(b.Picture.Key, []string{"old network", "new network"}) || len(b.Picture.Behind.Rows) != 12 {
			t.Errorf("%s: got the lines %q with %d points", b.Picture.Caption, b.Picture.Key, len(b.Picture.Behind.Rows))
		}
	}
	want := []string{"oltp_read_only, throughput, tx/s: over threads", "oltp_write_only, throughput, tx/s: over threads", "oltp_read_write, throughput, tx/s: over threads"}
	if !slices.Equal(captions, want) {
		t.Errorf("got %q, want %q", captions, want)
	}
}

// Numbers in several units stand in a table each, with the unit in its head.
func TestEachUnitHasATableOfItsOwn(t *testing.T) {
	m := made{targets: []string{"driver"}, blocks: 6, names: []string{"time", "rate"}, measure: func(_ string, _ plan.Cell, block int) []contract.RecordedValue {
		return []contract.RecordedValue{value("time", "s", contract.LowerIsBetter, 0.000177*noise(0.02, block), "benchmark", "SELECT 1"),
			value("time", "s", contract.LowerIsBetter, 0.0112*noise(0.02, block), "benchmark", "cold connect"), value("rate", "rows/s", contract.HigherIsBetter, 550*noise(0.02, block), "benchmark", "executemany")}
	}}
	var heads []string
	for _, b := range sectionOf(t, m.input(t), "all").Blocks {
		for _, row := range b.Table.Rows {
			heads = append(heads, row[0].Text+" "+row[7].Text)
		}
	}
	if want := []string{"time (benchmark SELECT 1) s", "time (benchmark cold connect) s", "rate (benchmark executemany) rows/s"}; !slices.Equal(heads, want) {
		t.Errorf("got %q, want %q", heads, want)
	}
	c := sectionOf(t, m.input(t), "comparison")
	if first := c.Blocks[2]; first.Table == nil || !strings.HasPrefix(first.Table.Caption, "time, s") || first.Table.Rows[0][0].Text != "SELECT 1" {
		t.Errorf("got %+v, want the times of both benchmarks", first.Table)
	}
}
