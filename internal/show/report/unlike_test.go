package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/runners"
)

// nodeManifest repeats the published comparison of Node.js drivers.
const nodeManifest = fullSamples + "s3-node/full.yaml"

// numbersOf the quoted numbers of the manifest say: what it asks for and compares, and of each number that it quotes by the
// names of operations here the combination with the same labels, in blocks that vary by 1 %. It returns the quoted numbers that no
// combination has, and the combinations that no driver has a number of, without their drivers.
func numbersOf(t *testing.T) (m made, in Input, unjoined, unpublished []string) {
	t.Helper()
	in = publishedIn(t, nodeManifest)
	tool, _ := runners.Find("drivers")
	params, err := json.Marshal(in.Run.Spec.Workload.Drivers)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tool.Combinations(params)
	if err != nil {
		t.Fatal(err)
	}
	in.Run.Spec.SetDefaults()
	a := in.Run.Spec.Analysis // the API server has defaults for these
	a.MinimumEffect, a.ErrorRate = cmp.Or(a.MinimumEffect, v1alpha1.DefaultMinimumEffect), cmp.Or(a.ErrorRate, v1alpha1.DefaultErrorRate)
	declared, err := analysis.Declare(in.Run.Spec, tool.Summary)
	if err != nil {
		t.Fatal(err)
	}
	m = made{targets: []string{in.Run.Spec.Targets[0].Name}, blocks: 12, names: []string{contract.NameThroughput}, comparisons: declared.Comparisons}
	rates, joined := map[string]float64{}, map[string]bool{}
	for _, q := range in.Quoted {
		for _, v := range q.Phases[0].Measurements {
			if v.Name == contract.NameThroughput && v.Labels["operation"] != "" && v.Value != nil {
				rates[labelKey(v.Labels)] = *v.Value
			}
		}
	}
	published := map[string]bool{}
	for _, c := range all {
		m.combinations = append(m.combinations, analysis.Combination(c))
		key, work := labelKey(c.Labels), maps.Clone(c.Labels)
		delete(work, "driver")
		_, has := rates[key]
		joined[key], published[labelKey(work)] = has, published[labelKey(work)] || has
	}
	for key := range rates {
		if !joined[key] {
			unjoined = append(unjoined, key)
		}
	}
	for work, has := range published {
		if !has {
			unpublished = append(unpublished, work)
		}
	}
	m.measure = func(_ string, _ plan.Cell, block int) (out []contract.RecordedValue) {
		for i, c := range all {
			if rate, has := rates[labelKey(c.Labels)]; has {
				out = append(out, contract.RecordedValue{Name: contract.NameThroughput, Unit: "ops/s", Direction: contract.HigherIsBetter, Labels: c.Labels, Value: rate * noise(0.01, block, i)})
			}
		}
		return out
	}
	return m, in, unjoined, unpublished
}

// Each quoted number has the labels of something that the run measures, and each benchmark of the run is one that was published.
func TestTheNodeDriversMeasureWhatTheyQuote(t *testing.T) {
	_, in, unjoined, unpublished := numbersOf(t)
	if len(unjoined) > 0 || len(unpublished) > 0 {
		t.Errorf("%s: quoted and not measured: %q; measured and not published: %q", nodeManifest, unjoined, unpublished)
	}
	if n := len(in.Quoted); n == 0 {
		t.Errorf("%s quotes nothing", nodeManifest)
	}
}

// Where the rates were as published, each of them but the baseline has its ratio, that of the headline included: a cell whose baseline is
// not that of the row says against what.
func TestTheNodeDriversHaveTheirHeadline(t *testing.T) {
	m, published, _, _ := numbersOf(t)
	in := m.input(t)
	in.Quoted = published.Quoted
	table, wants := mediansTable(t, in), map[string]float64{"Batch: mariadb": 2449.5 / 47.1, "Prepared: mariadb": 2650.7 / 2257.5}
	for _, row := range table.Rows {
		against, scheme := "", "SingleRow"
		switch {
		case strings.Contains(row[0].Text, "Batch"):
			against, scheme = "mysql with scheme SingleRow", "Batch"
		case strings.Contains(row[0].Text, "Prepared"):
			against, scheme = "mysql2", "Prepared"
		}
		for i, c := range row[1:] {
			driver := table.Head[i+1].Name
			if c.Text == "–" {
				continue
			}
			text := c.Below[len(c.Below)-1]
			ratio, named, has := ratioIn(text)
			switch isBase := driver == "mysql" || scheme == "Prepared" && driver == "mysql2"; {
			case isBase && has:
				t.Errorf("%s of %s: the baseline has a ratio: %q", row[0].Text, driver, text)
			case !isBase && (!has || named != against):
				t.Errorf("%s of %s: got %q, want a ratio against %q", row[0].Text, driver, text, against)
			}
			if want, is := wants[scheme+": "+driver]; is && math.Abs(ratio/want-1) < 0.02 {
				delete(wants, scheme+": "+driver)
			}
		}
	}
	if len(wants) > 0 {
		t.Errorf("not within 2 %%: %v in %+v", wants, table.Rows)
	}
	subject := "driver mariadb with scheme Batch against mysql with scheme SingleRow on " + m.targets[0]
	batch := slices.IndexFunc(in.doc.Verdicts, func(v readout.Verdict) bool { return strings.HasPrefix(v.Subject, subject) })
	if batch < 0 || in.doc.Verdicts[batch].Verdict != string(v1alpha1.VerdictFaster) || in.doc.Verdicts[batch].Family != string(v1alpha1.FamilyPrimary) {
		t.Errorf("no verdict on %s", subject)
	}
	// The quoted number stands beside it with the same words.
	found := false
	for _, b := range sectionOf(t, in, "quoted").Blocks {
		for _, row := range rowsOf(b) {
			for _, c := range row {
				found = found || slices.ContainsFunc(c.Below, func(text string) bool {
					return strings.HasPrefix(text, "here ") && strings.HasSuffix(text, " against mysql with scheme SingleRow)")
				})
			}
		}
	}
	if !found {
		t.Errorf("the quoted number of the batch stands beside none")
	}
}

