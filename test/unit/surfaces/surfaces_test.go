package surfaces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/export"
	"github.com/assay-bench/assay/internal/show/notify"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report"
	"github.com/assay-bench/assay/internal/show/writeup"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// set conditions of a run, such as Valid=False.
func set(all ...string) func(*v1alpha1.BenchmarkRun) {
	return func(run *v1alpha1.BenchmarkRun) {
		for _, text := range all {
			name, status, _ := strings.Cut(text, "=")
			run.Status.Conditions = slices.DeleteFunc(run.Status.Conditions, func(c metav1.Condition) bool { return c.Type == name })
			run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: name, Status: metav1.ConditionStatus(status), Reason: "Because", Message: "of " + name})
			if name == v1alpha1.ConditionPassed {
				run.Spec.Gate = &v1alpha1.Gate{Baseline: "release", Threshold: "25%"}
			}
		}
	}
}

// smallEffect asks for more than the blocks can tell.
func smallEffect(run *v1alpha1.BenchmarkRun) {
	run.Spec.Analysis = &v1alpha1.Analysis{MinimumEffect: "0.01%", ErrorRate: "5%"}
}

// searches of two targets, one of which has no answer.
func searches() []v1alpha1.SearchEntry {
	return []v1alpha1.SearchEntry{
		{Target: "a", Outcome: v1alpha1.SearchFound, Held: 1200, Failed: 1260, TrialCount: 8, Reason: "the latency was 30 ms"},
		{Target: "a", Block: 1, Outcome: v1alpha1.SearchAllHeld, Held: 1600, TrialCount: 2},
		{Target: "b", Outcome: v1alpha1.SearchUnknown, TrialCount: 4, Reason: "4 trials were of no use"},
	}
}

// within is a run with a gate over its own comparisons.
func within(margin string) func(*v1alpha1.BenchmarkRun) {
	return func(run *v1alpha1.BenchmarkRun) {
		run.Spec.Analysis = &v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: v1alpha1.FactorTarget}}, MinimumEffect: "2%", ErrorRate: "5%"}
		run.Spec.Gate = &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: margin}
	}
}

// suspended is a run that has not ended.
func suspended(run *v1alpha1.BenchmarkRun) {
	run.Status.Phase, run.Status.Conditions, run.Status.CompletionTime = v1alpha1.PhaseSuspended, nil, nil
	set("Accepted=True", "Placed=False")(run)
}

// runs of each outcome.
var runs = map[string]struct {
	options finished.Options
	outcome string
	// leads is the word that every surface for people begins with.
	leads string
}{
	"decided":               {finished.Options{Blocks: 12}, "4 Faster", "FASTER"},
	"equivalent":            {finished.Options{Blocks: 12, Ratio: 1.001}, "4 Equivalent", "EQUIVALENT"},
	"inconclusive":          {finished.Options{Blocks: 12, Ratio: 1.0001, Change: smallEffect}, "4 Inconclusive", "INCONCLUSIVE"},
	"too few blocks":        {finished.Options{}, "4 Exploratory", "EXPLORATORY"},
	"a sweep":               {finished.Options{Blocks: 12, Loads: []int32{2, 8, 64}}, "6 Faster", "FASTER"},
	"the gate failed":       {finished.Options{Blocks: 12, Change: set("Passed=False")}, "GateFailed", "GATE FAILED"},
	"the gate passed":       {finished.Options{Blocks: 12, Change: set("Passed=True")}, "GatePassed", "GATE PASSED"},
	"the gate not judged":   {finished.Options{Blocks: 12, Change: set("Passed=Unknown")}, "GateNotJudged", "GATE NOT JUDGED"},
	"its gate failed":       {finished.Options{Blocks: 12, Ratio: 0.9, Change: within("3%")}, "GateFailed", "GATE FAILED"},
	"its gate passed":       {finished.Options{Blocks: 12, Ratio: 1.1, Change: within("3%")}, "GatePassed", "GATE PASSED"},
	"its gate is undecided": {finished.Options{Blocks: 12, Ratio: 0.9999, Change: within("0.2%")}, "GateNotJudged", "GATE NOT JUDGED"},
	"not valid":             {finished.Options{Blocks: 12, Change: set("Valid=False")}, "Invalid", "INVALID"},
	"failed":                {finished.Options{Blocks: 12, Change: set("Complete=False", "Failed=True")}, "Failed", "FAILED"},
	"suspended, going on":   {finished.Options{Blocks: 12, Change: suspended}, "Suspended", "SUSPENDED"},
	"a control":             {finished.Options{Blocks: 12, Control: true}, "4 Faster", "FASTER"},
	"a search":              {finished.Options{Blocks: 12, Searches: searches()}, "4 Faster", "FASTER"},
	"nothing says it holds": {finished.Options{Blocks: 12, Change: set("Valid=Unknown")}, "Invalid", "INVALID"},
}

