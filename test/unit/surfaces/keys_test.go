package surfaces

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/readout"
)

// near says that two numbers are one number with four digits.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Max(math.Abs(a), math.Abs(b)) }

// numberOf a decimal.
func numberOf(t *testing.T, text string) float64 {
	t.Helper()
	v, ok := figure.Decimal(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return v
}

// keyOf a measurement: target, parameters and labels, and name.
func keyOf(target string, where map[string]string, name string) string {
	words := []string{target, name}
	for _, k := range slices.Sorted(maps.Keys(where)) {
		words = append(words, k+"="+where[k])
	}
	return strings.Join(words, " ")
}

// mediansOf the readout of what was measured here, by their keys.
func mediansOf(t *testing.T, doc readout.Run) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, m := range doc.Measurements {
		if m.Quoted == "" && m.Median != "" {
			out[keyOf(m.Target, m.Where, m.Name)] = numberOf(t, m.Median)
		}
	}
	return out
}

// checkMedians: a surface has the medians of the readout, and no other.
func checkMedians(t *testing.T, surface string, got, want map[string]float64) {
	t.Helper()
	for key, v := range want {
		if g, has := got[key]; !has || !near(g, v) {
			t.Errorf("%s: %s is %v (%v), want %v", surface, key, g, has, v)
		}
	}
	for key := range got {
		if _, has := want[key]; !has {
			t.Errorf("%s: %s is in no other surface", surface, key)
		}
	}
}

// checkCSV: the medians of the rows that count are those of the readout.
func checkCSV(t *testing.T, read *stored.Run, doc readout.Run) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(written(t, "csv", read))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]float64{}
	for _, row := range rows[1:] {
		is := map[string]string{}
		for i, name := range rows[0] {
			is[name] = row[i]
		}
		if is["counted"] != "true" || is["value"] == "" {
			continue
		}
		where := map[string]any{}
		for _, column := range []string{"parameters", "labels"} {
			if text := is[column]; text != "" && json.Unmarshal([]byte(text), &where) != nil {
				t.Fatalf("the column %s is %q", column, text)
			}
		}
		texts := map[string]string{}
		for name, v := range where {
			texts[name] = fmt.Sprint(v)
		}
		key := keyOf(is["target"], texts, is["measurement"])
		values[key] = append(values[key], numberOf(t, is["value"]))
	}
	got := map[string]float64{}
	for key, all := range values {
		slices.Sort(all)
		n := len(all)
		got[key] = (all[(n-1)/2] + all[n/2]) / 2
	}
	checkMedians(t, "csv", got, mediansOf(t, doc))
}

// checkActions: the two files together have the medians, and each entry what limits it.
func checkActions(t *testing.T, read *stored.Run, doc readout.Run) {
	t.Helper()
	type entry struct {
		Name, Extra string
		Value       float64
	}
	got := map[string]entry{}
	for _, format := range []string{"github-bigger", "github-smaller"} {
		var all []entry
		if err := json.Unmarshal([]byte(written(t, format, read)), &all); err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			got[e.Name] = e
		}
	}
	n := 0
	for _, m := range doc.Measurements {
		if m.Quoted != "" || m.Direction == "" || m.Median == "" {
			continue
		}
		n++
		name := "sysbench " + m.Target + " threads=" + m.Where["threads"] + " " + m.Name
		if p := m.Where[contract.LabelPercentile]; p != "" {
			name += "{" + contract.LabelPercentile + "=" + p + "}"
		}
		e, has := got[name]
		if !has || !near(e.Value, numberOf(t, m.Median)) {
			t.Errorf("github-*: %s is %+v, want %s", name, e, m.Median)
		}
		for _, doubt := range readout.DoubtsOf(m) {
			if !strings.Contains(e.Extra, doubt) {
				t.Errorf("github-*: %s says %q, and not %q", name, e.Extra, doubt)
			}
		}
	}
	if len(got) != n {
		t.Errorf("github-*: %d entries, want %d: %v", len(got), n, slices.Sorted(maps.Keys(got)))
	}
}

