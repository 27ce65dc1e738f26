// Package traps is the table of the errors that were found in published benchmarks, and of those
// that reviews found in Assay: what catches each of them. docs/evidence/traps.md is derived from it.
package traps

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write docs/evidence/traps.md")

const document = "../../../docs/evidence/traps.md"

// trap is an error that makes a published number mean something else than its reader thinks.
type trap struct {
	// source is the number of the trap in the list of its experiment, such as S0.8.
	source string
	// text says what is wrong, in a sentence.
	text string
	// by says what catches it.
	by catcher
}

// catcher is a check of results, with a result that it catches, or a test of something else that makes the error
// impossible.
type catcher struct {
	check    string
	severity validity.Severity
	find     func(t *testing.T) []validity.Finding
	// test is folder and name of a test, and what it shows.
	folder, test, shows string
	// more are tests that it takes besides.
	more []catcher
}

// check expects a finding of what is found in a result.
func check(name string, severity validity.Severity, find func(t *testing.T) []validity.Finding) catcher {
	return catcher{check: name, severity: severity, find: find}
}

// held says that a test elsewhere shows that the error cannot be made, or is seen.
func held(folder, test, shows string) catcher {
	return catcher{folder: folder, test: test, shows: shows}
}

// and that another test shows the rest.
func (c catcher) and(folder, test, shows string) catcher {
	c.more = append(c.more, held(folder, test, shows))
	return c
}

// of finds what is wrong with a real run of sysbench (10 s, 4 threads, oltp_read_write on MySQL
// 9.7) that was changed.
func of(changes ...func(*contract.Result, *runner.Expectations)) func(t *testing.T) []validity.Finding {
	return func(t *testing.T) []validity.Finding {
		r, f := realRun(t), soundExpectations
		for _, change := range changes {
			change(&r, &f)
		}
		return validity.Check(r, f)
	}
}

var soundExpectations = runner.Expectations{DurationSeconds: 10, Threads: 4, QueriesPerOperation: 20, ReportIntervalSeconds: 1, QuantileError: 0.0182}

func realRun(t *testing.T) contract.Result {
	t.Helper()
	data, err := os.ReadFile("../../../internal/ground/contract/testdata/run.json")
	if err != nil {
		t.Fatal(err)
	}
	var r contract.Result
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func value(name string, v float64) func(*contract.Result, *runner.Expectations) {
	return measurement(name, func(m *contract.Measurement) { m.Value = &v })
}

func measurement(name string, change func(*contract.Measurement)) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		for i := range r.Measurements {
			if r.Measurements[i].Name == name {
				change(&r.Measurements[i])
				return
			}
		}
		panic("no measurement " + name)
	}
}

// The real run itself has no finding that takes it out: a check that always speaks catches nothing.
func TestTheSoundRunIsSound(t *testing.T) {
	for _, f := range of()(t) {
		if f.Severity == validity.Invalid || f.Severity == validity.Disturbed {
			t.Errorf("%s: %s: %s", f.Severity, f.Check, f.Message)
		}
	}
}

func TestTraps(t *testing.T) {
	for _, tt := range traps {
		t.Run(tt.source, func(t *testing.T) {
			if tt.by.check == "" {
				for _, by := range append([]catcher{tt.by}, tt.by.more...) {
					if !tests(t, by.folder)[by.test] {
						t.Errorf("%s has no test %s", by.folder, by.test)
					}
				}
				return
			}
			found := tt.by.find(t)
			if !slices.ContainsFunc(found, func(f validity.Finding) bool { return f.Check == tt.by.check && f.Severity == tt.by.severity }) {
				t.Errorf("%s: %s is not said (%s): %+v", tt.text, tt.by.check, tt.by.severity, found)
			}
		})
	}
}

// tests are the names of the Go tests of a folder.
func tests(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := fs.Glob(os.DirFS("../../../"+folder), "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../../..", folder, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}

func TestDocumentIsThatOfTheTable(t *testing.T) {
	want := page()
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/evidence/traps.md is not that of the table: go test ./test/unit/traps -update")
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(`# Traps

<!-- Derived from test/unit/traps/traps_test.go by ` + "`go test ./test/unit/traps -update`" + `. Do not edit. -->

These are errors that were found in published benchmarks, and errors that reviews found in Assay itself, with what catches
each. The sources:

- S0: a performance report of batch schemes in .NET
- S1: a comparison of storage engines by YCSB
- S2: the baseline of a Python driver
- S3: a comparison of Node.js drivers
- S4: a sweep of sysbench over threads by a cloud vendor
- R: a review of Assay

A check in ` + "`code`" + ` is one of [the checks](../reference/checks.md). The test of this page feeds it a result with the error.

| | error | caught by |
| --- | --- | --- |
`)
	for _, tt := range traps {
		by := fmt.Sprintf("%s (`%s` in %s)", tt.by.shows, tt.by.test, tt.by.folder)
		for _, more := range tt.by.more {
			by += fmt.Sprintf("; %s (`%s` in %s)", more.shows, more.test, more.folder)
		}
		if tt.by.check != "" {
			by = fmt.Sprintf("`%s` (%s)", tt.by.check, tt.by.severity)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", tt.source, tt.text, by)
	}
	return b.String()
}
