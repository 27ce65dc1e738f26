package readout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// codesOfTheAPI are the constants with what stands in braces in their comments.
func codesOfTheAPI(t *testing.T) map[v1alpha1.ReasonCode][]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../../api/v1alpha1/verdict_reasons.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	out := map[v1alpha1.ReasonCode][]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is {
			code := v1alpha1.ReasonCode(strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`))
			out[code] = []string{}
			for _, group := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(spec.Doc.Text(), -1) {
				out[code] = append(out[code], strings.Split(group[1], ", ")...)
			}
		}
		return true
	})
	return out
}

// Every code of the API has a sentence, which names no value that the code does not have.
func TestEveryCodeHasASentence(t *testing.T) {
	codes := codesOfTheAPI(t)
	if len(codes) < 35 {
		t.Fatalf("the API has %d codes", len(codes))
	}
	for code, names := range codes {
		text, known := sentences[code]
		if !known {
			t.Errorf("%s has no sentence", code)
			continue
		}
		values := map[string]string{}
		for _, name := range names {
			values[name] = "0.5"
		}
		if got := Sentence(v1alpha1.VerdictReason{Code: code, Values: values}); strings.ContainsAny(got, "{}") {
			t.Errorf("%s names a value that it does not have: %q", code, got)
		}
		for _, used := range regexp.MustCompile(`\{(\w+)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(names, used[1]) {
				t.Errorf("%s: the comment of the constant does not name {%s}", code, used[1])
			}
		}
	}
	for code := range sentences {
		if _, is := codes[code]; !is {
			t.Errorf("%s is no code of the API", code)
		}
	}
}

func TestSentences(t *testing.T) {
	for name, c := range map[string]struct {
		reason v1alpha1.VerdictReason
		want   string
	}{
		"counts": {v1alpha1.VerdictReason{Code: v1alpha1.CodeTooFewBlocks, Values: map[string]string{"blocks": "5", "needed": "6"}}, "5 blocks count on both sides, and a verdict needs 6"},
		"a family": {v1alpha1.VerdictReason{Code: v1alpha1.CodeTooFewBlocks, Values: map[string]string{"blocks": "5", "needed": "6", "comparisons": "4", "family": "8"}},
			"5 blocks count on both sides, and a verdict needs 6; to show a difference, 4 comparisons together need 8"},
		"shares":   {v1alpha1.VerdictReason{Code: v1alpha1.CodeSpreadOfRuns, Values: map[string]string{"runs": "3", "spread": "0.0345"}}, "the ratios of 3 runs have a standard deviation of 3.5 %"},
		"both 0":   {v1alpha1.VerdictReason{Code: v1alpha1.CodeNotPositive, Values: map[string]string{"both": "0"}}, "both sides are 0, and a ratio needs positive values"},
		"numbers":  {v1alpha1.VerdictReason{Code: v1alpha1.CodeNotPositive, Values: map[string]string{"value": "-0.00001"}}, "a value is -0.00001, and a ratio needs positive values"},
		"of a run": {v1alpha1.VerdictReason{Code: v1alpha1.CodeNoPair, Values: map[string]string{"run": "monday"}}, "run monday: no block has a counted value on both sides"},
		"unknown":  {v1alpha1.VerdictReason{Code: "FromTheFuture", Values: map[string]string{"b": "2", "a": "1"}}, "FromTheFuture (a=1 b=2)"},
		"hostile":  {v1alpha1.VerdictReason{Code: v1alpha1.CodeNoStatistic, Values: map[string]string{"message": "a\x1b[31m\nb"}}, "a\uFFFD[31m b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Sentence(c.reason); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