// checkMetrics: medians, ratios and verdicts of the series of the run.
func checkMetrics(t *testing.T, run *v1alpha1.BenchmarkRun, doc readout.Run) {
	t.Helper()
	elected := make(chan struct{})
	close(elected)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics.NewCollector(metrics.Source{
		Objects: func(context.Context) (metrics.Objects, error) {
			return metrics.Objects{Runs: []v1alpha1.BenchmarkRun{*run}}, nil
		},
		Planning: func() metrics.Planning { return metrics.Planning{} }, Elected: elected, Now: time.Now, Log: logr.Discard(),
	}, metrics.Bounds{Runs: 10, SeriesPerRun: 1000}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	medians, ratios, verdicts := []float64{}, map[string]float64{}, map[string]int{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			label := map[string]string{}
			for _, l := range m.GetLabel() {
				label[l.GetName()] = l.GetValue()
			}
			switch v := m.GetGauge().GetValue(); f.GetName() {
			case "assay_run_result_median":
				medians = append(medians, v)
			case "assay_run_comparison_ratio":
				ratios[strings.Join([]string{label["target"], label["measurement"], label["cell"], label["value"], label["verdict"]}, " ")] = v
			case "assay_run_comparisons":
				verdicts[label["family"]+" "+label["verdict"]] = int(v)
			}
		}
	}
	want := map[string]int{}
	primary := []float64{}
	for _, v := range doc.Verdicts {
		want[v.Family+" "+v.Verdict]++
		if v.Family == string(v1alpha1.FamilyPrimary) && v.Ratio != "" {
			primary = append(primary, numberOf(t, v.Ratio))
		}
	}
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Errorf("metrics: verdicts (-want +got):\n%s", diff)
	}
	sameNumbers(t, "metrics: ratios", slices.Collect(maps.Values(ratios)), primary)
	all := []float64{}
	for _, e := range run.Status.Summary {
		if run.Finished() && e.Median != "" {
			factor := 1.0
			if e.Unit == "ms" {
				factor = 1e-3
			}
			all = append(all, factor*numberOf(t, e.Median))
		}
	}
	sameNumbers(t, "metrics: medians", medians, all)
}

func sameNumbers(t *testing.T, what string, got, want []float64) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i := range want {
		if !near(got[i], want[i]) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// checkColumns: the columns of kubectl show the words of the readout.
func checkColumns(t *testing.T, run *v1alpha1.BenchmarkRun, doc readout.Run) {
	t.Helper()
	text, err := os.ReadFile("../../../config/crd/bases/assay.dev_benchmarkruns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := apiextensions.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range crd.Spec.Versions[0].AdditionalPrinterColumns {
		path := jsonpath.New(c.Name).AllowMissingKeys(true)
		if err := path.Parse("{" + c.JSONPath + "}"); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := path.Execute(&out, object); err != nil {
			t.Fatal(err)
		}
		got[c.Name] = out.String()
	}
	for column, want := range map[string]string{"Outcome": doc.Outcome, "Verdict": doc.Verdict, "Medians": doc.Headline, "Passed": doc.Passed} {
		if got[column] != want {
			t.Errorf("kubectl get: the column %s is %q, want %q", column, got[column], want)
		}
	}
}

// junit is what is read of the file.
type junit struct {
	Suites []struct {
		Name  string `xml:"name,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Skipped *struct{} `xml:"skipped"`
			Bad     *struct{} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// checkJUnit: the run fails where the exit code of a command does, comparisons are in order, and those and searches without an
// answer are skipped.
func checkJUnit(t *testing.T, read *stored.Run, doc readout.Run) {
	t.Helper()
	var file junit
	if err := xml.Unmarshal([]byte(written(t, "junit", read)), &file); err != nil {
		t.Fatal(err)
	}
	bad, skipped := map[string]string{}, map[string][]bool{}
	names := map[string][]string{}
	for _, suite := range file.Suites {
		kind := suite.Name[strings.LastIndex(suite.Name, " ")+1:]
		for _, c := range suite.Cases {
			names[kind], skipped[kind] = append(names[kind], c.Name), append(skipped[kind], c.Skipped != nil)
			switch {
			case kind == "run" && c.Bad != nil:
				bad[c.Name] = "error"
			case kind == "run" && c.Failure != nil:
				bad[c.Name] = "failure"
			}
		}
	}
	want := map[readout.Kind]map[string]string{
		readout.Failed: {"Complete": "error"}, readout.Invalid: {"Valid": "failure"}, readout.GateFailed: {"Passed": "failure"},
	}[doc.Kind]
	if want == nil {
		want = map[string]string{}
	}
	if diff := cmp.Diff(want, bad); diff != "" {
		t.Errorf("junit: the cases of a run that is %s (-want +got):\n%s", doc.Kind, diff)
	}
	var subjects, places []string
	var undecided, open []bool
	for _, v := range doc.Verdicts {
		subjects, undecided = append(subjects, v.Subject), append(undecided, v.Undecided())
	}
	for _, s := range doc.Searches {
		places, open = append(places, s.Place()), append(open, s.Undecided())
	}
	for _, diff := range []string{
		cmp.Diff(subjects, names["comparisons"]), cmp.Diff(undecided, skipped["comparisons"]), cmp.Diff(places, names["searches"]), cmp.Diff(open, skipped["searches"]),
	} {
		if diff != "" {
			t.Errorf("junit (-want +got):\n%s", diff)
		}
	}
}

// checkOrderOfPage: comparisons of one direction, which the page has apart, are in the order of the readout.
func checkOrderOfPage(t *testing.T, page string, doc readout.Run) {
	t.Helper()
	at := map[string]int{}
	for _, v := range doc.Verdicts {
		if v.Family != string(v1alpha1.FamilyPrimary) {
			continue
		}
		next := strings.Index(page[at[v.Direction]:], v.Subject)
		if next < 0 {
			t.Errorf("page: %s is not in the order of the readout", v.Key)
		}
		at[v.Direction] += max(next, 0)
	}
}
