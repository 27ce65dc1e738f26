package show

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/show/explain"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Every word that a command or kubectl get prints is explained, and is found in the place that it is printed from: constants of the
// API, checks and reasons, columns of the CRDs and of our tables, notes, outcomes and exit codes.
func TestExplainKnowsEveryWord(t *testing.T) {
	for source, words := range map[string][]string{
		"the API": constantsOf(t, "../../../api/v1alpha1/*.go"), "measurements": constantsOf(t, "../../ground/contract/measurements.go"), "costs": append(constantsOf(t, "../../trial/costs/costs.go"), constantsOf(t, "../../trial/levels/levels.go")...),
		"answers and their terms": append(wordsOfAnswers(t), "knee", "peak", "p", "detect", "quoted", "speedup", "s/Mop"), "checks and reasons": checksAndReasons(t), "our tables": headings(t), "the columns of kubectl get": printerColumns(t),
		"notes": notesOfMedians(), "exit codes": exitCodes(), "outcomes": outcomes,
	} {
		if len(words) < 7 {
			t.Errorf("%s: only %q were found", source, words)
		}
		for _, word := range words {
			if doc, text, err := explanationOf(word); err != nil || doc.Meaning == "" || !strings.Contains(strings.ToLower(text), strings.ToLower(doc.Name)) {
				t.Errorf("%s: %q: %v\n%s", source, word, err, text)
			}
		}
	}
}

// outcomes of runs without a comparison; one that has some has the words of their verdicts.
var outcomes = []string{"Pending", "Queued", "Suspended", "Running", "Failed", "Invalid", "GatePassed", "GateFailed", "GateNotJudged", "Measured"}

// notWords of the API are names and defaults, which nobody looks up.
var notWords = regexp.MustCompile(`^(Kind|Label|Annotation|Role|Default|Driver|Factor|Control)|^(ManagedBy|TimingIntended|SourceChecksum|StatusTLSAccepts|StatusTLSReused)$`)

// constantsOf files: exported texts.
func constantsOf(t *testing.T, pattern string) (words []string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			group, is := decl.(*ast.GenDecl)
			if !is || group.Tok != token.CONST || strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, spec := range group.Specs {
				constant := spec.(*ast.ValueSpec)
				literal, is := constant.Values[0].(*ast.BasicLit)
				if is && literal.Kind == token.STRING && ast.IsExported(constant.Names[0].Name) && !notWords.MatchString(constant.Names[0].Name) {
					words = append(words, strings.Trim(literal.Value, `"`))
				}
			}
		}
	}
	return words
}

// wordsOfAnswers are those in capitals that a statement of an answer begins with, in the sources.
func wordsOfAnswers(t *testing.T) (words []string) {
	t.Helper()
	text, err := os.ReadFile("../../show/readout/answer.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range statement.FindAllStringSubmatch(string(text), -1) {
		words = append(words, found[1])
	}
	return words
}

func checksAndReasons(t *testing.T) (words []string) {
	t.Helper()
	all, err := explain.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		words = append(words, e.Name)
	}
	return words
}

var (
	statement = regexp.MustCompile(`(?:says\(|Statement\{)\w+, "([A-Z ]+)"`)
	tableHead = regexp.MustCompile(`(?:\[\]\[\]string\{\{|row\()("[A-Z][A-Z ]*"(?:, "[A-Z][A-Z ]*")+)`)
	column    = regexp.MustCompile(`additionalPrinterColumns:|- (?:description|jsonPath): .*|^ +name: (\w+)$`)
)

// headings of the tables in the sources of the command.
func headings(t *testing.T) (words []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range tableHead.FindAllStringSubmatch(string(text), -1) {
			for _, word := range strings.Split(found[1], ", ") {
				words = append(words, strings.Trim(word, `"`))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// printerColumns of all kinds, as kubectl prints them.
func printerColumns(t *testing.T) (words []string) {
	t.Helper()
	files, err := filepath.Glob("../../../config/crd/bases/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, columns, _ := strings.Cut(string(text), "additionalPrinterColumns:")
		columns, _, _ = strings.Cut(columns, "    name: v1alpha1")
		for line := range strings.Lines(columns) {
			if found := column.FindStringSubmatch(strings.TrimRight(line, "\n")); found != nil && found[1] != "" {
				words = append(words, strings.ToUpper(found[1]))
			}
		}
	}
	return words
}

func notesOfMedians() (words []string) {
	all := readout.Measurement{
		Trials: 1, PlannedTrials: 1, SaturatedTrials: 1, NotSteadyTrials: 1, LimitedBy: map[string]int32{"Client": 1, "CPU": 1, "Memory": 1},
		LeftOut: map[string]int32{"Failed": 1, "Invalid": 1, "Disturbed": 1, "BlockDisturbed": 1, "NoValue": 1, "NotRun": 1},
	}
	for _, line := range readout.NotesOf([]readout.Measurement{all}).Legend {
		word, _, _ := strings.Cut(line, ":")
		words = append(words, word)
	}
	return words
}

func exitCodes() (words []string) {
	for _, code := range []int{exit.OK, exit.Problem, exit.Failed, exit.Invalid, exit.Gate, exit.Inconclusive, exit.Differs, exit.Outside, exit.Interrupted} {
		words = append(words, strconv.Itoa(code))
	}
	return words
}