// Every surface tells the same of a run.
func TestEverySurfaceTellsTheSame(t *testing.T) {
	for name, c := range runs {
		t.Run(name, func(t *testing.T) {
			source := finished.New(t, c.options)
			switch {
			case source.Object.HasFailed():
				source.Object.Status.Phase = v1alpha1.PhaseFailed
			case source.Object.Finished():
				source.Object.Status.Phase = v1alpha1.PhaseComplete
			}
			read, err := stored.Read(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			doc := export.ReadoutOf(read)
			if doc.Outcome != c.outcome || read.Object.Status.Outcome != c.outcome || doc.Answer[0].Word != c.leads {
				t.Errorf("outcome %q, in the status %q, and it begins with %q", doc.Outcome, read.Object.Status.Outcome, doc.Answer[0].Word)
			}
			checkDetects(t, doc)
			for surface, text := range surfacesOf(t, read, doc) {
				checkSurface(t, surface, text, doc)
				checkSearches(t, surface, text, doc)
				if surface == "page" {
					checkOrderOfPage(t, text, doc)
				}
			}
			checkCSV(t, read, doc)
			checkActions(t, read, doc)
			checkJUnit(t, read, doc)
			checkMetrics(t, read.Object, doc)
			checkColumns(t, read.Object, doc)
			if read.Object.Finished() {
				checkCommands(t, source, doc)
			}
			checkStatus(t, read.Object, doc)
			checkNotification(t, read.Object, doc)
		})
	}
}

// The gate over the comparisons of a run: what failed leads on every surface for people, and every surface has the reason and
// the exit code of the outcome.
func TestEverySurfaceTellsOfAGateWithinTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		options       finished.Options
		passed, leads string
		exitCode      int
		junit         string
		next          string
	}{
		"failed":    {finished.Options{Blocks: 12, Ratio: 0.9, Change: within("3%")}, "False", "4 of 4 comparisons lose more than 3 %; slower: b threads=2 throughput against a: ", 4, `<failure type="Slower"`, "lists the measurements that the gate failed for"},
		"passed":    {finished.Options{Blocks: 12, Ratio: 1.1, Change: within("3%")}, "True", "0 of 4 comparisons lose more than 3 %; all lose less: b threads=2 throughput against a: ", 0, `<testcase name="Passed"`, ""},
		"undecided": {finished.Options{Blocks: 12, Ratio: 0.9999, Change: within("0.2%")}, "Unknown", "4 not decided: b threads=2 throughput against a: ", 5, `<skipped type="NotJudged"`, "to let the gate pass in four of five runs where nothing is lost, at the spread of this run, set design.blocks to "},
	} {
		t.Run(name, func(t *testing.T) {
			read, err := stored.Read(t.Context(), finished.New(t, c.options))
			if err != nil {
				t.Fatal(err)
			}
			doc := export.ReadoutOf(read)
			if doc.Passed != c.passed || doc.ExitCode != c.exitCode || !strings.Contains(doc.Answer[0].Text, c.leads) {
				t.Errorf("passed %s, exit code %d, %s", doc.Passed, doc.ExitCode, doc.Answer[0])
			}
			for surface, text := range surfacesOf(t, read, doc) {
				if !strings.Contains(text, flat(c.leads)) {
					t.Errorf("%s does not say %q: %.400s", surface, c.leads, text)
				}
			}
			if text := written(t, "junit", read); !strings.Contains(text, c.junit) {
				t.Errorf("JUnit has no %s: %.600s", c.junit, text)
			}
			if text := strings.Join(doc.Next, "\n"); !strings.Contains(text, c.next) || strings.Contains(text, "to find a difference of") {
				t.Errorf("what to do next: %s", text)
			}
			if n := notify.Data(read.Object).Gate; n == nil || n.Passed != c.passed || !strings.Contains(n.Message, c.leads) {
				t.Errorf("the notification: %+v", n)
			}
		})
	}
}

