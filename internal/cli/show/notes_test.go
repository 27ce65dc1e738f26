package show

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Whoever reads only the table sees each thing that limits a number, in its row and at its median, on a narrow terminal, too.
func TestDoubtsStandBesideTheNumber(t *testing.T) {
	sound := v1alpha1.SummaryEntry{Name: "throughput", Target: "b", Unit: "tx/s", Median: "1323.4567", Min: "1300", Max: "1340", TrialCount: 8, PlannedTrialCount: 8}
	tests := map[string]struct {
		change func(*v1alpha1.SummaryEntry)
		want   string
	}{
		"client limit": {func(e *v1alpha1.SummaryEntry) {
			e.LimitedBy = []v1alpha1.LimitCount{{By: v1alpha1.LimitClient, TrialCount: 3}}
		}, "client limit 3/8"},
		"CPU and memory": {func(e *v1alpha1.SummaryEntry) {
			e.LimitedBy = []v1alpha1.LimitCount{{By: v1alpha1.LimitCPU, TrialCount: 8}, {By: v1alpha1.LimitMemory, TrialCount: 1}}
		}, "CPU limit 8/8, memory limit 1/8"},
		"saturated":  {func(e *v1alpha1.SummaryEntry) { e.SaturatedTrialCount = 2 }, "saturated 2/8"},
		"not steady": {func(e *v1alpha1.SummaryEntry) { e.Steadiness = &v1alpha1.SteadinessCount{Steady: 6, NotSteady: 2} }, "not steady 2/8"},
		"too short":  {func(e *v1alpha1.SummaryEntry) { e.Steadiness = &v1alpha1.SteadinessCount{Steady: 1, TooShort: 7} }, "steadiness unknown 7/8"},
		"caveat":     {func(e *v1alpha1.SummaryEntry) { e.Caveat = "the quota's period decides it" }, "[1]"},
		"left out": {func(e *v1alpha1.SummaryEntry) {
			e.TrialCount = 6
			e.LeftOut = []v1alpha1.LeftOut{{Reason: v1alpha1.LeftOutDisturbed, TrialCount: 1}, {Reason: v1alpha1.LeftOutBlockDisturbed, TrialCount: 1}}
		}, "disturbed 1/8, block disturbed 1/8"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := sound
			e.Target = "a"
			tt.change(&e)
			run := &v1alpha1.BenchmarkRun{Status: v1alpha1.BenchmarkRunStatus{Summary: []v1alpha1.SummaryEntry{e, sound}}}
			text := told(t, run, readout.View{}, 0)
			if !strings.Contains(text, "  1,323 *  ") || !strings.Contains(text, "  "+tt.want+"\n") || strings.Count(text, " *  ") != 1 || !strings.Contains(text, "\n* notes:\n  ") {
				t.Errorf("want %q:\n%s", tt.want, text)
			}
			for word := range strings.SplitSeq(tt.want, ", ") {
				if word, _, _ = strings.Cut(word, " 1/8"); !strings.Contains(text, "\n  "+strings.TrimRight(word, " 0123456789/")) {
					t.Errorf("%q is not explained:\n%s", word, text)
				}
			}
			if narrow := told(t, run, readout.View{}, 44); !strings.Contains(narrow, "1,323 *") {
				t.Errorf("on a narrow terminal:\n%s", narrow)
			}
		})
	}
	if text := told(t, &v1alpha1.BenchmarkRun{Status: v1alpha1.BenchmarkRunStatus{Summary: []v1alpha1.SummaryEntry{sound}}}, readout.View{}, 0); strings.Contains(text, "*") || strings.Contains(text, "NOTES") {
		t.Errorf("a sound number has a note:\n%s", text)
	}
}

// Every reason to leave a trial out, and every limit, of the API has a word.
func TestEveryDoubtHasAWord(t *testing.T) {
	m := readout.Measurement{LeftOut: map[string]int32{}, LimitedBy: map[string]int32{}, SaturatedTrials: 1, NotSteadyTrials: 1}
	for file, kinds := range map[string]map[string]map[string]int32{
		"summary_types.go":      {"LeftOutReason": m.LeftOut},
		"trial_status_types.go": {"LimitKind": m.LimitedBy},
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "../../../api/v1alpha1/"+file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, is := n.(*ast.ValueSpec); is {
				if typ, is := spec.Type.(*ast.Ident); is && kinds[typ.Name] != nil {
					kinds[typ.Name][strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)] = 1
				}
			}
			return true
		})
	}
	if len(m.LeftOut) != 6 || len(m.LimitedBy) != 3 {
		t.Errorf("the API has %v and %v", m.LeftOut, m.LimitedBy)
	}
	if words := strings.Split(readout.NotesOf([]readout.Measurement{m}).Of[0], ", "); len(words) != len(m.LeftOut)+len(m.LimitedBy)+2 {
		t.Errorf("%q", words)
	}
}

// Findings of one kind are one line with the first of them, the worst kinds first.
func TestFindingsAreGrouped(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	found := &run.Status.Findings
	*found = append(*found, v1alpha1.Finding{Check: "steal", Severity: "Warning", Target: "a", Message: "of the server"})
	for n := range int32(12) {
		*found = append(*found, v1alpha1.Finding{Check: "steal", Severity: "Disturbed", Target: "a", Trial: new(n), Message: "the node lost time"})
	}
	*found = append(*found, v1alpha1.Finding{Check: "rows", Severity: "Invalid", Message: "of the run"})
	want := []string{"invalid rows: of the run", "12 x disturbed steal (a): such as trial 0: the node lost time", "warning steal (a): of the server"}
	heading, lines := readout.FromStatus(run).Against()
	if diff := cmp.Diff(want, lines); diff != "" || heading != "against the numbers" {
		t.Errorf("%s (-want +got):\n%s", heading, diff)
	}
	for n := range int32(6) { // the status has no room for more
		*found = append(*found, v1alpha1.Finding{Check: string(rune('a' + n)), Severity: "Warning"})
	}
	var out bytes.Buffer
	if err := Tell(&out, readout.FromStatus(run), false); err != nil || !strings.Contains(out.String(), "against the numbers, of the last 20 findings:") || !strings.Contains(out.String(), "and 1 more in the report") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
