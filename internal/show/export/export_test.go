package export_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/export"
	"github.com/assay-bench/assay/test/helpers/finished"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t testing.TB, o finished.Options) *stored.Run {
	t.Helper()
	run, err := stored.Read(t.Context(), finished.New(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func write(t testing.TB, format string, run *stored.Run) []byte {
	t.Helper()
	f, err := export.Find(format)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(t.Context(), &out, run); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The whole file in each format. The readers of these formats read the same files: hack/export-readers.
func TestFormats(t *testing.T) {
	run := read(t, finished.Options{})
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			got := write(t, f.Name, run)
			if !bytes.Equal(got, write(t, f.Name, run)) {
				t.Fatal("the second file differs from the first one")
			}
			path := filepath.Join("testdata", f.Name+".golden")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil { //nolint:gosec // it is committed
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := export.Find("xls"); err == nil || !strings.Contains(err.Error(), "use one of csv, markdown, ") {
		t.Error(err)
	}
}

// Every attempt is in the long table, and each that does not count says why.
func TestEveryAttemptIsInTheLongTable(t *testing.T) {
	run := read(t, finished.Options{})
	rows, err := csv.NewReader(bytes.NewReader(write(t, "csv", run))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(export.Columns(), rows[0]); diff != "" {
		t.Fatal(diff)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	attempts, reasons := map[string]bool{}, map[string]int{}
	for _, row := range rows[1:] {
		attempts[row[column["trial"]]+"/"+row[column["attempt"]]] = true
		why := row[column["left_out"]]
		if (why == "") != (row[column["counted"]] == "true") {
			t.Errorf("counted and left_out disagree: %v", row)
		}
		if (row[column["measurement"]] == "") != (row[column["value"]] == "") {
			t.Errorf("a measurement without a value: %v", row)
		}
		reasons[why]++
	}
	want := map[string]int{"": 3 * 22, "Superseded": 1, "Disturbed": 3, "BlockDisturbed": 3}
	if diff := cmp.Diff(want, reasons); diff != "" || len(attempts) != 25 {
		t.Errorf("%d attempts, rows by reason (-want +got):\n%s", len(attempts), diff)
	}
}

// A text of a tool is no formula to a spreadsheet, and a number stays one.
func TestNoFormulaIsInTheLongTable(t *testing.T) {
	run := read(t, finished.Options{})
	for i := range run.Records {
		rec := &run.Records[i]
		for j := range rec.Values {
			rec.Values[j].Name, rec.Values[j].Unit, rec.Values[j].Value = "=cmd|' /C calc'!A0", "@SUM(A1)", -1.5
		}
		rec.Reason = "+1"
	}
	text := string(write(t, "csv", run))
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatal(err)
	}
	numbers := 0
	for _, row := range rows {
		for _, cell := range row {
			if cell == "-1.5" {
				numbers++
			} else if cell != "" && strings.Contains("=+-@", cell[:1]) {
				t.Fatalf("%q", cell)
			}
		}
	}
	if numbers == 0 || !strings.Contains(text, "'=cmd|") || !strings.Contains(text, "'@SUM") || !strings.Contains(text, "'+1") {
		t.Errorf("%d numbers in\n%.1000s", numbers, text)
	}
}

// A quoted number is written as every other one, and not with all digits of a calculation.
func TestQuotedNumbersAreFigures(t *testing.T) {
	run := read(t, finished.Options{})
	for _, p := range run.Quoted[0].Phases {
		for i := range p.Measurements {
			p.Measurements[i].Value = new(23437.811283431107)
		}
	}
	if got := string(write(t, "markdown", run)); !strings.Contains(got, "| 23,438 | tx/s |") {
		t.Error(got)
	}
}

// A run without anything gives a file that says so, in every format.
func TestARunWithoutResults(t *testing.T) {
	made := finished.New(t, finished.Options{})
	st := &made.Object.Status
	st.Plan, st.Results, st.Summary, st.Comparisons, st.Sweeps, st.Headline, st.Verdict = nil, nil, nil, nil, nil, "", ""
	run, err := stored.Read(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range export.Formats() {
		if f.Name == "benchstat" {
			continue // nothing is a file of that format
		}
		if got := write(t, f.Name, run); len(got) == 0 || bytes.Contains(got, []byte("NaN")) {
			t.Errorf("%s: %q", f.Name, got)
		}
	}
}

// hostile names and texts, as a tenant may choose them.
func hostile(run *v1alpha1.BenchmarkRun) {
	run.Spec.Targets[0].Name = "a"
	run.Status.Findings = []v1alpha1.Finding{{Check: "x|y", Severity: "Warning", Message: "<script>alert(1)</script> | `x`\n# heading @someone [a](http://b) \x1b[2J"}}
}

func TestMarkdownIsText(t *testing.T) {
	got := string(write(t, "markdown", read(t, finished.Options{Change: hostile})))
	for _, bad := range []string{"<script", "\n# heading", "\x1b", " @someone", "[a](http", " | \\`x"} {
		if strings.Contains(got, bad) {
			t.Errorf("it has %q:\n%s", bad, got)
		}
	}
	if !strings.Contains(got, "&lt;script&gt;alert(1)&lt;/script&gt; \\| \\`x\\` \\# heading &#64;someone") {
		t.Errorf("the finding is not shown as it is:\n%s", got)
	}
}

// The documentation has every format and every column.
func TestFormatsAndColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	names := export.Columns()
	for _, f := range export.Formats() {
		names = append(names, f.Name)
	}
	for _, name := range names {
		if !bytes.Contains(text, []byte("`"+name+"`")) {
			t.Errorf("docs/reference/exports.md lacks %s", name)
		}
	}
}