// What is known of a setting is what it can do, and no finding of the run: no surface says that it made a side faster.
func TestASettingMayFavourASide(t *testing.T) {
	read, err := stored.Read(t.Context(), finished.New(t, finished.Options{Blocks: 12, Ratio: 1.0001, Change: smallEffect}))
	if err != nil {
		t.Fatal(err)
	}
	read.Object.Status.Differences = []v1alpha1.SideDifferences{{Value: "b", Baseline: "a", Differences: []v1alpha1.SideDifference{
		{Name: "performance_schema", Value: "OFF", Baseline: "ON", Faster: v1alpha1.FasterValue},
	}}}
	all := surfacesOf(t, read, export.ReadoutOf(read))
	for surface, want := range map[string]string{"terminal": "MAY FAVOUR performance_schema OFF ON b", "markdown": "OFF ON b each instrumented event", "page": "can help b"} {
		if text := all[surface]; !strings.Contains(text, want) || regexp.MustCompile(`(?i)\bfaster\b`).MatchString(text) {
			t.Errorf("%s: %q is not there, or something is faster: %s", surface, want, text)
		}
	}
}

// The status keeps the last 20 findings: a surface that has the records counts those, and any other says of how many it counts. Why
// trials do not count stands before what is only a doubt.
func TestFindingsAreCountedFromRecords(t *testing.T) {
	source := finished.New(t, finished.Options{Blocks: 12})
	read, err := stored.Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	for i := range read.Records {
		rec := &read.Records[i]
		rec.Findings = []contract.RecordedFinding{{Check: "target-throttled", Severity: v1alpha1.SeverityWarning, Message: "of all"}}
		if i == 2 {
			rec.Findings = append(rec.Findings, contract.RecordedFinding{Check: "neighbours", Severity: v1alpha1.SeverityDisturbed, Message: "of one"})
		}
	}
	read.Object.Status.Findings = nil
	for i := range int32(20) {
		read.Object.Status.Findings = append(read.Object.Status.Findings, v1alpha1.Finding{Check: "target-throttled", Severity: v1alpha1.SeverityWarning, Target: "a", Trial: &i, Message: "of all"})
	}
	all := surfacesOf(t, read, export.ReadoutOf(read))
	n := 0
	for _, rec := range read.Records {
		if rec.Target == "a" {
			n++
		}
	}
	trial := read.Records[2].Index
	for surface, want := range map[string][]string{
		"terminal": {fmt.Sprintf("disturbed neighbours (%s): trial %d: of one", read.Records[2].Target, trial), fmt.Sprintf("%d x warning target-throttled (a): ", n)},
		"markdown": {fmt.Sprintf("Disturbed 1 neighbours %d", trial), fmt.Sprintf("Warning %d target-throttled", n)},
		"page":     {fmt.Sprintf("of one (trial %d)", trial), fmt.Sprintf("%d times", n)},
		"json":     {`"check":"neighbours","severity":"Disturbed"`, fmt.Sprintf(`"message":"of all","count":%d`, n)},
	} {
		text, last := all[surface], 0
		for _, part := range want {
			at := strings.Index(text[last:], part)
			if at < 0 {
				t.Errorf("%s: %q is missing, or before what is worse: %s", surface, part, text)
			}
			last += max(at, 0)
		}
		if strings.Contains(text, "of the last") {
			t.Errorf("%s counts only the last findings: %s", surface, text)
		}
	}
	read.Records = nil
	for surface, want := range map[string]string{"terminal": "against the numbers, of the last 20 findings: 20 x", "markdown": "Findings, of the last 20 findings", "json": `"findingsOf":20`} {
		if text := surfacesOf(t, read, export.ReadoutOf(read))[surface]; !strings.Contains(text, want) {
			t.Errorf("%s without records: %q is missing: %s", surface, want, text)
		}
	}
}

