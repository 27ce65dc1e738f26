package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// The page of a run that has ended has what the run has stored, to a file or to standard output, and the same each time.
func TestReport(t *testing.T) {
	run := finished.New(t, finished.Options{Blocks: 12})
	t.Chdir(t.TempDir())
	var out, page bytes.Buffer
	if err := (reporting{format: formatHTML}).write(t.Context(), run, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "run.html: BenchmarkRun ns/run\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	written, err := os.ReadFile("run.html")
	if err != nil {
		t.Fatal(err)
	}
	if err := (reporting{"-", formatHTML}).write(t.Context(), run, &page); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, page.Bytes()) {
		t.Error("the file and standard output differ")
	}
	for _, want := range []string{
		"<!doctype html>", "<strong>FASTER</strong> 1.50", "b against a, throughput, threads=2", "trial 0, block 0: ", "Latency spectrum", "left out: disturbed",
		"kubectl assay verify run --namespace ns", "Quoted numbers",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A result that is gone ends the command: a page would show fewer trials than there were.
func TestReportOfARunWithoutAResult(t *testing.T) {
	run := finished.New(t, finished.Options{})
	for name := range run.Maps {
		if strings.HasPrefix(name, contract.TrialName("run", 0, 0)+"-result") {
			delete(run.Maps, name)
		}
	}
	file := filepath.Join(t.TempDir(), "page.html")
	err := reporting{file, formatHTML}.write(t.Context(), run, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "run-trial-00000-result-0 is gone") {
		t.Errorf("got %v, want the ConfigMap that is gone", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
}

// The name of a run in a bundle never decides which folder a file is in.
func TestReportOfARunWithAPathForAName(t *testing.T) {
	run := finished.New(t, finished.Options{})
	t.Chdir(t.TempDir())
	run.Object.Name = "../run"
	if err := (reporting{format: formatHTML}).write(t.Context(), run, &bytes.Buffer{}); err == nil {
		t.Error("it was written")
	}
	if _, err := os.Stat("../run.html"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written outside of the folder: %v", err)
	}
}

func TestReportInOtherFormats(t *testing.T) {
	run := finished.New(t, finished.Options{})
	t.Chdir(t.TempDir())
	if err := (reporting{format: formatMarkdown}).write(t.Context(), run, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile("run.md"); err != nil || !strings.Contains(string(text), "| --- |") {
		t.Errorf("got %q, want tables: %v", text, err)
	}
	if err := (reporting{format: "pdf"}).write(t.Context(), run, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "use html or markdown") {
		t.Errorf("got %v for a format that there is not", err)
	}
}
