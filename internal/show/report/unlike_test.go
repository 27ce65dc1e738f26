package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/runners"
)

// nodeManifests repeat the published comparison of Node.js drivers: in full, and in small.
var nodeManifests = []string{"../../../config/samples/drivers-node.yaml", "../../../docs/gallery/s3-node-drivers.yaml"}

// measuredAs the quoted numbers of a manifest of drivers say: what it asks for and compares, and of each number that it quotes by the
// names of operations here the combination with the same labels, in blocks that vary by 1 %. It returns the quoted numbers that no
// combination has, and the combinations that no driver has a number of, without their drivers.
func measuredAs(t *testing.T, path string) (m made, in Input, unjoined, unpublished []string) {
	t.Helper()
	in = publishedIn(t, path)
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
	for _, path := range nodeManifests {
		_, in, unjoined, unpublished := measuredAs(t, path)
		if len(unjoined) > 0 || len(unpublished) > 0 {
			t.Errorf("%s: quoted and not measured: %q; measured and not published: %q", path, unjoined, unpublished)
		}
		if n := len(in.Quoted); n == 0 {
			t.Errorf("%s quotes nothing", path)
		}
	}
}

// Where the rates were as published, each of them but the baseline has its ratio, that of the headline included: its row says against
// what, because it is not the baseline of the row.
func TestTheNodeDriversHaveTheirHeadline(t *testing.T) {
	for _, path := range nodeManifests {
		m, published, _, _ := measuredAs(t, path)
		in := m.input(t)
		in.Quoted = published.Quoted
		table, below := mediansTable(t, in), map[string]string{}
		for _, row := range table.Rows {
			for i, c := range row[1:] {
				name := strings.Join([]string{row[0].Text, table.Head[i+1].Name}, ": ")
				if below[name] = strings.Join(c.Below, ", "); c.Text == "–" {
					delete(below, name)
				}
			}
		}
		wants := map[string]string{"Batch: mariadb": "52.0x against mysql with scheme SingleRow", "Prepared: mariadb": "+17 %"}
		for name, text := range below {
			row, driver, _ := strings.Cut(name, ": ")
			against := strings.Contains(text, " against ")
			switch {
			case driver == "mysql", strings.Contains(row, "Prepared") && driver == "mysql2":
				if strings.Contains(text, "x") || strings.Contains(text, " %, ") {
					t.Errorf("%s: %s: the baseline has a ratio: %q", path, name, text)
				}
			case !strings.Contains(text, " %") && !strings.Contains(text, "x"):
				t.Errorf("%s: %s has no ratio: %q", path, name, text)
			case against != strings.Contains(row, "Batch"):
				t.Errorf("%s: %s: %q", path, name, text)
			}
			for want, ratio := range wants {
				if scheme, of, _ := strings.Cut(want, ": "); strings.Contains(row, scheme) && driver == of && about(text, ratio) {
					delete(wants, want)
				}
			}
		}
		if len(wants) > 0 {
			t.Errorf("%s: no %v in %q", path, wants, below)
		}
		subject := "driver mariadb with scheme Batch against mysql with scheme SingleRow on " + m.targets[0]
		batch := slices.IndexFunc(in.doc.Verdicts, func(v readout.Verdict) bool { return strings.HasPrefix(v.Subject, subject) })
		if batch < 0 || in.doc.Verdicts[batch].Verdict != string(v1alpha1.VerdictFaster) || in.doc.Verdicts[batch].Family != string(v1alpha1.FamilyPrimary) {
			t.Errorf("%s: no verdict on %s", path, subject)
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
			t.Errorf("%s: the quoted number of the batch stands beside none", path)
		}
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

// about: a text ends with a ratio, of which the last digit may be another one, for the noise of the blocks.
func about(text, ratio string) bool {
	digits := strings.IndexFunc(ratio, func(r rune) bool { return r >= '0' && r <= '9' })
	return strings.Contains(text, ratio[:digits+1]) && strings.HasSuffix(text, ratio[strings.IndexAny(ratio, "x%"):])
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
	} {
		in := Input{}
		in.doc.Verdicts = tc.verdicts
		v, has := ratiosOf(in).of(&e)
		if got := inDoubt(v); !has || got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
