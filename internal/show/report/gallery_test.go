package report

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
)

// publishedOf a source: its quoted numbers as the manager reads them, and what its full form compares.
func publishedOf(t *testing.T, name string) Input {
	t.Helper()
	return publishedIn(t, fullSamples+name+"/full.yaml")
}

// publishedIn a manifest: the same.
func publishedIn(t *testing.T, path string) (out Input) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]map[string][]byte{}
	for _, document := range strings.Split(string(data), "\n---\n") {
		if strings.Contains(document, "kind: ConfigMap") {
			cm := corev1.ConfigMap{}
			if err := yaml.UnmarshalStrict([]byte(document), &cm); err != nil {
				t.Fatal(err)
			}
			texts[cm.Name] = map[string][]byte{}
			for key, text := range cm.Data {
				texts[cm.Name][key] = []byte(text)
			}
			continue
		}
		if !strings.Contains(document, "kind: BenchmarkRun\n") {
			continue // its shapes
		}
		out.Run = &v1alpha1.BenchmarkRun{}
		if err := yaml.UnmarshalStrict([]byte(document), out.Run); err != nil {
			t.Fatal(err)
		}
	}
	quote := map[string]func([]byte) runner.Report{quoted.FormatTable: quoted.Table}
	ycsb, _ := runners.Find("ycsb")
	quote["YCSB"] = ycsb.Quote
	for _, target := range out.Run.Spec.Targets {
		if target.Published == nil {
			continue
		}
		numbers, err := quoted.Read(quote[target.Published.Format], texts[target.Published.ConfigMap.Name])
		if err != nil {
			t.Fatal(err)
		}
		for _, phase := range numbers.Phases {
			if len(phase.Problems) > 0 {
				t.Errorf("%s: %+v", target.Name, phase.Problems)
			}
		}
		numbers.Target, numbers.Format, numbers.Source = target.Name, target.Published.Format, target.Published.Source
		out.Quoted = append(out.Quoted, numbers)
	}
	if out.Run.Spec.Analysis != nil {
		c := out.Run.Spec.Analysis.Comparisons[0]
		out.Comparisons = []v1alpha1.ComparisonEntry{{Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictInconclusive, Factor: c.Factor, Baseline: c.Baseline.String()}}
	}
	return out
}

// tablesOf a section whose caption has a text, and its pictures.
func tablesOf(c section, text string) (tables []*table, figures []*picture) {
	for _, b := range c.Blocks {
		if b.Table != nil && strings.Contains(b.Table.Caption, text) {
			tables = append(tables, b.Table)
		}
		if b.Picture != nil && strings.Contains(b.Picture.Caption, text) {
			figures = append(figures, b.Picture)
		}
	}
	return tables, figures
}

func headsOf(t *table) (out []string) {
	for _, h := range t.Head {
		out = append(out, h.Name)
	}
	return out
}

// S0: three tables of twelve schemes with their categories, three sizes, the winner of each size in bold, and 99 speed-ups
// to the digit that was printed.
func TestS0AsPublished(t *testing.T) {
	in := publishedOf(t, "s0-dotnet")
	tables, figures := tablesOf(sectionOf(t, in, "quoted"), "latency.median, ms: as published")
	tables = slices.DeleteFunc(tables, func(x *table) bool { return len(x.Rows) != 12 }) // those of the other experiment
	if len(tables) != 3 || len(figures) != 0 {
		t.Fatalf("got %d tables and %d pictures, want a table for each operation", len(tables), len(figures))
	}
	text, err := os.ReadFile("../../trial/quoted/testdata/newlife-quick.txt")
	if err != nil {
		t.Fatal(err)
	}
	printed, best := map[string]float64{}, map[string]string{}
	lowest := map[string]float64{}
	for _, m := range quoted.Table(text).Measurements {
		group := m.Labels["operation"] + " " + m.Labels["rows"]
		if m.Name == "speedup" {
			printed[group+" "+m.Labels["scheme"]] = *m.Value
		} else if v, has := lowest[group]; !has || *m.Value < v {
			lowest[group], best[group] = *m.Value, m.Labels["scheme"]
		}
	}
	winners, checked := 0, 0
	for i, operation := range []string{"INSERT", "UPDATE", "DELETE"} {
		one := tables[i]
		if want := []string{"scheme", "category", "rows 100", "rows 1000", "rows 10000"}; !slices.Equal(headsOf(one), want) || len(one.Rows) != 12 || !strings.HasPrefix(one.Caption, operation) {
			t.Fatalf("%s: got %d rows below %q, want 12 below %q", one.Caption, len(one.Rows), headsOf(one), want)
		}
		if got := one.Rows[0][1].Text + " " + one.Rows[5][1].Text + " " + one.Rows[11][1].Text; got != "baseline text tx+pipe" {
			t.Errorf("%s: got the categories %q", operation, got)
		}
		for _, row := range one.Rows {
			for c, size := range []string{"100", "1000", "10000"} {
				group := operation + " " + size
				if row[c+2].Strong {
					if winners++; row[0].Text != best[group] {
						t.Errorf("%s: got %q in bold, want %q", group, row[0].Text, best[group])
					}
				}
				if len(row[c+2].Below) == 0 {
					continue
				}
				got, err := strconv.ParseFloat(strings.TrimSuffix(row[c+2].Below[0], "x as fast"), 64)
				if want := printed[group+" "+row[0].Text]; err != nil || got < want-0.0551 || got > want+0.0551 {
					t.Errorf("%s, %s: got %q, printed is %v", group, row[0].Text, row[c+2].Below[0], want)
				}
				checked++
			}
		}
	}
	if winners != 9 || checked != 99 {
		t.Errorf("got %d winners and %d speed-ups, want 9 and 99", winners, checked)
	}
}

