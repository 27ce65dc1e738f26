package claims

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// elements of a picture, which is well-formed: how many bars there are (opened as class b), dots, and its texts.
func elements(t *testing.T, svg string) (bars, dots int, texts []string) {
	t.Helper()
	in, text := xml.NewDecoder(strings.NewReader(svg)), false
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return bars, dots, texts
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			text = e.Name.Local == "text"
			for _, a := range e.Attr {
				if a.Name.Local == "class" && a.Value == "b" {
					bars++
				}
			}
			if e.Name.Local == "circle" {
				dots++
			}
		case xml.CharData:
			if text {
				texts = append(texts, string(e))
			}
		case xml.EndElement:
			text = false
		}
	}
}

func pictureOf(t *testing.T, s Source, forms []Laid, runs []Run) string {
	t.Helper()
	all, err := s.Pictures(forms, runs)
	if err != nil || len(all) != 1 || all[0].File != "s9-one.svg" {
		t.Fatalf("%v, %d pictures", err, len(all))
	}
	return all[0].SVG
}

// Bars of two schemes with two sizes: five were published, two are measured, and the range of a measured one is that of its runs. What is absent has
// no bar, and says so.
func TestBars(t *testing.T) {
	form := "- heading: times\n  quoted: q\n  name: latency.avg\n  measurement: throughput\n  unit: ms\n  charts: [{file: s9-one, kind: Bars, heading: Times}]" + schemeRows
	s, forms, err := laid(t, form, schemes)
	if err != nil {
		t.Fatal(err)
	}
	runs := madeRuns(forms, 3, func(run int, labels map[string]string) (float64, string) {
		return map[string]float64{"Single": 100, "Multi": 2000}[labels["scheme"]] / float64(run+1), "ops/s"
	})
	svg := pictureOf(t, s, forms, runs)
	bars, _, texts := elements(t, svg)
	if all := strings.Join(texts, "|"); bars != 7 || strings.Count(all, "not published") != 1 || strings.Count(all, "not measured here") != 4 {
		t.Errorf("%d bars, %s", bars, all)
	}
	for _, want := range []string{"Times", "Published", "Measured here", "one by one", "1,600.5 ms", "20 ms (10 to 30)", "2,000 rows", "ms"} {
		if !strings.Contains("|"+strings.Join(texts, "|")+"|", "|"+want+"|") {
			t.Errorf("no %q in %q", want, texts)
		}
	}
	bars, _, texts = elements(t, pictureOf(t, s, forms, nil))
	if all := strings.Join(texts, "|"); bars != 5 || !strings.Contains(all, "Nothing was measured here.") {
		t.Errorf("before the first run: %d bars, %s", bars, all)
	}
	if _, _, texts = elements(t, pictureOf(t, s, forms, runs[:1])); !strings.Contains(strings.Join(texts, "|"), "|10 ms (1 of 3 runs)|") {
		t.Errorf("one run has no range: %q", texts)
	}
}

// One row of a form has bars by its columns, one column by its rows, and each unit a panel of its own.
func TestBarsOfOneColumn(t *testing.T) {
	form := "- heading: times\n  quoted: q\n  name: latency.avg\n  unit: ms\n  charts: [{file: s9-one, kind: Bars, heading: Times, rows: [many, one by one], columns: [10 rows]}]" + schemeRows
	s, forms, err := laid(t, form, schemes)
	if err != nil {
		t.Fatal(err)
	}
	bars, _, texts := elements(t, pictureOf(t, s, forms, nil))
	if all := strings.Join(texts, "|"); bars != 2 || strings.Index(all, "many") > strings.Index(all, "one by one") || strings.Contains(all, "pipe") || strings.Contains(all, "10 rows") {
		t.Errorf("%d bars, %s", bars, all)
	}
	_, forms, err = laid(t, strings.Replace(form, "[many, one by one], columns: [10 rows]", "[many]", 1), schemes)
	if err != nil {
		t.Fatal(err)
	}
	if bars, _, texts = elements(t, pictureOf(t, s, forms, nil)); bars != 1 || strings.Contains(strings.Join(texts, "|"), "many") {
		t.Errorf("%d bars, %q", bars, texts)
	}
	const two = "- heading: h\n  quoted: q\n  charts: [{file: s9-one, kind: Bars, heading: H}]\n  corner: [driver]\n  rows:\n  - {labels: {driver: a}}\n  - {labels: {driver: b}}\n" +
		"  columns:\n  - {heads: [mean], name: latency.avg, unit: ms}\n  - {heads: [times as fast], name: latency.avg, over: {driver: a}}\n"
	if _, forms, err = laid(t, two, times); err != nil {
		t.Fatal(err)
	}
	bars, _, texts = elements(t, pictureOf(t, s, forms, nil))
	if all := strings.Join(texts, "|"); bars != 4 || strings.Count(all, "Nothing was measured here.") != 2 || !strings.Contains(all, "|0.4x|") {
		t.Errorf("%d bars, %s", bars, all)
	}
}

