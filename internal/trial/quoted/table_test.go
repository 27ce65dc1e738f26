package quoted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// A published table is read as it is printed: separators, signs, and numbers that nobody published.
func TestTable(t *testing.T) {
	text := `# a comment
measurement: latency.avg
unit: ms
direction: LowerIsBetter
rows: scheme
columns: rows
label operation: INSERT

| scheme | 100 | 1,000 |
| --- | --: | --: |
| single row | 35.72 | 1,437.2 |
| many rows | 3.84 | - |

measurement: throughput
unit: ops/s
direction: HigherIsBetter
rows: driver, benchmark
columns:
label operation:

| driver | benchmark | rate |
| a | do | 4,826.5 |
| b | do | n/a |
| b | 10,000 | 1e3 |
`
	got := Table([]byte(text))
	m := func(name, unit string, d contract.Direction, v float64, labels map[string]string) contract.Measurement {
		return contract.Measurement{Name: name, Unit: unit, Direction: d, Value: &v, Labels: labels}
	}
	latency := func(v float64, scheme, rows string) contract.Measurement {
		return m("latency.avg", "ms", contract.LowerIsBetter, v, map[string]string{"operation": "INSERT", "scheme": scheme, "rows": rows})
	}
	rate := func(v float64, driver, benchmark string) contract.Measurement {
		return m("throughput", "ops/s", contract.HigherIsBetter, v, map[string]string{"driver": driver, "benchmark": benchmark})
	}
	want := []contract.Measurement{
		latency(35.72, "single row", "100"), latency(1437.2, "single row", "1000"), latency(3.84, "many rows", "100"), rate(4826.5, "a", "do"), rate(1000, "b", "10000"),
	}
	if diff := cmp.Diff(want, got.Measurements); diff != "" {
		t.Errorf("measurements (-want +got):\n%s", diff)
	}
	if len(got.Problems) > 0 {
		t.Errorf("problems: %+v", got.Problems)
	}
}

// What cannot be read is a problem with its line, and never a number.
func TestTableWithProblems(t *testing.T) {
	about := "measurement: throughput\nunit: ops/s\nrows: driver\n"
	for name, tc := range map[string]struct {
		text   string
		line   int
		says   string
		values int
	}{
		"prose":                    {"We measured a lot.", 1, "neither a row of a table", 0},
		"an unknown word":          {"units: ms", 1, "unknown: units", 0},
		"no measurement":           {"unit: ms\nrows: a\n| a | b |\n| x | 1 |", 3, "does not say what was measured", 0},
		"no unit":                  {"measurement: x\nrows: a\n| a | b |\n| x | 1 |", 3, "does not say the unit", 0},
		"a unit in the cell":       {about + "| d | v |\n| a | 12 ms |\n| b | 2 |", 5, `"12 ms" is no number`, 1},
		"infinity":                 {about + "| d | v |\n| a | Inf |\n| b | 2 |", 5, `"Inf" is no number`, 1},
		"a number out of range":    {about + "| d | v |\n| a | 1e999 |\n| b | 2 |", 5, "no number that can be kept", 1},
		"a hexadecimal number":     {about + "| d | v |\n| a | 0x10 |\n| b | 2 |", 5, "is no number", 1},
		"a wrong separator":        {about + "| d | v |\n| a | 1,5 |\n| b | 2 |", 5, "is no number", 1},
		"a row that is too short":  {about + "| d | v |\n| a |\n| b | 2 |", 5, "has 1 cells", 1},
		"the same twice":           {about + "| d | v |\n| a | 1 |\n| a | 2 |", 6, "is there twice", 1},
		"labels only":              {about + "| d |\n| a |", 4, "none for numbers", 0},
		"columns without a name":   {about + "| d | v | w |\n| a | 1 | 2 |", 4, "columns of numbers", 1},
		"a direction of its own":   {"direction: up", 1, "direction is HigherIsBetter", 0},
		"a label that is no label": {"label a b: 1", 1, "unknown: label a b", 0},
		"one label for two":        {"rows: a, a", 1, "is there twice", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := Table([]byte(tc.text))
			if len(got.Problems) == 0 || got.Problems[0].Line != tc.line || !strings.Contains(got.Problems[0].Text, tc.says) || len(got.Measurements) != tc.values {
				t.Errorf("%d values, problems %+v", len(got.Measurements), got.Problems)
			}
		})
	}
}

// A table of another size than a status or a ConfigMap is cut, not refused in silence.
func TestTableIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("measurement: x\nunit: ms\nrows: a\n| a | v |\n")
	for i := range maxTableValues + 1 {
		fmt.Fprintf(&b, "| r%d | 1 |\n", i)
	}
	got := Table([]byte(b.String()))
	if len(got.Measurements) != maxTableValues || len(got.Problems) != 1 {
		t.Errorf("%d values, problems %+v", len(got.Measurements), got.Problems)
	}
}

func TestAgainst(t *testing.T) {
	ms := Table([]byte(`measurement: latency
unit: ms
direction: LowerIsBetter
rows: driver
columns: rows
| driver | 1 | 2 |
| a | 10 | 0 |
| b | 5 | 3 |
| c | 8 | - |
measurement: rate
unit: ops/s
direction: HigherIsBetter
columns:
| driver | v |
| a | 2 |
| b | 1.5 |
`)).Measurements
	var got []string
	for _, r := range Against(ms, "driver", "a") {
		got = append(got, fmt.Sprintf("%s %s %s: %s, %s", r.Measurement.Name, r.Measurement.Labels["driver"], r.Measurement.Labels["rows"], asPrinted(r, 2), percent(r, 1)))
	}
	want := []string{
		"latency a 1: 1.00x, +0.0 %", "latency b 1: 2.00x, +100.0 %", "latency c 1: 1.25x, +25.0 %", "rate a : 1.00x, +0.0 %", "rate b : 0.75x, -25.0 %",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzTable(f *testing.F) {
	f.Add("measurement: x\nunit: ms\nrows: a\n| a | v |\n| b | 1,000 |\n")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Read(Table, map[string][]byte{"run": []byte(text)})
		if err != nil {
			return
		}
		if _, err := n.Encode(); err != nil || len(n.Values(nil)) == 0 {
			t.Fatal("taken, and not kept", err)
		}
	})
}
