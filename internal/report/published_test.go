package report

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
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
	m.measure = func(_ string, _ intstr.IntOrString, block int) (out []contract.RecordedValue) {
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
	for _, b := range d.chapters[0].blocks {
		if b.table != nil {
			tables = append(tables, b.table)
		}
	}
	if len(tables) != 3 {
		t.Fatalf("got %d tables of medians, want one for each operation", len(tables))
	}
	for i, operation := range []string{"DELETE", "INSERT", "UPDATE"} {
		if !slices.ContainsFunc(tables, func(one *table) bool { return strings.Contains(one.caption, operation) }) {
			t.Errorf("no table is about %s", operation)
		}
		if got := len(tables[i].rows); got != 12 {
			t.Errorf("%s: got %d rows, want the 12 schemes", tables[i].caption, got)
		}
		if got := len(tables[i].head); got != 4 {
			t.Errorf("%s: got %d columns, want the scheme and three sizes", tables[i].caption, got)
		}
	}
	// The winners of the source.
	winners := map[string]string{}
	for _, one := range tables {
		for _, row := range one.rows {
			for c, cell := range row {
				if cell.strong {
					winners[one.caption[:6]+" "+one.head[c].name] = row[0].text
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
	for _, b := range d.chapters[0].blocks {
		if b.table != nil && medians == nil {
			medians = b.table
		}
	}
	if medians == nil || len(medians.rows) != 10 || len(medians.head) != 4 {
		t.Fatalf("got %+v, want 10 benchmarks and three drivers", medians)
	}
	row := func(name string) []cell {
		i := slices.IndexFunc(medians.rows, func(row []cell) bool { return row[0].text == name })
		if i < 0 {
			t.Fatalf("no row %q", name)
		}
		return medians.rows[i]
	}
	if got := row("select one mysql.user using execute")[1]; got.text != "–" || got.strong {
		t.Errorf("a driver that cannot execute has %+v", got)
	}
	for name, want := range map[string][2]float64{"select one mysql.user": {2.9, 10.6}, "select random number": {-9.5, 5.5}} {
		for i, percent := range want {
			below := row(name)[2+i].below
			text := strings.NewReplacer("−", "-", " %", "", "+", "").Replace(below[len(below)-1])
			got, err := strconv.ParseFloat(text, 64)
			if err != nil || got < percent-1.5 || got > percent+1.5 { // each trial has up to 1 % of noise
				t.Errorf("%s: got %q for %s, want about %v %%", name, below, medians.head[2+i].name, percent)
			}
		}
	}
	for _, r := range medians.rows {
		if !r[3].strong {
			t.Errorf("%s: mariadb is not in bold", r[0].text)
		}
	}
}
