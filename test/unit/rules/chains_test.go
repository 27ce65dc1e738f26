package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// A chain of pronouns makes a reader look back for nouns: "that of the template's spec, as the manager read it that
// looked last". It is a sentence with one of these forms, or with two words that stand for nouns (standIn).
var chainForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bby how (much|many|long)\b`),
	regexp.MustCompile(`(?i)\b(it|them) that (?:\w+ed|looked|was|were|came|did)\b`),
	// A clause as the subject: "what was measured there is".
	regexp.MustCompile(`(?i)(?:^|[:;] )what (?:is|are|was|were) [^,.;:]{3,}? (?:is|are|was|were) `),
	// A second verb behind the relative clause of a pronoun: "the next lower one that is includes it".
	regexp.MustCompile(`(?i)\b(?:one|those|that) that (?:(?:is|are|was|were),|(?:is|are|was|were|has|have|does|did) [a-z]+s it\b)`),
	regexp.MustCompile(`(?i)\bto be had\b|\bheld against\b|\btakes? (?:it|them) down\b`),
}

// standIn is a pronoun in the place of a noun, with what tells which one: "that of", "those that", "one whose".
var standIn = regexp.MustCompile(`(?i)\b(?:(?:that|those) of|(?:is|are|as|than|from|with|by|in|for|to|and|or) (?:that|those) (?:in|which|from|whose)|those (?:that|who)|ones? (?:that|which|whose|in|from|for|behind|before|after)|it (?:that|which|who)|as it was|of which|whichever)\b`)

// isChain says whether a sentence is a chain of pronouns.
func isChain(sentence string) bool {
	for _, form := range chainForms {
		if form.MatchString(sentence) {
			return true
		}
	}
	return len(standIn.FindAllString(sentence, -1)) > 1
}

// endOfSentence in a comment or a message: a mark before a space and no small letter.
var endOfSentence = regexp.MustCompile(`[.!?;:]\s+`)

// chainsIn are the sentences of a text that are chains.
func chainsIn(text string) (out []string) {
	for _, s := range endOfSentence.Split(strings.Join(strings.Fields(text), " "), -1) {
		if isChain(s) {
			out = append(out, s)
		}
	}
	return out
}

// chains are those in the comments of the API, which the reference shows, and in the texts of the programs: string
// literals of product code with five words or more.
func chains(sources []source) (out []violation) {
	for _, s := range sources {
		if s.test || !ofProduct(s.path) {
			continue
		}
		found := func(text string) {
			for _, sentence := range chainsIn(text) {
				out = append(out, violation{"chain of pronouns: " + strconv.Quote(sentence), s.path, 1, 0})
			}
		}
		if strings.HasPrefix(s.path, "api/") {
			for _, c := range s.ast.Comments {
				found(c.Text())
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && len(strings.Fields(text)) > 4 {
					found(text)
				}
			}
			return true
		})
	}
	return out
}

// chainsExplained are those in the texts of "kubectl assay explain" and of the pages of reasons and checks.
func chainsExplained(root string) (out []violation, err error) {
	err = walk(root, ".yaml", func(path string, text []byte) error {
		if !strings.HasPrefix(path, "internal/show/explain/texts/") {
			return nil
		}
		var tree any
		if err := yaml.Unmarshal(text, &tree); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		for _, s := range textsOf(tree) {
			for _, sentence := range chainsIn(s) {
				out = append(out, violation{"chain of pronouns: " + strconv.Quote(sentence), path, 1, 0})
			}
		}
		return nil
	})
	return out, err
}

// chainsInPages are those in the guide and in the templates of pages: their running texts, without code.
func chainsInPages(documents []document) (out []violation) {
	for _, d := range documents {
		sentences := []string{}
		switch {
		case strings.HasSuffix(d.path, ".html"):
			sentences = htmlTags.Split(templateParts.ReplaceAllString(d.text, "code"), -1)
		case strings.HasPrefix(d.path, "docs/guide/"):
			sentences = sentencesOf(d.text)
		}
		for _, s := range sentences {
			for _, chain := range chainsIn(s) {
				out = append(out, violation{"chain of pronouns: " + strconv.Quote(chain), d.path, 1, 0})
			}
		}
	}
	return out
}

var (
	// templateParts are actions of a template, styles and scripts.
	templateParts = regexp.MustCompile(`(?s)\{\{.*?\}\}|<style.*?</style>|<script.*?</script>`)
	htmlTags      = regexp.MustCompile(`(?s)<[^>]*>`)
)

// templatesBelow are the templates of pages.
func templatesBelow(root string) (out []document, err error) {
	err = walk(root, ".html", func(path string, text []byte) error {
		if ofProduct(path) {
			out = append(out, document{path, string(text)})
		}
		return nil
	})
	return out, err
}

// textsOf a tree of YAML: its values that are texts.
func textsOf(tree any) (out []string) {
	switch v := tree.(type) {
	case string:
		return []string{v}
	case []any:
		for _, part := range v {
			out = append(out, textsOf(part)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, textsOf(v[key])...)
		}
	}
	return out
}

// ofProduct says whether users meet the texts of a file.
func ofProduct(path string) bool {
	for _, folder := range []string{"api/", "cmd/", "controllers/", "engines/", "internal/", "runners/"} {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}

func TestChainsOfPronouns(t *testing.T) {
	bad := []string{
		"specDigest is that of the template's spec alone, as the manager read it that looked last",
		"Delay is by how much longer every round trip shall take; 0 for as it is",
		"what was measured on another machine is not compared",
		"Where a level is not known, the next lower one that is includes it",
		"empty for one that is, or that has ended",
		"the settings are those of the run whose target is the one that was measured first",
		"a version that is not to be had",
	}
	good := []string{
		"digest of the template's spec at the last pass of the manager",
		"Delay adds latency to every round trip; 0 adds none",
		"an unknown level is merged into the next lower known one",
		"The baseline is that of the first comparison of targets",
		"a run that has ended, and has not failed",
		"the server says that it is ready",
		"say what differs: the settings are named below",
	}
	for _, s := range bad {
		if len(chainsIn(s)) == 0 {
			t.Errorf("not caught: %s", s)
		}
	}
	for _, s := range good {
		if got := chainsIn(s); len(got) > 0 {
			t.Errorf("caught: %q", got)
		}
	}
	pages := []document{
		{"docs/guide/a.md", "# A\n\nThe run is one that is, or one that was.\n\n```sh\nthose that are, or those that were\n```\n"},
		{"docs/contributing/a.md", "The run is one that is, or one that was.\n"},
		{"internal/p/page.html", "<style>a{}</style><p>The page of {{.Name}} is one that is, or one that was</p>"},
	}
	wantPages := []violation{
		{`chain of pronouns: "The run is one that is, or one that was"`, "docs/guide/a.md", 1, 0},
		{`chain of pronouns: "The page of code is one that is, or one that was"`, "internal/p/page.html", 1, 0},
	}
	if diff := cmp.Diff(wantPages, chainsInPages(pages), cmp.AllowUnexported(violation{})); diff != "" {
		t.Errorf("violations of pages (-want +got):\n%s", diff)
	}
	s, _, err := parse("internal/p/a.go", []byte("// Package p is those that are, or those that were.\npackage p\n\nconst a, b = \"short that is, one\", \"the run is one that is, or one that was: wait\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []violation{{`chain of pronouns: "the run is one that is, or one that was"`, "internal/p/a.go", 1, 0}}
	if diff := cmp.Diff(want, chains([]source{s}), cmp.AllowUnexported(violation{})); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}
