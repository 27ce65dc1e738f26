package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/tree"
)

// sourceOf parses files: path, then text.
func sourceOf(t *testing.T, files map[string]string) *source {
	t.Helper()
	root := tree.Of(t, files)
	s, err := parseSource(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const findingType = "package validity\ntype Finding struct { Check string; Severity string }\nconst Saturated = \"saturated\"\n"

func TestCheckNames(t *testing.T) {
	tests := map[string]struct {
		file string
		want string
		err  string
	}{
		"a field by name":                  {file: `var f = Finding{Severity: "Note", Check: "a"}`, want: "a"},
		"a field by position":              {file: `var f = Finding{"a", "Note"}`, want: "a"},
		"a pointer":                        {file: `var f = &Finding{Check: "a"}`, want: "a"},
		"elements without their type":      {file: `var f = []Finding{{"a", "Note"}, {Check: "b"}}`, want: "a b"},
		"values of a map":                  {file: `var f = map[string]Finding{"x": {Check: "a"}}`, want: "a"},
		"on several lines":                 {file: "var f = Finding{\n\tCheck:\n\t\"a\",\n}", want: "a"},
		"a constant":                       {file: "const c = \"a\"\nvar f = Finding{Check: c}", want: "a"},
		"a variable of the function":       {file: `func x(b bool) Finding { c := "a"; if b { c = "b" }; return Finding{Check: c} }`, want: "a b"},
		"the rows of a table":              {file: `type check struct { name string; say func() string }; var checks = []check{{"a", nil}, {name: "b"}}; type other struct{ name string }; var others = []other{{"no"}}; func x() (f Finding) { for _, c := range checks { f = Finding{Check: c.name} }; return }`, want: "a b"},
		"a parameter":                      {file: `func x(c string) Finding { return Finding{Check: c} }; var f, g = x("a"), x("b")`, want: "a b"},
		"a parameter of a parameter":       {file: `func x(s int, c string) Finding { return Finding{Check: c} }; func y(c string) Finding { return x(1, c) }; var f = y("a")`, want: "a"},
		"a parameter of a local function":  {file: `func x() { say := func(c string) Finding { return Finding{Check: c} }; say("a") }; func y(say func(string)) { say("no") }`, want: "a"},
		"a method":                         {file: `type t struct{}; func (t) x(c string) Finding { return Finding{Check: c} }; func y(v t) { v.x("a") }`, want: "a"},
		"a copy has the name of the first": {file: `func x(f Finding) Finding { return Finding{Check: f.Check} }; var f = Finding{Check: "a"}`, want: "a"},
		"nothing":                          {file: `var f = Finding{}`},
		"a name that is computed":          {file: `func y() string { return "a" }; var f = Finding{Check: y()}`, err: "cannot be read off"},
		"names that are put together":      {file: `var s string; var f = Finding{Check: "a-" + s}`, err: "cannot be read off"},
		"a parameter that nobody gives":    {file: `func x(c string) Finding { return Finding{Check: c} }`, err: "cannot be read off"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, map[string]string{"go.mod": "module m\n", "internal/trial/validity/f.go": findingType, "internal/trial/validity/x.go": "package validity\n" + tt.file + "\n"})
			got, problems := checkNames(s)
			if diff := cmp.Diff(tt.want, strings.Join(slices.Sorted(maps.Keys(got)), " ")); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			expect(t, problems, tt.err)
		})
	}
}

// Every package is read, not a list of files; names come across packages too, and tests have none.
func TestCheckNamesOfAllPackages(t *testing.T) {
	s := sourceOf(t, map[string]string{
		"go.mod":                       "module m\n",
		"internal/trial/validity/f.go": findingType,
		"controllers/run/new.go":       "package run\nimport \"m/internal/trial/validity\"\nvar f = validity.Finding{\"a\", \"Note\"}\nvar g = validity.Finding{Check: validity.Saturated}\n",
		"controllers/run/new_test.go":  "package run\nimport \"m/internal/trial/validity\"\nvar t = validity.Finding{Check: \"of-a-test\"}\n",
		"hack/tool/main.go":            "package main\ntype Finding struct { Check string }\nvar f = Finding{\"of-a-tool\"}\n",
	})
	got, problems := checkNames(s)
	want := map[string]string{"a": "controllers/run/new.go:3", "saturated": "controllers/run/new.go:4"}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("names (-want +got):\n%s\n%v", diff, problems)
	}
}

func TestFindingsAreExplained(t *testing.T) {
	s := sourceOf(t, map[string]string{"go.mod": "module m\n", "a/x.go": "package a\ntype Finding struct { Check string }\nvar f = []Finding{{\"little\"}, {\"lit\"}}\n"})
	none := sourceOf(t, map[string]string{"go.mod": "module m\n", "a/x.go": "package a\n"})
	page := func(text string) documents { return documents{findingsPage: newDocument(findingsPage, text)} }
	tests := map[string]struct {
		s    *source
		docs documents
		err  string
	}{
		"all explained":                  {s, page("| `little` | x |\n| `lit` | y |"), ""},
		"a part of another name is none": {s, page("| `little` | x |"), "the check lit (a/x.go:3) is not explained"},
		"outside of backticks is none":   {s, page("| `lit` | a little more |"), "the check little"},
		"no page":                        {s, documents{}, "is not there"},
		"a source without checks is odd": {none, page(""), "no check was found"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { expect(t, checkFindings(tt.s, tt.docs), tt.err) })
	}
}

func TestReasonsAreGiven(t *testing.T) {
	api := "package v1alpha1\nconst (\n\tReasonUsed = \"Used\"\n\tReasonListed = \"Listed\"\n)\nvar permanent = []string{ReasonListed}\n"
	used := "package run\nimport \"m/api/v1alpha1\"\nfunc f() string { return v1alpha1.ReasonUsed }\n"
	tests := map[string]struct {
		files map[string]string
		err   string
	}{
		"used in another package and in a list": {map[string]string{"api/v1alpha1/c.go": api, "controllers/run/a.go": used}, ""},
		"used by a test alone":                  {map[string]string{"api/v1alpha1/c.go": api, "controllers/run/a_test.go": used}, "nothing gives the reason ReasonUsed"},
		"no reasons at all":                     {map[string]string{"api/v1alpha1/c.go": "package v1alpha1\n"}, "no reason was found"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.files["go.mod"] = "module m\n"
			expect(t, checkReasons(sourceOf(t, tt.files)), tt.err)
		})
	}
}

// expect compares problems with a part of the only one; empty for none.
func expect(t *testing.T, problems []problem, want string) {
	t.Helper()
	if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), want)) {
		t.Errorf("problems %v, want %q", problems, want)
	}
}