// Lines of two servers over threads, and of their ratio in a panel of its own. What was published is one point.
func TestLines(t *testing.T) {
	const table = "measurement: queries\nunit: q/s\ndirection: HigherIsBetter\nrows: threads\ncolumns: target\n\n| threads | old | new |\n| --- | ---: | ---: |\n| 512 | 100 | 120 |\n"
	const form = "- heading: h\n  name: queries\n  unit: q/s\n  charts: [{file: s9-one, kind: Lines, heading: H}]\n  corner: [threads]\n" +
		"  rows: [{here: {threads: \"2\"}}, {here: {threads: \"8\"}}, {heads: [\"512\"], labels: {threads: \"512\"}}]\n  columns:\n" +
		"  - {heads: [old], here: {target: old}}\n  - {heads: [new], here: {target: new}}\n" +
		"  - {heads: [new over old], quoted: q, labels: {target: new}, over: {target: old}, percent: true, here: {target: new}, overHere: {target: old}}\n"
	s, forms, err := laid(t, form, table)
	if err != nil {
		t.Fatal(err)
	}
	runs := madeRuns(forms, 3, func(_ int, labels map[string]string) (float64, string) {
		return map[string]float64{"old": 100, "new": 150}[labels["target"]], "q/s"
	})
	_, dots, texts := elements(t, pictureOf(t, s, forms, runs))
	all := strings.Join(texts, "|")
	if dots != 7 || strings.Count(all, "No number was published.") != 1 || strings.Count(all, "|new over old, %|") != 2 || strings.Count(all, "|512|") != 3 {
		t.Errorf("%d dots, %s", dots, all)
	}
}

func TestChartsThatAreRefused(t *testing.T) {
	const rest = "  quoted: q\n  name: latency.avg\n  unit: ms" + schemeRows
	tests := map[string]struct{ chart, want string }{
		"no file":              {"{kind: Bars, heading: H}", "charts (): file, heading and kind"},
		"a path":               {"{file: ../a, kind: Bars, heading: H}", "want a name such as s1-ycsb-run"},
		"no heading":           {"{file: a, kind: Bars}", "file, heading and kind"},
		"another kind":         {"{file: a, kind: Pie, heading: H}", "Bars or Lines"},
		"another row":          {"{file: a, kind: Bars, heading: H, rows: [few]}", `the form has no "few", but ["one by one" "many" "pipe"]`},
		"another column":       {"{file: a, kind: Bars, heading: H, columns: [3 rows]}", `no "3 rows"`},
		"lines over words":     {"{file: a, kind: Lines, heading: H}", "lines are over numbers above 0, and a row is one by one"},
		"nothing in the chart": {"{file: a, kind: Bars, heading: H, rows: [many], columns: [\"2,000 rows\"]}", "nothing of it was published"},
		"one file twice":       {"{file: a, kind: Bars, heading: H}, {file: a, kind: Bars, heading: I}", "charts (a): two have this file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, _, err := laid(t, "- heading: h\n  charts: ["+tt.chart+"]\n"+rest, schemes); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	const statistic = "- heading: h\n  quoted: q\n  name: latency.avg\n  unit: ms\n  charts: [{file: a, kind: Bars, heading: H}]\n  corner: [driver]\n  rows: [{labels: {driver: a}, here: {}}]\n" +
		"  columns: [{heads: [IQR], statistic: IQR, here: {}}]\n"
	if _, _, err := laid(t, statistic, times); err == nil || !strings.Contains(err.Error(), "IQR is a statistic, which has no mark") {
		t.Errorf("%v", err)
	}
}
