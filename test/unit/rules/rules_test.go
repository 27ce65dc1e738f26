package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/tree"
)

var update = flag.Bool("update", false, "take out and lower the exceptions that are better than listed")

const exceptionsFile = "exceptions.txt"

// TestTheProjectKeepsItsRules fails for what breaks a rule and is no exception.
func TestTheProjectKeepsItsRules(t *testing.T) {
	text, err := os.ReadFile(exceptionsFile)
	if err != nil {
		t.Fatal(err)
	}
	exceptions, err := parseExceptions(string(text))
	if err != nil {
		t.Fatal(err)
	}
	problems, kept := compare(violationsOfTheProject(t), exceptions)
	if *update {
		if err := os.WriteFile(exceptionsFile, []byte(formatExceptions(string(text), kept)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
	t.Logf("%d exceptions", len(kept))
}

func violationsOfTheProject(t *testing.T) []violation {
	sources, err := sourcesBelow(top)
	if err != nil {
		t.Fatal(err)
	}
	documents, err := documentsBelow(top)
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(top, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	imports, err := deadImportRules(top, config)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := testsOfLanguages(top)
	if err != nil {
		t.Fatal(err)
	}
	explained, err := chainsExplained(top)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := templatesBelow(top)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) < 300 || len(documents) < 10 || len(templates) < 2 || len(tests) < 30 {
		t.Fatalf("%d Go files, %d documents and %d tests of other languages: not all are found", len(sources), len(documents), len(tests))
	}
	return slices.Concat(longFiles(sources), longFunctions(sources), largeTypes(sources), uncommented(sources), chains(sources), explained, longSentences(documents), chainsInPages(slices.Concat(documents, templates)), localShapes(documents), imports,
		forbiddenImports(sources), importsAgainstFloors(sources), shortLimits(sources), shortLimitsOfLanguages(tests))
}

// TestRulesOfCode has for each rule an example that breaks it, beside one that just
// does not.
func TestRulesOfCode(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("\t_ = 0\n", n) }
	methods := func(n int) string {
		out := "// T is a type.\ntype T struct{}\n"
		for i := range n {
			out += fmt.Sprintf("func (t *T) m%d() {}\n", i)
		}
		return out
	}
	const header = "// Package p is an example.\npackage p\n\n"
	tests := map[string]struct {
		path, text string
		rule       func([]source) []violation
		want       []violation
	}{
		"a file of 400 lines":       {"p/a.go", header + strings.Repeat("\n", 397), longFiles, nil},
		"a file of 401 lines":       {"p/a.go", header + strings.Repeat("\n", 398), longFiles, []violation{{"lines of a file", "p/a.go", 401, 400}}},
		"a test file of 401 lines":  {"p/a_test.go", header + strings.Repeat("\n", 398), longFiles, []violation{{"lines of a file", "p/a_test.go", 401, 400}}},
		"a function of 70 lines":    {"p/a.go", header + "func f() {\n" + lines(68) + "}\n", longFunctions, nil},
		"a function of 71 lines":    {"p/a.go", header + "func f() {\n" + lines(69) + "}\n", longFunctions, []violation{{"lines of a function", "p/a.go f", 71, 70}}},
		"a method of 71 lines":      {"p/a.go", header + "func (t *T[A, B]) f() {\n" + lines(69) + "}\n", longFunctions, []violation{{"lines of a function", "p/a.go T.f", 71, 70}}},
		"a test of 71 lines":        {"p/a_test.go", header + "func TestF() {\n" + lines(69) + "}\n", longFunctions, nil},
		"a type with 20 methods":    {"p/a.go", header + methods(20), largeTypes, nil},
		"a type with 21 methods":    {"p/a.go", header + methods(21), largeTypes, []violation{{"methods of a type", "p T", 21, 20}}},
		"exported and commented":    {"p/a.go", header + "// F does it.\nfunc F() {}\n\n// A and B.\nconst (\n\tA = 1\n\tB = 2\n)\n\nvar (\n\tC = 1 // C is one.\n\t// D is two.\n\tD = 2\n)\n", uncommented, nil},
		"not exported":              {"p/a.go", header + "func f() {}\n\ntype t struct{}\n\nfunc (t) M() {}\n\nvar v, _ = 1, 2\n", uncommented, nil},
		"a method that all know":    {"p/a.go", header + "// T is a type.\ntype T int\n\nfunc (T) String() string { return \"\" }\n", uncommented, nil},
		"exported in a test":        {"p/a_test.go", "package p\n\nfunc TestF() {}\n", uncommented, nil},
		"an exported function":      {"p/a.go", header + "func F() {}\n", uncommented, []violation{{"exported name without a comment", "p/a.go F", 1, 0}}},
		"an exported method":        {"p/a.go", header + "// T is a type.\ntype T int\n\nfunc (T) M() {}\n", uncommented, []violation{{"exported name without a comment", "p/a.go T.M", 1, 0}}},
		"an exported type":          {"p/a.go", header + "type T int\n", uncommented, []violation{{"exported name without a comment", "p/a.go T", 1, 0}}},
		"an exported variable":      {"p/a.go", header + "var A, b, C = 1, 2, 3\n", uncommented, []violation{{"exported name without a comment", "p/a.go A", 1, 0}, {"exported name without a comment", "p/a.go C", 1, 0}}},
		"one constant of a group":   {"p/a.go", header + "const (\n\t// A is one.\n\tA = 1\n\tB = 2\n)\n", uncommented, []violation{{"exported name without a comment", "p/a.go B", 1, 0}}},
		"a package without comment": {"p/a.go", "package p\n", uncommented, []violation{{"package without a comment", "p", 1, 0}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, _, err := parse(tt.path, []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, tt.rule([]source{s}), cmp.AllowUnexported(violation{})); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMethodsAreCountedOverAllFilesOfAPackage(t *testing.T) {
	var sources []source
	for _, path := range []string{"p/a.go", "p/b.go", "q/a.go"} {
		text := "package p\n\n"
		for i := range 11 {
			text += fmt.Sprintf("func (t T) m%d%c() {}\n", i, path[2])
		}
		s, _, err := parse(path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, s)
	}
	want := []violation{{"methods of a type", "p T", 22, 20}}
	if diff := cmp.Diff(want, largeTypes(sources), cmp.AllowUnexported(violation{})); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestGeneratedFilesAreLeftOut(t *testing.T) {
	_, generated, err := parse("p/a.go", []byte("// Code generated by controller-gen. DO NOT EDIT.\n\npackage p\n"))
	if err != nil || !generated {
		t.Errorf("generated = %v, %v, want true", generated, err)
	}
}

func TestDeadImportRules(t *testing.T) {
	root := tree.Of(t, map[string]string{"api/v1/types.go": "package p\n", "internal/plan/plan.go": "package p\n"})
	const rule = "import rule that names what does not exist"
	tests := map[string]struct {
		files, allow, deny string
		want               []violation
	}{
		"all is there":                    {`["**/api/**", "**/internal/{plan}/**", "!$test"]`, module + "/api", module, nil},
		"packages of others":              {`["**/api/**"]`, "k8s.io/api", "net/http", nil},
		"a file":                          {`["**/internal/{plan,report}/**"]`, module + "/api", module, []violation{{rule, ".golangci.yml r **/internal/report/**", 1, 0}}},
		"a package that is allowed":       {`["**/api/**"]`, module + "/internal/result", module, []violation{{rule, ".golangci.yml r " + module + "/internal/result", 1, 0}}},
		"a package that is denied":        {`["**/api/**"]`, module + "/api", module + "/engines", []violation{{rule, ".golangci.yml r " + module + "/engines", 1, 0}}},
		"a folder that only begins alike": {`["**/plan/*/**"]`, module + "/api", module, []violation{{rule, ".golangci.yml r **/plan/*/**", 1, 0}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			config := fmt.Sprintf("linters: {settings: {depguard: {rules: {r: {files: %s, allow: [%s], deny: [{pkg: %s}]}}}}}", tt.files, tt.allow, tt.deny)
			got, err := deadImportRules(root, []byte(config))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(violation{})); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := deadImportRules(root, []byte("linters: {}")); err == nil {
		t.Error("a configuration without rules for imports is accepted")
	}
}

func TestSentences(t *testing.T) {
	text := "# A heading is not counted. At all.\n\n" +
		"The first sentence goes\nover two lines. The version is 1.2 of `a b. c`, e.g. here! [A link](https://x.y/z w) ends?\n\n" +
		"| a table | with. many. marks. |\n| --- | --- |\n\n```sh\ncode. code.\n\n# more\n```\n\n<!-- a comment. -->\n\n" +
		"- an item\n  of two lines\n- **another.** With bold\n1. a number\n\n> A quote.\n"
	want := []string{
		"The first sentence goes over two lines", "The version is 1.2 of code, e.g", "here", "A link ends",
		"an item of two lines", "**another", "With bold", "a number", "A quote",
	}
	if diff := cmp.Diff(want, sentencesOf(text)); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}

func TestLongSentences(t *testing.T) {
	sentence := func(words int) string { return strings.Repeat("word ", words-1) + "end. " }
	tests := map[string]struct {
		text string
		want []violation
	}{
		"29 words":                      {sentence(29), nil},
		"30 words":                      {sentence(30), []violation{{"words of a sentence, on average", "docs/a.md", 30, 29}}},
		"a long one among short ones":   {sentence(50) + sentence(5), nil},
		"a short one among long ones":   {sentence(50) + sentence(50) + sentence(5), []violation{{"words of a sentence, on average", "docs/a.md", 35, 29}}},
		"a page without a sentence":     {"# Title\n\n| a | b |\n", nil},
		"a table of very long sentence": {"| " + sentence(80) + " |\n", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := longSentences([]document{{"docs/a.md", tt.text}})
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(violation{})); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLocalShapes(t *testing.T) {
	text := "  shape: {name: kind-target}\n  clients: {shape: {name: kind-client}}\n"
	given := []document{{"docs/guide/a.md", text}, {"docs/guide/b.md", "shape: {name: client-m}, of a kind"}, {"docs/evidence/a.md", text}}
	want := []violation{{"shape of the local cluster in the guide", "docs/guide/a.md", 2, 0}}
	if diff := cmp.Diff(want, localShapes(given), cmp.AllowUnexported(violation{})); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestExceptions(t *testing.T) {
	listed := []exception{{"r", "a", 10}}
	tests := map[string]struct {
		violations  []violation
		exceptions  []exception
		wantProblem string
		wantKept    []exception
	}{
		"nothing":                  {nil, nil, "", nil},
		"a new violation":          {[]violation{{"r", "a", 10, 5}}, nil, "a: r: 10, the limit is 5", nil},
		"an exception":             {[]violation{{"r", "a", 10, 5}}, listed, "", listed},
		"one that grew":            {[]violation{{"r", "a", 11, 5}}, listed, "a: r: 11, the limit is 5, and the exception has 10", listed},
		"one that is smaller":      {[]violation{{"r", "a", 9, 5}}, listed, "a: r: better than its exception, 9 for 10: go test ./test/unit/rules -update", []exception{{"r", "a", 9}}},
		"one that is gone":         {nil, listed, "a: r: needs no exception any more: go test ./test/unit/rules -update", nil},
		"an exception of another":  {[]violation{{"other", "a", 10, 5}}, listed, "a: other: 10, the limit is 5\na: r: needs no exception any more: go test ./test/unit/rules -update", nil},
		"an exception of a folder": {[]violation{{"r", "a/b", 10, 5}}, listed, "a/b: r: 10, the limit is 5\na: r: needs no exception any more: go test ./test/unit/rules -update", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			problems, kept := compare(tt.violations, tt.exceptions)
			if got := strings.Join(problems, "\n"); got != tt.wantProblem {
				t.Errorf("problems %q, want %q", got, tt.wantProblem)
			}
			if diff := cmp.Diff(tt.wantKept, kept, cmp.AllowUnexported(exception{})); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExceptionsAreReadAsTheyAreWritten(t *testing.T) {
	want := []exception{{"lines of a file", "p/a.go", 401}, {"methods of a type", "p T", 21}}
	text := formatExceptions("# first\n# second\nold\tline\t1\n", want)
	got, err := parseExceptions(text)
	if err != nil || !cmp.Equal(want, got, cmp.AllowUnexported(exception{})) || !strings.HasPrefix(text, "# first\n# second\n") {
		t.Errorf("exceptions %+v, %v, of %q, want %+v", got, err, text, want)
	}
	for _, bad := range []string{"a b c", "a\tb", "a\tb\tmany"} {
		if _, err := parseExceptions(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