// S1: grouped bars of the throughput, and of latencies by operation; what was not published is in none of them.
func TestS1AsPublished(t *testing.T) {
	c := sectionOf(t, publishedOf(t, "s1-ycsb"), "quoted")
	targets := []string{"mytopling-quoted", "myrocks-quoted", "polardb-quoted"}
	for caption, want := range map[string]struct{ pictures, bars int }{"throughput, ops/s: as published": {3, 10}, "latency p99, us: as published": {2, 0}, "latency.avg, us: as published": {2, 0}} {
		_, figures := tablesOf(c, caption)
		if len(figures) != want.pictures {
			t.Fatalf("%s: got %d pictures, want one of the run, one of the load, and of the rates one that joins", caption, len(figures))
		}
		bars := 0
		for _, f := range figures {
			svg, err := f.draw(chart.Wide)
			if err != nil {
				t.Fatal(err)
			}
			bars += strings.Count(svg, `<g class="b">`)
			if strings.Contains(svg, "log") && strings.Contains(svg, "logarithmic") {
				t.Errorf("%s: the axis is logarithmic, and the source's begins at 0", caption)
			}
		}
		if want.bars > 0 && bars != want.bars {
			t.Errorf("%s: got %d bars, want %d: three of the run and of the load, and four that join", caption, bars, want.bars)
		}
	}
	_, figures := tablesOf(c, "latency.avg, us: as published")
	if !slices.Equal(figures[0].Key, targets) {
		t.Errorf("got the key %q, want the targets", figures[0].Key)
	}
	svg, err := figures[0].draw(chart.Wide)
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"read", "update"} {
		if n := strings.Count(svg, `<g class="b"><title>`+operation+", "); n != 3 {
			t.Errorf("%s: got %d bars in its group, want 3", operation, n)
		}
	}
}

// S2: each benchmark with its number, the unit in the head of the table.
func TestS2AsPublished(t *testing.T) {
	c := sectionOf(t, publishedOf(t, "s2-python"), "quoted")
	for caption, rows := range map[string]int{"latency.avg, s: as published": 13, "throughput, ops/s: as published": 8, "throughput.rows, rows/s: as published": 3} {
		tables, _ := tablesOf(c, caption)
		if len(tables) != 1 || len(tables[0].Rows) != rows {
			t.Errorf("%s: got %d tables, want one of %d rows", caption, len(tables), rows)
			continue
		}
		if unit := regexp.MustCompile(`, (\S+):`).FindStringSubmatch(caption)[1]; tables[0].Head[1].Name != unit {
			t.Errorf("%s: the head is %q, want the unit", caption, headsOf(tables[0]))
		}
		for _, row := range tables[0].Rows {
			if row[1].Strong {
				t.Errorf("%s: %s is in bold, and nothing is compared", caption, row[0].Text)
			}
		}
	}
}

// S3: a line for each benchmark, behind each number its percentage, and the margins.
func TestS3AsPublished(t *testing.T) {
	c := sectionOf(t, publishedOf(t, "s3-node"), "quoted")
	tables, _ := tablesOf(c, "throughput, ops/s: as published")
	if len(tables) != 3 || len(tables[0].Rows) != 10 || !slices.Equal(headsOf(tables[0]), []string{"benchmark", "mysql", "mysql2", "mariadb"}) {
		t.Fatalf("got %d tables, the first one with %d rows below %q", len(tables), len(tables[0].Rows), headsOf(tables[0]))
	}
	got := map[string]string{}
	for _, row := range tables[0].Rows {
		if !row[3].Strong {
			t.Errorf("%s: mariadb is not in bold", row[0].Text)
		}
		got[row[0].Text] = fmt.Sprint(row[2].Below, row[3].Below)
	}
	for name, want := range map[string]string{
		"do <random number>": "[-14 %] [+3.8 %]", "select collations": "[+19 %] [+28 %]", "select random number": "[-9.5 %] [+5.5 %]", "select one mysql.user and a random number [no caching client side]": "[-32 %] [+47 %]", "select one mysql.user using execute": "[] []",
	} {
		if got[name] != want {
			t.Errorf("%s: got %s, want %s", name, got[name], want)
		}
	}
	if got := tables[0].Rows[0][1].Text; got != "4,826.5" {
		t.Errorf("got %q, want all digits that were printed", got)
	}
	if margins, _ := tablesOf(c, "throughput.margin, %: as published"); len(margins) != 1 || len(margins[0].Rows) != 10 || margins[0].Rows[0][3].Text != "0.449" {
		t.Errorf("got %d tables of margins", len(margins))
	}
}

