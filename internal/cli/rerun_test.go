package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/rerun"
	"github.com/assay-bench/assay/internal/record/stored"
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
		"within":    {append([]string{"--check", paths[3]}, paths[:3]...), exit.OK, "WITHIN bundle "},
		"outside":   {append([]string{"--check", paths[4]}, paths[:4]...), exit.Outside, "lie within what 4 runs predict: 8 of 8 measurements are outside\n"},
		"too few":   {append([]string{"--check", paths[3]}, paths[:2]...), exit.Problem, "error: not estimable: what another run gives is predicted from at least 3 runs of the experiment, and there are 2"},
		"twice":     {append([]string{"--check", paths[2]}, paths[:3]...), exit.Problem, "stands there twice: a run does not predict itself"},
		"no check":  {paths[:2], exit.Problem, "several are for --check"},
		"two flags": {[]string{paths[0], "--check", paths[1], "--name", "x"}, exit.Problem, "give only one of --check and --name"},
		"a file":    {append([]string{"--check", paths[3], "-o", "x"}, paths[:3]...), exit.Problem, "-o x: with --check it is a format: use table, json or yaml"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out, problems bytes.Buffer
			if code := Main(append([]string{"rerun"}, tc.args...), &out, &problems); code != tc.code || !strings.Contains(flat(out.String()+problems.String()), flat(tc.want)) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tc.code, tc.want, out.String(), problems.String())
			}
		})
	}
}

// The last line is not better than what is above it: what was not compared, and runs that nobody relies on, stand in it.
func TestTheVerdictOfACheck(t *testing.T) {
	run := finished.New(t, finished.Options{})
	in, out := rerun.Prediction{Within: true, Low: 80, High: 125, Reach: 7.2}, rerun.Prediction{Low: 1, High: 2}
	tests := map[string]struct {
		report  rerun.Report
		around  apart
		caveats []string
		want    string
	}{
		"within":                  {rerun.Report{Predictions: []rerun.Prediction{in}}, apart{}, nil, "BenchmarkRun ns/run lies within what 3 runs predict: the intervals reach 25 % to either side, 7.2 standard deviations of runs, and with so few runs that shows little"},
		"within, and not all":     {rerun.Report{Predictions: []rerun.Prediction{in}, Missing: []string{"x", "y"}}, apart{}, nil, "what is compared of BenchmarkRun ns/run lies within what 3 runs predict: 1 measurements, and 2 not compared: the intervals reach 25 % to either side, 7.2 standard deviations of runs, and with so few runs that shows little"},
		"outside, and not all":    {rerun.Report{Predictions: []rerun.Prediction{in, out}, Missing: []string{"x"}}, apart{}, nil, "BenchmarkRun ns/run does not lie within what 3 runs predict: 1 of 2 measurements are outside, and 1 not compared"},
		"of a run that is failed": {rerun.Report{Predictions: []rerun.Prediction{in}}, apart{}, []string{"run x has failed"}, "not every run can be relied on (see the caveats): BenchmarkRun ns/run lies within what 3 runs predict: the intervals reach 25 % to either side, 7.2 standard deviations of runs, and with so few runs that shows little"},
		"of other servers": {rerun.Report{Predictions: []rerun.Prediction{in}}, apart{differ: []string{"run y against x, a: server/version differs"}}, nil,
			"not all runs had the same servers and clients (see between the runs): BenchmarkRun ns/run lies within what 3 runs predict: the intervals reach 25 % to either side, 7.2 standard deviations of runs, and with so few runs that shows little"},
		"of many runs": {rerun.Report{Predictions: []rerun.Prediction{{Within: true, Low: 80, High: 125, Reach: 2.4}, {Within: true, Low: 98.01, High: 100, Reach: 2.4}}}, apart{}, nil,
			"BenchmarkRun ns/run lies within what 3 runs predict: the intervals reach 1 % to 25 % to either side, 2.4 standard deviations of runs"},
		"not known": {rerun.Report{Predictions: []rerun.Prediction{in}}, apart{unknown: []string{"y against x, a: not known of both runs: cpu"}}, nil, "BenchmarkRun ns/run lies within what 3 runs predict: the intervals reach 25 % to either side, 7.2 standard deviations of runs, and with so few runs that shows little"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			doc := checkOf([]stored.Source{run, run, run, run}, tc.report, tc.around, tc.caveats)
			word := "WITHIN "
			if !tc.report.Within() {
				word = "OUTSIDE "
			}
			err := tellCheck(&text, doc)
			if first, _, _ := strings.Cut(text.String(), "\n\n"); err != nil || strings.Join(strings.Fields(first), " ") != word+tc.want || doc.Verdict != tc.want {
				t.Errorf("%v\n%s\nwant %s", err, text.String(), tc.want)
			}
		})
	}
}

