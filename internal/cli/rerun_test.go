package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/rerun"
	"github.com/assay-bench/assay/internal/stored"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// Bundles predict another one; from fewer than three it is not estimable, and a run does not predict itself.
func TestRerunCheck(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var paths []string
	for i, level := range []float64{0.99, 1, 1.01, 1.005, 2} {
		paths = append(paths, exported(t, finished.New(t, finished.Options{Name: fmt.Sprintf("run-%d", i), Level: level})))
	}
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"within":    {append([]string{"--check", paths[3]}, paths[:3]...), exit.OK, "of BenchmarkRun ns/run-3 lies within what 3 runs predict\n"},
		"outside":   {append([]string{"--check", paths[4]}, paths[:4]...), exit.Outside, "does not lie within what 4 runs predict: 8 of 8 measurements are outside\n"},
		"too few":   {append([]string{"--check", paths[3]}, paths[:2]...), exit.Problem, "error: not estimable: what another run gives is predicted from at least 3 runs of the experiment, and there are 2"},
		"twice":     {append([]string{"--check", paths[2]}, paths[:3]...), exit.Problem, "stands there twice: a run does not predict itself"},
		"no check":  {paths[:2], exit.Problem, "several are for --check"},
		"two flags": {[]string{paths[0], "--check", paths[1], "--name", "x"}, exit.Problem, "none of the others can be"},
		"a file":    {append([]string{"--check", paths[3], "-o", "x"}, paths[:3]...), exit.Problem, "-o x: with --check it is a format: use table, json or yaml"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out, problems bytes.Buffer
			if code := Main(append([]string{"rerun"}, tc.args...), &out, &problems); code != tc.code || !strings.Contains(out.String()+problems.String(), tc.want) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tc.code, tc.want, out.String(), problems.String())
			}
		})
	}
}

// The last line is not better than what is above it: what was not compared, and runs that nobody relies on, stand in it.
func TestTheVerdictOfACheck(t *testing.T) {
	run := finished.New(t, finished.Options{})
	in, out := rerun.Prediction{Within: true}, rerun.Prediction{}
	tests := map[string]struct {
		report  rerun.Report
		caveats []string
		want    string
	}{
		"within":                  {rerun.Report{Predictions: []rerun.Prediction{in}}, nil, "BenchmarkRun ns/run lies within what 3 runs predict"},
		"within, and not all":     {rerun.Report{Predictions: []rerun.Prediction{in}, Missing: []string{"x", "y"}}, nil, "what is compared of BenchmarkRun ns/run lies within what 3 runs predict: 1 measurements, and 2 not compared"},
		"outside, and not all":    {rerun.Report{Predictions: []rerun.Prediction{in, out}, Missing: []string{"x"}}, nil, "BenchmarkRun ns/run does not lie within what 3 runs predict: 1 of 2 measurements are outside, and 1 not compared"},
		"of a run that is failed": {rerun.Report{Predictions: []rerun.Prediction{in}}, []string{"run x has failed"}, "not every run can be relied on (see the caveats): BenchmarkRun ns/run lies within what 3 runs predict"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			doc := checkOf([]stored.Source{run, run, run, run}, tc.report, tc.caveats)
			if err := tellCheck(&text, doc); err != nil || !strings.HasSuffix(text.String(), "\n"+tc.want+"\n") || doc.Verdict != tc.want {
				t.Errorf("%v\n%s\nwant %s", err, text.String(), tc.want)
			}
		})
	}
}

// The manifest is all that is on standard output.
func TestRerunWritesAManifest(t *testing.T) {
	run := finished.New(t, finished.Options{})
	run.Object.Status.Resolved = &v1alpha1.Resolved{AgentImage: "agent:1", Targets: []v1alpha1.ResolvedTarget{{Name: "a"}, {Name: "b"}}}
	var out, notes bytes.Buffer
	if err := (rerunning{}).write(t.Context(), run, streams{&out, &notes}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\nkind: BenchmarkRun\nmetadata:\n  name: run-rerun\n  namespace: ns\nspec:\n") || strings.Contains(out.String(), "status:") || !strings.Contains(notes.String(), "verified") {
		t.Errorf("%s\n%s", out.String(), notes.String())
	}
	run.Maps["run-trial-00000-result-0"].BinaryData = nil
	out.Reset()
	if err := (rerunning{}).write(t.Context(), run, streams{&out, &notes}); err == nil || out.Len() > 0 {
		t.Errorf("a run that was changed is repeated: %v", err)
	}
}
