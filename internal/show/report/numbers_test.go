package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// tableNamed is the table of a section, alone or behind a figure, whose caption has some words.
func tableNamed(t *testing.T, c section, words string) *table {
	t.Helper()
	for _, b := range c.Blocks {
		if b.Table != nil && strings.Contains(b.Table.Caption, words) {
			return b.Table
		}
		if b.Picture != nil && b.Picture.Behind != nil && strings.Contains(b.Picture.Behind.Caption, words) {
			return b.Picture.Behind
		}
	}
	t.Fatalf("section %s has no table %q", c.ID, words)
	return nil
}

func (t *table) column(name string) (out []cell) {
	i := slices.IndexFunc(t.Head, func(c column) bool { return c.Name == name })
	for _, row := range t.Rows {
		if i >= 0 {
			out = append(out, row[i])
		}
	}
	return out
}

// A p-value is either that of one comparison or that of all of them, and no column has both kinds.
func TestPValuesOfTwoKindsHaveTwoColumns(t *testing.T) {
	in := twoServers(10, 1, 8, 64).input(t) // three primary comparisons, and those of latency by the way
	c := sectionOf(t, in, "evidence")
	medians := sectionOf(t, in, "comparison")
	both := [2]*table{tableNamed(t, c, "Comparisons with their verdicts"), tableNamed(t, medians, "Comparisons with their verdicts")}
	column := func(name string) []cell { return slices.Concat(both[0].column(name), both[1].column(name)) }
	alone, adjusted := column("p by itself"), column("adjusted p")
	kinds := map[v1alpha1.ComparisonFamily]int{}
	for i, e := range in.Comparisons {
		kinds[e.Family]++
		if alone[i].Text != figure.P(e.P, 0.05) || e.Family == v1alpha1.FamilyPrimary && (adjusted[i].Text != figure.P(e.AdjustedP, 0.05) || adjusted[i].Text == alone[i].Text) ||
			e.Family != v1alpha1.FamilyPrimary && adjusted[i].Text != "–" {
			t.Errorf("%s: p %q, adjusted p %q, want %q and %q", e.Text, alone[i].Text, adjusted[i].Text, e.P, e.AdjustedP)
		}
		if level := column("interval")[i].Below[0]; level != figure.Level(e.IntervalConfidence) || level == "" {
			t.Errorf("%s: the interval is at %q, want %q", e.Text, level, e.IntervalConfidence)
		}
	}
	if kinds[v1alpha1.FamilyPrimary] != 3 || kinds[v1alpha1.FamilyExploratory] == 0 {
		t.Fatalf("the run has %v", kinds)
	}
	said := func(text string) bool {
		return slices.ContainsFunc(slices.Concat(c.Blocks, medians.Blocks), func(b block) bool { return strings.Contains(b.Text, text) })
	}
	for _, text := range []string{"Wilcoxon's signed-rank test", "Holm's procedure", "order statistics"} {
		if !said(text) {
			t.Errorf("the section does not say %q", text)
		}
	}
	in.Plan.Order = v1alpha1.OrderSequential
	if c, medians = sectionOf(t, in, "evidence"), sectionOf(t, in, "comparison"); !said("Mann-Whitney") || said("signed-rank") {
		t.Error("trials in sequence are said to be pairs")
	}
}

// interval is what a reader takes for one: two numbers with "to" between them.
var interval = regexp.MustCompile(`[0-9%] to [0-9+-]`)

// inBrackets is the level of an interval that stands with it in one line.
var inBrackets = regexp.MustCompile(`\([0-9.]+ %\)$`)

func isInterval(c column) bool { return strings.HasPrefix(c.Name, "interval") }

