package show

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/output"
)

// with conditions, such as Complete=True.
func with(gate bool, conditions ...string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{}
	if gate {
		run.Spec.Gate = &v1alpha1.Gate{Baseline: "release"}
	}
	for _, c := range conditions {
		name, status, _ := strings.Cut(c, "=")
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: name, Status: metav1.ConditionStatus(status), Reason: "R", Message: "of " + name})
	}
	return run
}

// Every end of a run has its exit code, and what is worse comes first.
func TestOutcomes(t *testing.T) {
	tests := map[string]struct {
		run  *v1alpha1.BenchmarkRun
		want Outcome
	}{
		"nobody has seen it":       {with(false), Outcome{exit.OK, "Running", "waiting for the manager to take it up"}},
		"waits":                    {with(false, "Accepted=True", "Placed=False"), Outcome{exit.OK, "Running", "R: of Placed"}},
		"is summarised":            {with(false, "Accepted=True", "Placed=True", "TargetsReady=True", "DataLoaded=True", "Measured=True"), Outcome{exit.OK, "Running", "all trials have ended; the results are summarised"}},
		"complete":                 {with(false, "Complete=True", "Valid=True"), Outcome{exit.OK, "Valid", "R: of Complete"}},
		"failed":                   {with(false, "Failed=True", "Valid=Unknown"), Outcome{exit.Failed, "Failed", "R: of Failed"}},
		"failed behind a gate":     {with(true, "Failed=True", "Valid=False", "Passed=False"), Outcome{exit.Failed, "Failed", "R: of Failed"}},
		"not valid":                {with(false, "Complete=True", "Valid=False"), Outcome{exit.Invalid, "Invalid", "R: of Valid"}},
		"nothing says it is valid": {with(false, "Complete=True"), Outcome{exit.Invalid, "Invalid", "NotReached: "}},
		"not valid behind a gate":  {with(true, "Complete=True", "Valid=False", "Passed=False"), Outcome{exit.Invalid, "Invalid", "R: of Valid"}},
		"passed":                   {with(true, "Complete=True", "Valid=True", "Passed=True"), Outcome{exit.OK, "Passed", "R: of Passed"}},
		"the gate failed":          {with(true, "Complete=True", "Valid=True", "Passed=False"), Outcome{exit.Gate, "GateFailed", "R: of Passed"}},
		"the gate cannot decide":   {with(true, "Complete=True", "Valid=True", "Passed=Unknown"), Outcome{exit.Inconclusive, "Inconclusive", "R: of Passed"}},
		"the gate says nothing":    {with(true, "Complete=True", "Valid=True"), Outcome{exit.Inconclusive, "Inconclusive", "NotReached: "}},
	}
	for name, tt := range tests {
		if got := OutcomeOf(tt.run); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// The list has a line for each run, what is worth knowing of it, and never more than the terminal is wide.
func TestList(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ends := now.Add(90 * time.Minute)
	doc := output.Runs{Runs: []output.RunHead{
		{Name: "demo", Phase: "Complete", Outcome: "Passed", Trials: output.Trials{Planned: 16, Done: 16}, Created: now.Add(-2 * time.Hour), Headline: "a 1 | b 2 tx/s", Verdict: "b 1.5x a"},
		{Name: "long", Phase: "Measuring", Outcome: "Running", Message: "a threads=8 block 3", Trials: output.Trials{Planned: 600, Done: 12}, Created: now.Add(-time.Minute), Ends: &ends},
		{Name: "new", Outcome: "Running", Message: "waiting for the manager to take it up", Created: now},
	}}
	in := listed{namespace: "ns"}
	var wide, narrow bytes.Buffer
	if err := in.tell(&wide, doc, now, 0); err != nil {
		t.Fatal(err)
	}
	want := `NAME  PHASE      TRIALS  OUTCOME  AGE   ENDS       VERDICT
demo  Complete   16/16   Passed   120m  -          b 1.5x a
long  Measuring  12/600  Running  60s   in 90m     a threads=8 block 3
new   -          0/0     Running  0s    -          waiting for the manager to take it up
`
	if got := wide.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if err := in.tell(&narrow, doc, now, 50); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(narrow.String()) {
		if len([]rune(line)) > 51 {
			t.Errorf("a line of %d characters on 50: %q", len([]rune(line)), line)
		}
	}
	var none, all bytes.Buffer
	if err := in.tell(&none, output.Runs{}, now, 0); err != nil || !strings.Contains(none.String(), "no runs in namespace ns: ") || !strings.Contains(none.String(), "-A lists the runs of all") {
		t.Errorf("%v: %q", err, none.String())
	}
	doc.Runs[0].Namespace, doc.Runs[1].Namespace = "a", "b"
	if err := (listed{}).tell(&all, doc, now, 0); err != nil || !strings.HasPrefix(all.String(), "NAMESPACE  NAME") || !strings.Contains(all.String(), "\nb          long") {
		t.Errorf("%v: %s", err, all.String())
	}
}
