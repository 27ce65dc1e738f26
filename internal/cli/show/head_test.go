package show

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/test/helpers/screen"
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

// The list has a line for each run, what is worth knowing of it, and never more than the terminal is wide.
func TestList(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ends := now.Add(90 * time.Minute)
	doc := readout.Runs{Runs: []readout.RunHead{
		{Name: "demo", Phase: "Complete", Outcome: "GatePassed", Kind: readout.Passed, Trials: readout.Trials{Planned: 16, Done: 16}, Created: now.Add(-2 * time.Hour), Headline: "a 1 | b 2 tx/s", Verdict: "b 1.5x a"},
		{Name: "long", Phase: "Measuring", Outcome: "Running", Kind: readout.Going, Message: "a threads=8 block 3", Trials: readout.Trials{Planned: 600, Done: 12}, Created: now.Add(-time.Minute), Ends: &ends},
		{Name: "new", Outcome: "Pending", Kind: readout.Going, Message: "waiting for the manager to take it up", Created: now},
	}}
	in := listed{namespace: "ns"}
	wide, narrow := screen.New(t, 0), screen.New(t, 50)
	if err := in.tell(output.NewPage(wide), doc, now); err != nil {
		t.Fatal(err)
	}
	want := `NAME  PHASE      TRIALS  OUTCOME     AGE   ENDS    SHOWS
demo  Complete   16/16   GatePassed  120m  -       b 1.5x a
long  Measuring  12/600  Running     60s   in 1 h 30 min  a threads=8 block 3
new   -          0/0     Pending     0s    -       waiting for the manager to take it up
`
	if got := wide.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if err := in.tell(output.NewPage(narrow), doc, now); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(narrow.String()) {
		if len([]rune(line)) > 51 {
			t.Errorf("a line of %d characters on 50: %q", len([]rune(line)), line)
		}
	}
	none, all := screen.New(t, 0), screen.New(t, 0)
	if err := in.tell(output.NewPage(none), readout.Runs{}, now); err != nil || !strings.Contains(none.String(), "no runs in namespace ns: ") || !strings.Contains(none.String(), "-A lists the runs of all") {
		t.Errorf("%v: %q", err, none.String())
	}
	doc.Runs[0].Namespace, doc.Runs[1].Namespace = "a", "b"
	if err := (listed{}).tell(output.NewPage(all), doc, now); err != nil || !strings.HasPrefix(all.String(), "NAMESPACE  NAME") || !strings.Contains(all.String(), "\nb          long") {
		t.Errorf("%v: %s", err, all.String())
	}
}
