package claims

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// schemes were published in ms, by two kinds.
const schemes = "measurement: latency.avg\nunit: ms\ndirection: LowerIsBetter\nrows: scheme, kind\ncolumns: rows\n\n| scheme | kind | 10 | 2000 |\n| --- | --- | ---: | ---: |\n" +
	"| one by one | base | 8 | 1600.5 |\n| many | text | 2.125 | - |\n| pipe | text | 4 | 2000.5 |\n"

// schemeRows and sizes are the rows and columns of a form of them: nothing is measured of pipe, nor with 2,000 rows.
const schemeRows = `
  corner: [scheme, kind]
  rows:
  - {labels: {scheme: one by one, kind: base}, here: {scheme: Single}}
  - {labels: {scheme: many, kind: text}, here: {scheme: Multi}}
  - {labels: {scheme: pipe, kind: text}}
  columns:
  - {heads: [10 rows], labels: {rows: "10"}, here: {rows: "10"}}
  - {heads: ["2,000 rows"], labels: {rows: "2000"}}
`

const source = "title: t\npublished: p\nsmall: s.yaml\nfull: [f.yaml]\nruns: 3\nplace: {target: t}\ngroups: [{heading: h}]\nforms:\n"

func laid(t *testing.T, forms, table string) (Source, []Laid, error) {
	t.Helper()
	s, err := Read([]byte(source + forms))
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Lay(quotedTable(t, table))
	return s, out, err
}

// madeRuns of what forms ask: in each of eight blocks the value that a side has in this run.
func madeRuns(forms []Laid, runs int, value func(run int, labels map[string]string) (float64, string)) (out []Run) {
	for n := range runs {
		run, known := Run{Play: n + 1}, map[string]bool{}
		for _, c := range Asked(forms) {
			for _, labels := range []map[string]string{c.Of, c.To} {
				key := Key(c.Measurement, labels)
				if known[key] {
					continue
				}
				known[key] = true
				v, unit := value(n, labels)
				of := Side{Measurement: c.Measurement, Labels: labels, Unit: unit, Values: map[int32]float64{}}
				for block := range int32(Blocks) {
					of.Values[block] = v
				}
				run.Sides = append(run.Sides, of)
			}
		}
		out = append(out, run)
	}
	return out
}

// Times and their speed-ups, of which rates were measured: published against measured, what is absent as absent, and what fewer runs have than the source wants.
func TestWritten(t *testing.T) {
	form := "- heading: times\n  says: How.\n  quoted: q\n  name: latency.avg\n  measurement: throughput\n  unit: ms" + schemeRows +
		"- heading: speed-ups\n  quoted: q\n  name: latency.avg\n  measurement: throughput\n  over: {scheme: one by one, kind: base}\n  overHere: {scheme: Single}" + schemeRows
	s, forms, err := laid(t, form, schemes)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(_ int, labels map[string]string) (float64, string) {
		return map[string]float64{"Single": 100, "Multi": 2000}[labels["scheme"]], "ops/s"
	}
	runs := madeRuns(forms, 4, rate)
	runs[3].Sides = nil // after the runs of the source, none counts
	want := []string{
		"### times", "",
		"How.", "",
		"| scheme | kind | 10 rows | 2,000 rows |",
		"| --- | --- | --: | --: |",
		"| one by one | base | 8 ms / 10 ms | 1,600.5 ms / - |",
		"| many | text | 2.125 ms / 0.5 ms | - / - |",
		"| pipe | text | 4 ms / - | 2,000.5 ms / - |", "",
		"### speed-ups", "",
		"| scheme | kind | 10 rows | 2,000 rows |",
		"| --- | --- | --: | --: |",
		"| one by one | base | 1.0x / 1.0x | 1.0x / - |",
		"| many | text | 3.8x / 20.0x | - / - |",
		"| pipe | text | 2.0x / - | 0.8x / - |", "", "",
	}
	got, err := s.Written(forms, runs)
	_, tables, _ := strings.Cut(got, "claims below.\n\n")
	if diff := cmp.Diff(want, append(strings.Split(strings.TrimSuffix(tables, "\n"), "\n"), "")); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := (Source{}).Written(nil, runs); err != nil || got != "" {
		t.Errorf("a source without forms has %q, %v", got, err)
	}
	got, err = s.Written(forms, nil)
	if err != nil || !strings.Contains(got, "| one by one | base | 8 ms / - | 1,600.5 ms / - |") || !strings.Contains(got, "| many | text | 3.8x / - | - / - |") {
		t.Errorf("before the first run: %v\n%s", err, got)
	}
	got, err = s.Written(forms, runs[:2])
	if err != nil || !strings.Contains(got, "8 ms / 10 ms (2 of 3 runs)") || !strings.Contains(got, "| 3.8x / 20.0x (2 of 3 runs) |") {
		t.Errorf("after two of three runs: %v\n%s", err, got)
	}
}