// S4: the three figures that its text has, each workload with its number of threads. Its charts had no numbers.
func TestS4AsPublished(t *testing.T) {
	tables, _ := tablesOf(sectionOf(t, publishedOf(t, "s4-sweep"), "quoted"), s4Shares)
	if len(tables) != 1 || !slices.Equal(headsOf(tables[0]), []string{"test, skipTrx, threads", "old", "new"}) {
		t.Fatalf("got %d tables: %+v", len(tables), tables)
	}
	var got []string
	for _, row := range tables[0].Rows {
		got = append(got, row[0].Text+": "+row[1].Text+" "+row[2].Text)
	}
	want := []string{"oltp_write_only, skipTrx false, threads 512: 100 120", "oltp_read_only, skipTrx true, threads 16: 100 122", "oltp_read_write, skipTrx false, threads 512: 100 118"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Below a quoted number stands what this run has measured of the same, and nothing where it has not, or has several.
func TestQuotedNumbersStandBesideMeasuredOnes(t *testing.T) {
	in := publishedOf(t, "s3-node")
	in.Comparisons[0].Name = contract.NameThroughput
	entry := func(median string, labels ...string) v1alpha1.SummaryEntry {
		l := value("", "", "", 0, labels...).Labels
		return v1alpha1.SummaryEntry{Name: contract.NameThroughput, Unit: "ops/s", Direction: string(contract.HigherIsBetter), Target: "mariadb", Median: median, Labels: l, TrialCount: 6, PlannedTrialCount: 6}
	}
	in.Entries = []v1alpha1.SummaryEntry{
		entry("100", "driver", "mysql", "operation", "SelectWide", "scheme", "SingleRow"),
		entry("70", "driver", "mysql", "operation", "SelectWide", "scheme", "SingleRow", "session", "Pool"),
		entry("400", "driver", "mariadb", "operation", "SelectWide", "scheme", "Prepared"),
	}
	cells := func() map[string][]cell {
		out := map[string][]cell{}
		tables, _ := tablesOf(sectionOf(t, in, "quoted"), "throughput, ops/s: as published")
		for _, row := range tables[len(tables)-1].Rows {
			out[row[0].Text] = row
		}
		return out
	}
	got := cells()
	for where, want := range map[string][2]string{"SelectWide, SingleRow": {"here 100", ""}, "SelectWide, SingleRow, Pool": {"here 70", ""}, "SelectWide, Prepared": {"", "here 400"}, "Do, SingleRow": {"", ""}} {
		row := got[where]
		if row == nil {
			t.Fatalf("no row %q in %v", where, got)
		}
		for i, c := range []cell{row[1], row[3]} {
			if is := slices.ContainsFunc(c.Below, func(s string) bool { return strings.HasPrefix(s, "here") }); is != (want[i] != "") || is && !slices.Contains(c.Below, want[i]) {
				t.Errorf("%s: got %q, want %q", where, c.Below, want[i])
			}
		}
	}
	other := in.Entries[0]
	other.Target = "mysql"
	in.Entries = append(in.Entries, other)
	if below := cells()["SelectWide, SingleRow"][1].Below; slices.Contains(below, "here 100") {
		t.Errorf("two targets have a number, and one of them is shown: %q", below)
	}
}

// Calls that differ in other things each are rows of their own, and not a table of dashes; a full table stays one.
func TestATableOfDashesIsAList(t *testing.T) {
	entry := func(labels ...string) *v1alpha1.SummaryEntry {
		return &v1alpha1.SummaryEntry{Name: "x", Target: "mariadb", Median: "1", Labels: value("", "", "", 0, labels...).Labels}
	}
	calls := []*v1alpha1.SummaryEntry{entry("operation", "Connect"), entry("operation", "SelectOne"), entry("operation", "SelectOne", "session", "Pool"), entry("operation", "Insert")}
	l := layOut(calls, v1alpha1.FactorTarget)
	var got []string
	for _, p := range l.place(calls) {
		got = append(got, p.across+"|"+p.series)
	}
	if want := []string{"|Connect", "|SelectOne", "|SelectOne, Pool", "|Insert"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	full := []*v1alpha1.SummaryEntry{entry("operation", "Do", "driver", "a"), entry("operation", "Do", "driver", "b"), entry("operation", "Insert", "driver", "a"), entry("operation", "Insert", "driver", "b")}
	if l := layOut(full, "driver"); !slices.Equal(l.across, []string{"operation"}) || !slices.Equal(l.series, []string{"driver"}) {
		t.Errorf("got %+v, want the operations across the drivers", l)
	}
}
