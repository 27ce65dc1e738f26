package surfaces

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/explain"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Names of runs that the width is promised for, in characters. 63 are allowed, which leave too little for the other columns. A run by
// itself has up to 40, as one of a schedule with an identifier behind its name. kubectl makes a column as wide as its widest cell: in a list
// that has every outcome and the longest reason at the same time, names have up to 24.
const longestAlone, longestInList = 40, 24

// cells of a run, by the columns of the CRD that kubectl get prints without -o wide.
func cells(t *testing.T, columns []apiextensionsv1.CustomResourceColumnDefinition, run *v1alpha1.BenchmarkRun) (head, row []string) {
	t.Helper()
	data, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	head, row = []string{"NAME"}, []string{run.Name}
	for _, c := range columns {
		if c.Priority > 0 {
			continue
		}
		path := jsonpath.New(c.Name).AllowMissingKeys(true)
		if err := path.Parse("{" + c.JSONPath + "}"); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := path.Execute(&text, object); err != nil {
			t.Fatal(err)
		}
		value := text.String()
		if c.Type == "date" {
			value = "364d" // what kubectl makes of it at most: five characters from ten years on
		}
		head, row = append(head, strings.ToUpper(c.Name)), append(row, value)
	}
	return head, row
}

// kubectl get bmr has a line of at most 120 columns for each run, whatever became of it.
func TestColumnsFit120(t *testing.T) {
	data, err := os.ReadFile("../../../config/crd/bases/assay.dev_benchmarkruns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &crd); err != nil {
		t.Fatal(err)
	}
	compared := func(counts map[v1alpha1.ComparisonVerdict]int) func(*v1alpha1.BenchmarkRun) {
		return func(run *v1alpha1.BenchmarkRun) {
			for verdict, n := range counts {
				for range n {
					run.Status.Comparisons = append(run.Status.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: verdict})
				}
			}
		}
	}
	ended := func(phase v1alpha1.Phase, conditions ...string) func(*v1alpha1.BenchmarkRun) {
		return func(run *v1alpha1.BenchmarkRun) {
			run.Status.Phase = phase
			set(conditions...)(run)
		}
	}
	sound := ended(v1alpha1.PhaseComplete, "Complete=True", "Valid=True")
	entries, err := explain.All()
	if err != nil {
		t.Fatal(err)
	}
	longest := ""
	for _, e := range entries {
		if e.Kind == explain.Reason && len(e.Name) > len(longest) {
			longest = e.Name
		}
	}
	reasons := func(run *v1alpha1.BenchmarkRun) {
		ended(v1alpha1.PhaseFailed, "Failed=True")(run)
		run.Status.Conditions[len(run.Status.Conditions)-1].Reason = longest
	}
	all := map[v1alpha1.ComparisonVerdict]int{
		v1alpha1.VerdictFaster: 12, v1alpha1.VerdictSlower: 1000, v1alpha1.VerdictHigher: 7, v1alpha1.VerdictLower: 2,
		v1alpha1.VerdictEquivalent: 2, v1alpha1.VerdictInconclusive: 4, v1alpha1.VerdictExploratory: 1, v1alpha1.VerdictNotMeasured: 1,
	}
	open := map[v1alpha1.ComparisonVerdict]int{v1alpha1.VerdictInconclusive: 1000, v1alpha1.VerdictExploratory: 1, v1alpha1.VerdictNotMeasured: 1}
	widest := map[int]int{}
	for name, tt := range map[string]struct {
		change []func(*v1alpha1.BenchmarkRun)
		want   string
	}{
		"pending":                 {nil, "Pending"},
		"provisioning":            {[]func(*v1alpha1.BenchmarkRun){ended(v1alpha1.PhaseProvisioning, "Accepted=True")}, "Running"},
		"suspended":               {[]func(*v1alpha1.BenchmarkRun){suspended}, "Suspended"},
		"failed":                  {[]func(*v1alpha1.BenchmarkRun){reasons}, "Failed"},
		"not valid":               {[]func(*v1alpha1.BenchmarkRun){ended(v1alpha1.PhaseComplete, "Complete=True", "Valid=False")}, "Invalid"},
		"the gate not judged":     {[]func(*v1alpha1.BenchmarkRun){sound, set("Passed=Unknown")}, "GateNotJudged"},
		"the gate failed":         {[]func(*v1alpha1.BenchmarkRun){sound, set("Passed=False")}, "GateFailed"},
		"nothing compared":        {[]func(*v1alpha1.BenchmarkRun){sound}, "Measured"},
		"comparisons of one kind": {[]func(*v1alpha1.BenchmarkRun){sound, compared(map[v1alpha1.ComparisonVerdict]int{v1alpha1.VerdictInconclusive: 1000})}, "1000 Inconclusive"},
		"of all kinds":            {[]func(*v1alpha1.BenchmarkRun){sound, compared(all)}, "1000 Slower + 7 more kinds"},
		"of none that is decided": {[]func(*v1alpha1.BenchmarkRun){sound, compared(open)}, "1000 Inconclusive + 2 more kinds"},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: strings.Repeat("n", longestAlone)}}
			run.Status.Progress.Text = "20000/20000"
			for _, change := range tt.change {
				change(run)
			}
			readout.SetWords(run)
			if run.Status.Outcome != v1alpha1.Name(tt.want) {
				t.Errorf("the outcome is %q, want %q", run.Status.Outcome, tt.want)
			}
			head, row := cells(t, crd.Spec.Versions[0].AdditionalPrinterColumns, run)
			width := 3 * (len(row) - 1) // between two columns
			for i := range row {
				cell := max(len(head[i]), len(row[i]))
				width, widest[i] = width+cell, max(widest[i], cell)
			}
			if width > 120 {
				t.Errorf("%d columns:\n%s\n%s", width, strings.Join(head, "   "), strings.Join(row, "   "))
			}
		})
	}
	list := 3*(len(widest)-1) - longestAlone + longestInList
	for _, cell := range widest {
		list += cell
	}
	if list > 120 {
		t.Errorf("a list of all has %d columns: %v", list, widest)
	}
}