// A ratio of times that were measured is how many times as fast, and of rates how many times as much, whatever was published, if anything was.
func TestRatiosOfTimesAndRates(t *testing.T) {
	const form = "- heading: h\n  name: latency.avg\n  quoted: q\n  corner: [scheme]\n  rows:\n  - {labels: {scheme: pipe, kind: text}, here: {scheme: pipe}}\n  - {heads: [none], here: {scheme: pipe}}\n" +
		"  columns:\n  - {heads: [times], labels: {rows: \"10\"}, over: {scheme: many}, here: {}, overHere: {scheme: many}}\n" +
		"  - {heads: [rates], measurement: throughput, labels: {rows: \"10\"}, over: {scheme: many}, here: {}, overHere: {scheme: many}}\n" +
		"  - {heads: [in percent], labels: {rows: \"10\"}, over: {scheme: many}, percent: true, here: {}, overHere: {scheme: many}}\n"
	s, forms, err := laid(t, form, schemes)
	if err != nil {
		t.Fatal(err)
	}
	runs := madeRuns(forms, 3, func(_ int, labels map[string]string) (float64, string) {
		return map[string]float64{"pipe": 6, "many": 3}[labels["scheme"]], "ms"
	})
	for _, run := range runs {
		for i, side := range run.Sides {
			if side.Measurement == contract.NameThroughput {
				run.Sides[i].Unit = "ops/s"
			}
		}
	}
	got, err := s.Written(forms, runs)
	for _, want := range []string{"| pipe | 0.5x / 0.5x | 0.5x / 2.0x | -46.88 % / -50.0 % |", "| none | - / 0.5x | - / 2.0x | - / -50.0 % |"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v, no %s\n%s", err, want, got)
		}
	}
}

