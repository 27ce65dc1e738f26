package ycsb

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestParseGivesTheGoldenReport(t *testing.T) {
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			got := parse(f.trial(t), f.phase, f.output(t, name))
			if reason := reasonOf(got); reason != f.want {
				t.Errorf("reason = %q, want %q; failure: %+v", reason, f.want, got.Failure)
			}
			golden := filepath.Join("testdata", name+".golden.txt")
			if *update {
				if err := os.WriteFile(golden, render(t, got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(render(t, got)), "\n")); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func reasonOf(r runner.Report) contract.Reason {
	if r.Failure == nil {
		return ""
	}
	return r.Failure.Reason
}

func TestEveryFixtureIsInTheTable(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.std*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		if fixtures[name].phase == "" {
			t.Errorf("%s has no entry in the table of fixtures", name)
		}
	}
}

// An output whose report was cut anywhere proves nothing.
func TestParseOfACutReportFails(t *testing.T) {
	for name, f := range fixtures {
		whole := f.output(t, name)
		if f.want != "" || whole.Files["report.json"] != nil || f.phase == contract.PhaseCleanup {
			continue
		}
		t.Run(name, func(t *testing.T) {
			begin := bytes.Index(whole.Stdout, []byte("[OVERALL]"))
			for i := begin; i < len(whole.Stdout); i++ {
				cut := runner.Output{Stdout: whole.Stdout[:i]} // without the logs, which would tell as well
				if i%41 != 0 && whole.Stdout[i-1] != '\n' {
					continue // every end of a line, and some places within
				}
				if got := parse(f.trial(t), f.phase, cut); got.Failure == nil || got.Failure.Reason != contract.ReasonOutputTruncated {
					t.Fatalf("cut after %d of %d bytes: failure = %+v, want OutputTruncated", i, len(whole.Stdout), got.Failure)
				}
			}
		})
	}
}

// Our main class has the last word: without it the process was killed.
func TestParseWithoutTheLastWordFails(t *testing.T) {
	for name, f := range fixtures {
		if f.want != "" || !strings.HasPrefix(name, "own-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := f.output(t, name)
			before, found := bytes.CutSuffix(o.Stderr, []byte("[ASSAY], COMPLETE\n"))
			if !found {
				t.Fatalf("the last line is another: %s", o.Stderr)
			}
			o.Stderr = before
			if got := parse(f.trial(t), f.phase, o); got.Failure == nil {
				t.Error("it is a success")
			}
		})
	}
}

func TestParseOfACutExportFails(t *testing.T) {
	for name, f := range fixtures {
		whole := f.output(t, name)
		export := whole.Files["report.json"]
		if f.want != "" || export == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for i := 0; i < len(bytes.TrimSpace(export)); i += 23 {
				cut := runner.Output{Files: map[string][]byte{"report.json": export[:i]}}
				if got := parse(f.trial(t), f.phase, cut); got.Failure == nil || got.Failure.Reason != contract.ReasonOutputTruncated {
					t.Fatalf("cut after %d of %d bytes: failure = %+v, want OutputTruncated", i, len(export), got.Failure)
				}
			}
		})
	}
}