// A repetition on another server says so before its verdict, as text and as a document, and so do earlier runs on several. It
// decides nothing. A run by version, and its repetition by digest, are no different servers.
func TestRerunCheckOfOtherServers(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	image := "docker.io/library/mysql@sha256:" + contract.Digest([]byte("server"))
	resolved := func(run *v1alpha1.BenchmarkRun, image string) {
		run.Status.Resolved = &v1alpha1.Resolved{AgentImage: "agent:1", Targets: []v1alpha1.ResolvedTarget{{Name: "a", Image: image}, {Name: "b", Image: image}}}
	}
	named := func(run *v1alpha1.BenchmarkRun) { resolved(run, "docker.io/library/mysql:9.7") }
	pinned := func(run *v1alpha1.BenchmarkRun) {
		for i := range run.Spec.Targets[:2] {
			run.Spec.Targets[i].MySQL.PinImage(image)
		}
		resolved(run, image)
	}
	other := func(run *v1alpha1.BenchmarkRun) {
		named(run)
		run.Spec.Targets[0].MySQL.Config = map[string]string{"sync_binlog": "0"}
	}
	for name, tc := range map[string]struct {
		first, checked func(*v1alpha1.BenchmarkRun)
		want           []string
	}{
		"the same":                 {named, named, nil},
		"its repetition":           {named, pinned, nil},
		"another setting":          {named, other, []string{"spec.targets[a].mysql.config.sync_binlog (run-0: absent, run-3: 0)", "(run-2: absent, run-3: 0)"}},
		"an earlier run with that": {other, named, []string{"spec.targets[a].mysql.config.sync_binlog (run-0: 0, run-3: absent)"}},
	} {
		t.Run(name, func(t *testing.T) {
			changes := []func(*v1alpha1.BenchmarkRun){tc.first, named, named, tc.checked}
			var paths []string
			for i, level := range []float64{0.99, 1, 1.01, 1.005} {
				paths = append(paths, exported(t, finished.New(t, finished.Options{Name: fmt.Sprintf("run-%d", i), Level: level, Change: changes[i]})))
			}
			for _, format := range []string{"table", "json"} {
				var out, problems bytes.Buffer
				if code := Main(append([]string{"rerun", "-o", format, "--check", paths[3]}, paths[:3]...), &out, &problems); code != exit.OK {
					t.Fatalf("exit %d: %s", code, problems.String())
				}
				const says = "not all runs had the same servers and clients (see between the runs): "
				text := strings.Join(strings.Fields(out.String()), " ") // as if nothing was wrapped
				verdict := strings.Index(text, says)
				if differs := len(tc.want) > 0; verdict >= 0 != differs || strings.Contains(out.String(), "spec.targets") != differs {
					t.Errorf("%s, want %q:\n%s", format, tc.want, out.String())
				}
				for _, want := range tc.want {
					if !strings.Contains(text, want) {
						t.Errorf("%s: %q is not there:\n%s", format, want, out.String())
					}
				}
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