func rowsOf(b block) [][]cell {
	if b.Table == nil {
		return nil
	}
	return b.Table.Rows
}

// mediansTable is the first one of a page.
func mediansTable(t *testing.T, in Input) *table {
	t.Helper()
	for _, b := range sectionOf(t, in, "comparison").Blocks {
		if b.Table != nil {
			return b.Table
		}
	}
	t.Fatal("no table of medians")
	return nil
}

// ratioIn what stands below a median, such as "52.0x against mysql with scheme SingleRow" or "+17 %", with the baseline that it names.
func ratioIn(text string) (ratio float64, against string, has bool) {
	text, against, _ = strings.Cut(text, " against ")
	if factor, is := strings.CutSuffix(text, "x"); is {
		ratio, err := strconv.ParseFloat(factor, 64)
		return ratio, against, err == nil
	}
	percent, is := strings.CutSuffix(text, " %")
	ratio, err := strconv.ParseFloat(percent, 64)
	return 1 + ratio/100, against, is && err == nil
}

// A median has the ratio whose sides differ in the factor alone, where there are both, and one that is there in place of one that is not.
func TestWhichRatioStandsBesideAMedian(t *testing.T) {
	of := func(effect string, unlike bool) readout.Verdict {
		v := readout.Verdict{Family: "Primary", Verdict: "Faster", Factor: "driver", Value: "mariadb", Baseline: "mysql", Target: "db", Name: "throughput", Labels: map[string]string{"scheme": "Batch"}, Effect: effect}
		if unlike {
			v.Unlike = []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
		}
		return v
	}
	over := func(value, baseline, effect string) readout.Verdict {
		v := of(effect, false)
		v.Value, v.Baseline = value, baseline
		return v
	}
	hint := func(v readout.Verdict) readout.Verdict {
		v.Family, v.Verdict = "Exploratory", "Exploratory"
		return v
	}
	e := v1alpha1.SummaryEntry{Name: "throughput", Target: "db", Labels: map[string]string{"driver": "mariadb", "scheme": "Batch"}}
	for name, tc := range map[string]struct {
		verdicts []readout.Verdict
		want     string
	}{
		"the sides alone are unlike":             {[]readout.Verdict{of("52x", true)}, "52x against mysql with scheme SingleRow"},
		"sides that are alike were not measured": {[]readout.Verdict{of("", false), of("52x", true)}, "52x against mysql with scheme SingleRow"},
		"the other way round":                    {[]readout.Verdict{of("52x", true), of("", false)}, "52x against mysql with scheme SingleRow"},
		"both are there":                         {[]readout.Verdict{of("52x", true), of("+3 %", false)}, "+3 %"},
		"the first of two":                       {[]readout.Verdict{of("+3 %", false), of("+4 %", false)}, "+3 %"},
		"over a second baseline":                 {[]readout.Verdict{over("mysql2", "mysql", "+2 %"), over("mariadb", "mysql2", "+17 %")}, "+17 % against mysql2"},
		"one that was not declared is no better": {[]readout.Verdict{of("52x", true), hint(of("+3 %", false))}, "52x against mysql with scheme SingleRow"},
		"one that was declared is better":        {[]readout.Verdict{hint(of("+3 %", false)), of("52x", true)}, "52x against mysql with scheme SingleRow"},
		"the declared one was not measured":      {[]readout.Verdict{of("", true), hint(of("+3 %", false))}, "+3 % ?"},
	} {
		in := Input{}
		in.doc.Verdicts = tc.verdicts
		all := ratiosOf(in)
		v, has := all.of(&e)
		if got := all.inDoubt(v); !has || got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// On a phone a picture of ratios names both sides where they differ in more than the factor, and the baseline of the other rows as well.
func TestThePictureNamesUnlikeSidesOnAPhone(t *testing.T) {
	in := Input{Run: &v1alpha1.BenchmarkRun{}}
	one := v1alpha1.ComparisonEntry{
		Family: v1alpha1.FamilyPrimary, Verdict: v1alpha1.VerdictFaster, Name: "throughput", Factor: "driver", Value: "mysql2", Baseline: "mysql", Target: "mariadb-10-6",
		Labels: map[string]string{"operation": "InsertText", "rows": "100", "scheme": "SingleRow"}, Ratio: "1.2", Direction: string(contract.HigherIsBetter),
	}
	other := one
	other.Value, other.Labels, other.Ratio = "mariadb", map[string]string{"operation": "InsertText", "rows": "100", "scheme": "Batch"}, "52"
	other.Unlike = []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
	in.Comparisons = []v1alpha1.ComparisonEntry{one, other}
	in.read()
	f, rows, _ := forest(contract.HigherIsBetter, in.doc.Verdicts, 0.02)
	if rows != 2 {
		t.Fatalf("%d rows", rows)
	}
	svg, err := f.draw(chart.Narrow)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">against mysql<", ">driver mysql2 on mariadb-10-6, throughput", ">against mysql with scheme SingleRow<", ">driver mariadb with scheme Batch on maria…<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s: %s", want, svg)
		}
	}
}