// surfacesOf a run that show all of it: their texts without marks, on one line.
func surfacesOf(t *testing.T, read *stored.Run, doc readout.Run) map[string]string {
	t.Helper()
	var terminal, page bytes.Buffer
	if err := show.Tell(&terminal, doc, true); err != nil {
		t.Fatal(err)
	}
	in, err := writeup.Input(t.Context(), read)
	if err == nil {
		err = report.Write(&page, in)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(page.String(), "<h1>")
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\`, "", "**", "", "|", " ", "&#64;", "@")
	return map[string]string{
		"terminal": flat(terminal.String()),
		"markdown": flat(html.UnescapeString(plain.Replace(written(t, "markdown", read)))),
		"junit":    flat(html.UnescapeString(written(t, "junit", read))),
		"page":     unmarked(body),
		"json":     flat(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(data))),
	}
}

// marks of a page.
var marks = regexp.MustCompile(`<[^>]*>`)

// unmarked is the text of a page.
func unmarked(page string) string {
	return flat(html.UnescapeString(marks.ReplaceAllString(page, " ")))
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func written(t *testing.T, name string, read *stored.Run) string {
	t.Helper()
	var out bytes.Buffer
	for _, f := range export.Formats() {
		if f.Name == name {
			if err := f.Write(t.Context(), &out, read); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
	}
	t.Fatalf("there is no format %s", name)
	return ""
}

// checkSurface: each comparison by its subject with its word, figures and caveats, in the order of the readout, and each median.
func checkSurface(t *testing.T, surface, text string, doc readout.Run) {
	t.Helper()
	forPeople := surface == "terminal" || surface == "markdown" || surface == "page"
	if first := doc.Answer[0]; forPeople {
		at := strings.Index(text, first.Word+" "+flat(first.Text))
		if at < 0 || at > 200 {
			t.Errorf("%s does not begin with %q: %.300s", surface, first, text)
		}
	}
	last := 0
	for _, v := range doc.Verdicts {
		for _, want := range append([]string{v.Effect, v.Interval, v.Subject}, v.Rest()...) {
			if !strings.Contains(text, flat(want)) {
				t.Errorf("%s of %s: %q is missing", surface, v.Key, want)
			}
		}
		if !strings.Contains(strings.ToUpper(text), v.Word()) {
			t.Errorf("%s of %s: the word %s is missing", surface, v.Key, v.Verdict)
		}
		if v.Family == string(v1alpha1.FamilyPrimary) && surface != "page" { // the page has the directions apart
			at := strings.Index(text[last:], v.Subject)
			if at < 0 {
				t.Errorf("%s: %s is not in the order of the readout", surface, v.Key)
			}
			last += max(at, 0)
		}
	}
	for _, m := range doc.Measurements {
		median, interval := m.Figures()
		if surface == "junit" || surface == "json" || m.Quoted != "" {
			continue // no medians, or those of all digits
		}
		for _, want := range []string{median, strings.TrimSuffix(interval, " (all)")} {
			if from, to, is := strings.Cut(want, " to "); is && surface != "terminal" && m.IntervalLow == "" {
				want = from // least and largest are columns of their own
				_ = to
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s of %s at %s is not there as %q", surface, m.Name, m.Target, readout.PlaceOf(m.Where), want)
			}
		}
	}
}

// checkDetects: each comparison says what its blocks detect, where that is known, beside what the plan assumed. The line of one
// that is decided stays short.
func checkDetects(t *testing.T, doc readout.Run) {
	t.Helper()
	for _, v := range doc.Verdicts {
		known := v.DetectableEffect != ""
		if known != (strings.HasPrefix(v.Detects, "these blocks detect ") && strings.HasSuffix(v.Detects, " %")) || known != slices.Contains(v.Rest(), v.Detects) {
			t.Errorf("%s: %q of %q", v.Key, v.Detects, v.DetectableEffect)
		}
		if strings.Contains(v.Text, "these blocks detect") != (known && v.Undecided()) {
			t.Errorf("%s: %s", v.Key, v.Text)
		}
	}
	if first := doc.Verdicts[0]; first.Verdict == string(v1alpha1.VerdictFaster) && first.Detects == "" {
		t.Errorf("%s does not say what its blocks detect", first.Key)
	}
}

// checkStatus: the texts beside the numbers of the status are those of the readout, and the verdict begins with the first one.
func checkStatus(t *testing.T, run *v1alpha1.BenchmarkRun, doc readout.Run) {
	t.Helper()
	texts := map[string]bool{}
	for _, v := range doc.Verdicts {
		texts[v.Text] = true
	}
	for _, c := range run.Status.Comparisons {
		if !texts[c.Text] {
			t.Errorf("the status says %q, which the readout does not", c.Text)
		}
	}
	if first := doc.Verdicts[0].Text; run.Finished() && !strings.Contains(run.Status.Verdict, first) || !run.Finished() && run.Status.Verdict != "" {
		t.Errorf("status.verdict is %q, the first comparison %q", run.Status.Verdict, first)
	}
}

// checkNotification: it has the sentences of the status.
func checkNotification(t *testing.T, run *v1alpha1.BenchmarkRun, doc readout.Run) {
	t.Helper()
	got := notify.Data(run)
	if got.Verdict != run.Status.Verdict || got.Headline != run.Status.Headline {
		t.Errorf("the notification says %q, %q", got.Verdict, got.Headline)
	}
	for i, c := range got.Comparisons {
		if v := doc.Verdicts[i]; c.Text != v.Text || c.Verdict != v.Verdict || c.Ratio != v.Ratio || c.AdjustedP != v.AdjustedP {
			t.Errorf("comparison %d of the notification: %s", i, fmt.Sprint(c))
		}
	}
}