// Every interval on the page says how often such ones are right, or that it is the range of the trials.
func TestEveryIntervalHasItsLevel(t *testing.T) {
	for name, m := range map[string]made{"bars": twoServers(8), "curves": twoServers(9, 1, 8, 64), "too few for an interval": twoServers(4)} {
		d, err := build(m.input(t))
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, c := range slices.Concat(d.Head, d.Sections) {
			for _, b := range c.Blocks {
				tables := []*table{b.Table}
				if b.Picture != nil {
					tables = append(tables, b.Picture.Behind)
				}
				for _, of := range tables {
					if of == nil {
						continue
					}
					for _, row := range of.Rows {
						for i, cell := range row {
							if i > 0 && slices.ContainsFunc(of.Head, isInterval) { // elsewhere it is the range, as the page says
								for _, text := range cell.Below {
									if interval.MatchString(text) && !inBrackets.MatchString(text) {
										t.Errorf("%s: %s: %q below %q has no level", name, of.Caption, text, cell.Text)
									}
								}
							}
							if !interval.MatchString(cell.Text) {
								continue
							}
							if seen++; !slices.ContainsFunc(cell.Below, levelled) && !strings.HasSuffix(cell.Text, " (all)") {
								t.Errorf("%s: %s: %q has no level: %q", name, of.Caption, cell.Text, cell.Below)
							}
						}
					}
				}
			}
		}
		if seen == 0 && name != "too few for an interval" {
			t.Errorf("%s: there is no interval", name)
		}
	}
	// Of eight trials the ranks allow no interval of 95 %, but one of 99.2 %.
	page := pageOf(t, twoServers(8).input(t))
	if n := strings.Count(page, "99.22 % interval"); n < 2 || strings.Contains(page, "95 % interval") {
		t.Errorf("the page says 99.22 %% %d times", n)
	}
}

func levelled(text string) bool { return strings.Contains(text, " %") }

// Of a search, only the trials at the rate that it found stand for it: those at other rates are no trials of one thing.
func TestTrialsOfASearch(t *testing.T) {
	in := twoServers(2).input(t)
	in.Run.Spec.Search = &v1alpha1.Search{}
	valid := true
	in.Plan.Trials, in.Records = nil, nil
	for i, rate := range []int64{100, 400, 200} {
		in.Plan.Trials = append(in.Plan.Trials, plan.Trial{Index: int32(i)})
		in.Records = append(in.Records, contract.Record{Index: int32(i), Target: "mysql", State: contract.Succeeded, Final: true, Valid: &valid, Rate: rate, Disturbed: rate == 100})
	}
	in.Searches = []v1alpha1.SearchEntry{{Target: "mysql", Outcome: v1alpha1.SearchFound, Held: 200, Failed: 400}}
	got := trialsOf(in).counted
	if len(got) != 1 || got[0].Rate != 200 {
		t.Errorf("counted: %+v", got)
	}
}

// A curve without marks says its numbers when it is pointed at, in a bounded number of places.
func TestCurvesSayTheirNumbers(t *testing.T) {
	in := withResults(twoServers(6).input(t))
	for section, want := range map[string]string{"time": `<title>mysql, 7 s: 100 tx/s</title>`, "latency": `<title>mysql, p99.0: 8 ms</title>`} {
		svg, err := figureOfSection(t, sectionOf(t, in, section)).draw(chart.Wide)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(svg, `fill="transparent"`); !strings.Contains(svg, want) || n > 2*60 {
			t.Errorf("%s: %d places to point at, none with %s: %q", section, n, want, regexp.MustCompile(`<title>[^<]*`).FindAllString(svg, 12))
		}
	}
}

// What limits a number stands beside it, not only in the folded table of all medians.
func TestCaveatsStandBesideTheNumbers(t *testing.T) {
	in := twoServers(8).input(t)
	for i := range in.Entries {
		in.Entries[i].Caveat = "the period of the quota decides it"
	}
	c := sectionOf(t, in, "comparison")
	if !slices.ContainsFunc(c.Blocks, func(b block) bool {
		return slices.Contains(b.Bullets, "[1] the period of the quota decides it")
	}) {
		t.Errorf("%+v", c.Blocks)
	}
	if notes := tableNamed(t, c, "throughput, tx/s: medians").column("trials"); notes[0].Below[0] != "[1]" || notes[1].Below[0] != "[1]" {
		t.Errorf("beside the numbers stand %+v", notes)
	}
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{"BlockDisturbed": "block disturbed", "IntegerCPU": "integer CPU", "ABBA": "ABBA", "RandomizedBlocks": "randomized blocks", "": ""} {
		if got := words(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A run of which no trial counts has no number, and says that and nothing else of its numbers.
func TestARunWithoutANumberSaysSo(t *testing.T) {
	m := twoServers(3)
	m.change = func(rec *contract.Record) { rec.Disturbed = true }
	in := m.input(t)
	in.Comparisons = nil
	in.Run.Status.Comparisons, in.Run.Status.Headline = nil, ""
	in.read()
	if got := in.doc.Answer; len(got) != 1 || got[0].Text != "nothing: no trial counts" {
		t.Errorf("%q, of the headline %q", got, in.Run.Status.Headline)
	}
}
