package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// exported is the path of the bundle of a run.
func exported(t *testing.T, run *finished.Run) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), run.Object.Name+bundle.Extension)
	var out, notes bytes.Buffer
	if err := (exporting{bundle: true, output: path}).run(t.Context(), run, streams{&out, &notes}); err != nil {
		t.Fatalf("%v\n%s", err, notes.String())
	}
	if !strings.Contains(notes.String(), "\nverified\n") || !strings.Contains(flat(out.String()), " files of BenchmarkRun ns/run") {
		t.Errorf("output %q, notes %q", out.String(), notes.String())
	}
	return path
}

// Without a cluster, a bundle is verified, shown, compared and unpacked by its path.
func TestBundleInThePlaceOfARun(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	one := exported(t, finished.New(t, finished.Options{Name: "run-1", Change: func(run *v1alpha1.BenchmarkRun) {
		run.Status.Resolved = &v1alpha1.Resolved{AgentImage: "agent:1", Targets: []v1alpha1.ResolvedTarget{{Name: "a"}, {Name: "b"}}}
	}}))
	two := exported(t, finished.New(t, finished.Options{Name: "run-2", Ratio: 1.52}))
	folder := filepath.Join(t.TempDir(), "out")
	tests := map[string]struct {
		args []string
		want string
	}{
		"verify":  {[]string{"verify", one}, "of the records (25 attempts), 2 of the summary, 50 results"},
		"get":     {[]string{"get", one}, "threads=2"},
		"why":     {[]string{"why", one}, "ns/run-1: "},
		"report":  {[]string{"report", one, "-o", "-"}, "<html"},
		"rerun":   {[]string{"rerun", one}, "\nkind: BenchmarkRun\n"},
		"promote": {[]string{"baseline", "promote", one, "--reason", "release"}, "kind: BenchmarkBaseline\n"},
		"compare": {[]string{"compare", one, two}, "\nover 2 runs\n"},
		"import":  {[]string{"import", one, "-o", folder}, folder + ": "},
		"export":  {[]string{"export", one, "--bundle", "-o", one + ".2" + bundle.Extension}, " files of bundle "},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out, problems bytes.Buffer
			if code := Main(tc.args, &out, &problems); code != exit.OK || !strings.Contains(flat(out.String()), flat(tc.want)) {
				t.Errorf("exit %d, output lacks %q:\n%s%s", code, tc.want, out.String(), problems.String())
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "configmaps", "run-1-records-0000", "binaryData", contract.KeyRecords)); err != nil {
		t.Error(err)
	}
	first, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(one + ".2" + bundle.Extension); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the bundle of the bundle differs: %v", err)
	}
}

// A run that was changed is not exported, and what was there stays.
func TestExportRefuses(t *testing.T) {
	run := finished.New(t, finished.Options{})
	run.Maps["run-trial-00000-result-0"].BinaryData[contract.KeyRaw] = []byte("other")
	path := filepath.Join(t.TempDir(), "run"+bundle.Extension)
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, notes bytes.Buffer
	err := (exporting{bundle: true, output: path}).run(t.Context(), run, streams{&out, &notes})
	if !errors.Is(err, exit.ErrDiffers) || !strings.Contains(notes.String(), "not exported") {
		t.Errorf("%v\n%s", err, notes.String())
	}
	if left, err := os.ReadFile(path); err != nil || string(left) != "before" {
		t.Errorf("%q, %v", left, err)
	}
	if err := writeFile(path, func(io.Writer) error { return errors.New("half-way") }); err == nil {
		t.Error("it did not fail")
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// What is no regular file, such as /dev/stdout or a pipe, is written to, and never replaced.
func TestPipesAreWrittenTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		data, err := os.ReadFile(path)
		read <- fmt.Sprint(string(data), err)
	}()
	if err := deliver([]byte("words"), path, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "words<nil>" {
		t.Errorf("the pipe had %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
}

// A bundle whose bytes were changed exits as a run that was changed does, wherever they were; one that is not there, and one of another
// version, as what cannot be read.
func TestVerifyBundle(t *testing.T) {
	path := exported(t, finished.New(t, finished.Options{}))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		data []byte
		code int
		want string
	}{
		"changed raw output": {bytes.Replace(good, []byte("raw output of run"), []byte("RAW output of run"), 1), exit.Differs, "tampered: configmaps/run-trial-00000-result-0/binaryData/raw.tar.gz has the SHA-256 "},
		"cut":                {good[:len(good)-1024], exit.Differs, "error: bundle "},
		"a changed index":    {bytes.Replace(good, []byte(`"bytes":`), []byte(`"bytez":`), 1), exit.Differs, "error: bundle "},
		"no bundle":          {[]byte("apiVersion: v1\n"), exit.Differs, "it is no tar"},
		"another version":    {bytes.Replace(good, []byte(bundle.Version), []byte("assay.dev/bundle/v9"), 1), exit.Problem, "use the release of Assay that made the bundle"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, tc.data, 0o600); err != nil {
				t.Fatal(err)
			}
			var out, problems bytes.Buffer
			if code := Main([]string{"verify", path}, &out, &problems); code != tc.code || !strings.Contains(flat(out.String()+problems.String()), flat(tc.want)) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tc.code, tc.want, out.String(), problems.String())
			}
		})
	}
	var out, problems bytes.Buffer
	if code := Main([]string{"verify", path + ".gone"}, &out, &problems); code != exit.Problem {
		t.Errorf("one that is not there: exit %d", code)
	}
}

// A format goes to standard output or into a file, and an unknown one is refused before anything is read.
func TestExportInAFormat(t *testing.T) {
	run := finished.New(t, finished.Options{})
	t.Chdir(t.TempDir())
	tests := map[string]struct {
		exporting
		out, file, failure string
	}{
		"text":           {exporting{format: "csv"}, "namespace,run,run_uid,", "", ""},
		"text in a file": {exporting{format: "csv", output: "x.csv"}, "", "x.csv", ""},
		"unknown":        {exporting{format: "xls"}, "", "", `there is no format "xls"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out, notes bytes.Buffer
			err := tc.run(t.Context(), run, streams{&out, &notes})
			if (err == nil) != (tc.failure == "") || err != nil && !strings.Contains(err.Error(), tc.failure) {
				t.Fatalf("error %v, want %q", err, tc.failure)
			}
			if !strings.HasPrefix(out.String(), tc.out) || tc.out == "" && out.Len() > 0 {
				t.Errorf("output: %s", out.String())
			}
			if tc.file != "" {
				if info, err := os.Stat(tc.file); err != nil || info.Size() == 0 || !strings.Contains(notes.String(), tc.file+": ") {
					t.Errorf("%v, %s", err, notes.String())
				}
			}
		})
	}
}