// Printed ratios stand beside measured ones, but none of a side to itself. Times have the prefix that they need, rates of operations are those of the rows that
// an operation has, and a statistic is that of all blocks. A text of the source is no HTML.
func TestPrintedRatiosAndStatistics(t *testing.T) {
	const table = "measurement: latency.avg\nunit: s\ndirection: LowerIsBetter\nrows: call\n\n| call | mean |\n| --- | ---: |\n| a<b> | 0.000177 |\n| many | 1.72 |\n| cell | 1.81e-07 |\n\n" +
		"measurement: rate\nunit: rows/s\ndirection: HigherIsBetter\n\n| call | rate |\n| --- | ---: |\n| a<b> | 5650 |\n| many | 580 |\n\n" +
		"measurement: change\nunit: %\ndirection: HigherIsBetter\n\n| call | change |\n| --- | ---: |\n| many | +5,101.9 |\n\n" +
		"measurement: margin\nunit: %\ndirection:\n\n| call | margin |\n| --- | ---: |\n| many | 0.45 |\n\n" +
		"measurement: samples\nunit: 1\ndirection:\n\n| call | samples |\n| --- | ---: |\n| many | 280 |\n"
	const form = "- heading: of <b>\n  prefixes: true\n  name: latency.avg\n  measurement: throughput\n  corner: [call]\n  rows:\n  - {labels: {call: a<b>}, here: {scheme: a}}\n" +
		"  - {labels: {call: many}, here: {scheme: many, rows: \"100\"}}\n  - {labels: {call: cell}}\n  columns:\n" +
		"  - {heads: [mean], quoted: q, name: latency.avg, unit: s, here: {}}\n  - {heads: [rows], quoted: q, name: rate, unit: rows/s, here: {}}\n" +
		"  - {heads: [over a], quoted: q, name: change, unit: \"%\", percent: true, here: {}, overHere: {scheme: a, rows: \"\"}}\n" +
		"  - {heads: [±], quoted: q, name: margin, unit: \"%\", statistic: Margin, here: {}}\n  - {heads: [count], quoted: q, name: samples, unit: \"1\", statistic: Count, here: {}}\n" +
		"  - {heads: [IQR], unit: s, statistic: IQR, here: {}}\n"
	s, forms, err := laid(t, form, table)
	if err != nil {
		t.Fatal(err)
	}
	runs := madeRuns(forms, 3, func(_ int, labels map[string]string) (float64, string) {
		return map[string]float64{"a": 500, "many": 1000}[labels["scheme"]], "ops/s"
	})
	want := []string{
		"### of &lt;b>", "",
		"| call | mean | rows | over a | ± | count | IQR |",
		"| --- | --: | --: | --: | --: | --: | --: |",
		"| a&lt;b> | 177 us / 2,000 us | 5,650 rows/s / 500 rows/s | - / - | - / ±0 % | - / 24 | - / 0 ns |",
		"| many | 1.72 s / 0.001 s | 580 rows/s / 100,000 rows/s | +5,101.9 % / +100.0 % | ±0.45 % / ±0 % | 280 / 24 | - / 0 ns |",
		"| cell | 181 ns / - | - / - | - / - | - / - | - / - | - / - |", "",
	}
	got, err := s.Written(forms, runs)
	_, tables, _ := strings.Cut(got, "claims below.\n\n")
	if diff := cmp.Diff(want, strings.Split(strings.TrimSuffix(tables, "\n"), "\n")); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A form asks a run for what it measures, and no more: both sides of a ratio too.
func TestAsked(t *testing.T) {
	const form = "- heading: h\n  name: queries\n  unit: q/s\n  corner: [a]\n  rows: [{heads: [r], here: {test: w}}, {heads: [s]}]\n  columns:\n" +
		"  - {heads: [v], here: {x: \"1\"}}\n  - {heads: [r], here: {x: \"1\"}, over: {x: \"2\"}, overHere: {x: \"2\"}}\n  - {heads: [o], here: {x: \"1\"}, over: {x: \"2\"}}\n" +
		"  - {heads: [none]}\n"
	_, forms, err := laid(t, form, rates)
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]string
	for _, c := range Asked(forms) {
		got = append(got, [2]string{Key(c.Measurement, c.Of), Key(c.Measurement, c.To)})
	}
	want := [][2]string{
		{"queries, target t, test w, x 1", "queries, target t, test w, x 1"}, {"queries, target t, test w, x 1", "queries, target t, test w, x 2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	const (
		cells  = "  name: throughput\n  unit: ops/s\n  quoted: q\n"
		corner = "  corner: [scheme]\n"
		rows   = "  rows: [{labels: {scheme: x}}]\n"
		of     = "  columns: [{heads: [a], labels: {driver: a}}]\n"
	)
	tests := map[string]struct{ form, want string }{
		"no corner":                {cells + rows + of, "corner"},
		"no columns":               {cells + corner + rows, "columns"},
		"a row without a head":     {cells + corner + "  rows: [{labels: {driver: a}}]\n" + of, "rows[0]: want heads for [scheme]"},
		"a column without a head":  {cells + corner + rows + "  columns: [{labels: {driver: a}}]\n", "columns[0]: got 0 heads"},
		"no name":                  {"  unit: ops/s\n" + corner + rows + of, "name:"},
		"no unit":                  {"  name: throughput\n" + corner + rows + of, "unit:"},
		"another unit":             {"  name: throughput\n  unit: tx/s\n  quoted: q\n" + corner + rows + of, "throughput map[driver:a scheme:x] was published in ops/s"},
		"a row of nothing":         {cells + corner + "  rows: [{labels: {scheme: z}}]\n" + of, "rows[0]: no number of throughput map[scheme:z]"},
		"a column of nothing":      {cells + corner + rows + "  columns: [{heads: [a], labels: {driver: a}}, {heads: [c], labels: {driver: c}}]\n", "columns[1]: no number of throughput map[driver:c]"},
		"a row of no measurement":  {cells + corner + "  rows: [{labels: {scheme: x}}, {heads: [y], name: latency.avg}]\n" + of, "rows[1]: no number of latency.avg"},
		"percent of a number":      {cells + corner + rows + "  columns: [{heads: [a], labels: {driver: a}, percent: true}]\n", "percent: it stands beside"},
		"another side of a number": {cells + "  overHere: {driver: b}\n" + corner + rows + of, "unit: got ops/s, and overHere without over is a ratio that was printed, in 1"},
		"a ratio not in percent":   {cells + "  overHere: {driver: b}\n  percent: true\n" + corner + rows + of, "that was printed, in %"},
		"another statistic":        {cells + "  statistic: Mode\n" + corner + rows + of, "statistic: got Mode, want one of [Margin IQR Outliers Count]"},
		"a statistic of a ratio":   {cells + corner + rows + "  columns: [{heads: [a], labels: {driver: a}, over: {driver: b}, statistic: IQR}]\n", "none of a ratio"},
		"no other side":            {cells + corner + rows + "  columns: [{heads: [a], labels: {driver: a}, over: {driver: c}}]\n", "over: throughput map[driver:c scheme:x] was not published"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, _, err := laid(t, "- heading: h\n"+tt.form, rates); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	s, err := Read([]byte(source + "- heading: h\n" + cells + corner + rows + of))
	if err != nil {
		t.Fatal(err)
	}
	twice := append(quotedTable(t, rates), quotedTable(t, rates)...)
	if _, err := s.Lay(twice); err == nil || !strings.Contains(err.Error(), "is quoted twice by targets of the name q") {
		t.Errorf("%v", err)
	}
	zero := []quoted.Numbers{{Target: "q", Phases: []quoted.Phase{{Phase: contract.KeyQuotedRun, Measurements: []contract.Measurement{
		{Name: "throughput", Unit: "ops/s", Value: new(1.0), Labels: map[string]string{"scheme": "x", "driver": "a"}},
		{Name: "throughput", Unit: "ops/s", Value: new(0.0), Labels: map[string]string{"scheme": "x", "driver": "b"}},
	}}}}}
	s.Forms[0].Over = map[string]string{"driver": "b"}
	if _, err := s.Lay(zero); err == nil || !strings.Contains(err.Error(), "both sides are to be above 0") {
		t.Errorf("%v", err)
	}
	zero[0].Phases[0].Measurements[1].Unit = "ops/min"
	if _, err := s.Lay(zero); err == nil || !strings.Contains(err.Error(), "published in ops/s, and its other side in ops/min") {
		t.Errorf("%v", err)
	}
}

// A ratio that lies between two is rounded as published ones are, and a number has the digits that were published.
func TestDigitsOfForms(t *testing.T) {
	for ratio, want := range map[float64]string{2.25: "2.3x", 0.949: "0.9x", 0.034: "0.034x", 1234.5: "1,234.5x"} {
		if got := asRatio(ratio); got != want {
			t.Errorf("%v is %s, want %s", ratio, got, want)
		}
	}
	tests := map[string]struct {
		number   float64
		decimals int
	}{"3,150.36": {3150.36, 0}, "437.2": {437.2, 0}, "284,570": {284570, 0}, "23,438": {23437.811283431107, 0}, "3,024.00": {3024, 2}, "30.90": {30.9, 2}}
	for want, tt := range tests {
		if got := asPublished(tt.number, tt.decimals); got != want {
			t.Errorf("%v with %d decimals is %s, want %s", tt.number, tt.decimals, got, want)
		}
	}
}
