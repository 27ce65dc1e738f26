package export_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/export"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// The numbers of a run that is not valid leave with that word, in each format that has a place for one.
func TestARunThatIsNotValidSaysSoInEveryFormat(t *testing.T) {
	sound, bad := read(t, finished.Options{}), read(t, finished.Options{})
	for i, c := range bad.Object.Status.Conditions {
		if c.Type == v1alpha1.ConditionValid {
			bad.Object.Status.Conditions[i].Status, bad.Object.Status.Conditions[i].Reason = metav1.ConditionFalse, "ResultsInvalid"
			bad.Object.Status.Conditions[i].Message = "2 results contradict themselves"
		}
	}
	if got := readout.Caveats(sound.Object); got != nil {
		t.Errorf("a sound run has %q", got)
	}
	if got := readout.Caveats(bad.Object); len(got) != 1 || got[0] != "the run is not valid (ResultsInvalid): 2 results contradict themselves" {
		t.Errorf("%q", got)
	}
	for want, change := range map[string]func(*metav1.Condition){
		"whether the run is valid is not known (NotReached): nobody has looked": func(c *metav1.Condition) {
			c.Status, c.Reason, c.Message = metav1.ConditionUnknown, "NotReached", "nobody has looked"
		},
		"whether the run is valid is not known (NotReached)": func(c *metav1.Condition) { c.Type = "Other" },
	} {
		unknown := read(t, finished.Options{})
		for i := range unknown.Object.Status.Conditions {
			if c := &unknown.Object.Status.Conditions[i]; c.Type == v1alpha1.ConditionValid {
				change(c)
			}
		}
		if got := readout.Caveats(unknown.Object); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := string(write(t, "markdown", unknown)); !strings.HasPrefix(got, "# ns/run\n\n**INVALID** no number of this run can be relied on: NotReached") {
			t.Errorf("%s: the first sentence:\n%s", want, got)
		}
		if got := string(write(t, "junit", unknown)); !strings.Contains(got, `<failure type="NotReached"`) {
			t.Errorf("%s: JUnit lets it pass:\n%s", want, got)
		}
	}
	places := map[string]string{
		"csv":      "", // rows of attempts, each with what is known of it
		"markdown": "**INVALID** no number of this run can be relied on: ResultsInvalid: 2 results contradict themselves", "benchstat": "caveat: the run is not valid (", "hdr": "#[the run is not valid (",
		"junit":         `<failure type="ResultsInvalid"`,
		"github-bigger": "; the run is not valid (", "github-smaller": "; the run is not valid (",
	}
	for _, f := range export.Formats() {
		want, known := places[f.Name]
		if !known {
			t.Errorf("%s: where does it say that a run is not valid?", f.Name)
		}
		if got := string(write(t, f.Name, bad)); !strings.Contains(got, want) {
			t.Errorf("%s does not say %q", f.Name, want)
		}
		if got := string(write(t, f.Name, sound)); want != "" && strings.Contains(got, want) {
			t.Errorf("%s says %q of a sound run", f.Name, want)
		}
	}
}

// The trials of a search are at several rates: values of two rates are no trials of one thing, and one that was
// disturbed takes no other one with it.
func TestTheRatesOfASearchStayApart(t *testing.T) {
	run := read(t, finished.Options{})
	run.Object.Spec.Search = &v1alpha1.Search{}
	names := map[int64]string{100: "100", 200: "200"}
	for i := range run.Records {
		rec := &run.Records[i]
		rec.Rate = 100
		if rec.Block%2 == 1 {
			rec.Rate = 200
		}
		parameters := map[string]contract.Scalar{"rate": {Text: names[rec.Rate]}}
		for name, v := range rec.Parameters {
			parameters[name] = v
		}
		rec.Parameters = parameters
	}
	rates := map[string]int{}
	reader := benchfmt.NewReader(bytes.NewReader(write(t, "benchstat", run)), "x")
	for reader.Scan() {
		if r, is := reader.Result().(*benchfmt.Result); is {
			if strings.Contains(string(r.Name), "/target=a/") && strings.Contains(string(r.Name), "/threads=2") {
				rates[string(r.Name)]++
			}
		}
	}
	if len(rates) != 2 {
		t.Errorf("trials by their names: %v", rates)
	}
	rows, err := csv.NewReader(bytes.NewReader(write(t, "csv", run))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, field := range row {
			if field == string(v1alpha1.LeftOutBlockDisturbed) {
				t.Fatalf("a trial of a search is left out because of another one: %v", row)
			}
		}
	}
}
