package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"text/template"
)

const conditionsFile = "docs/reference/conditions.md"

// conditionsTemplate is the page around the tables.
//
//go:embed conditions.md.tmpl
var conditionsTemplate string

// term is a documented constant: the value of a condition's type or of a reason.
type term struct{ Value, Meaning string }

// deriveConditions writes the page of all conditions and reasons. A constant without a meaning
// is an error, so the page is complete.
func deriveConditions() error {
	if err := checkVocabulary("api/v1alpha1/reasons.go"); err != nil {
		return err
	}
	page, err := template.New("conditions").Funcs(template.FuncMap{"terms": groups}).Parse(conditionsTemplate)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := page.Execute(&out, nil); err != nil {
		return err
	}
	return write(conditionsFile, out.Bytes())
}

// termGroup is a group of constants under one comment: "Title: what it is."
type termGroup struct {
	Title, Text string
	Terms       []term
}

// agentReasons are the files with the reasons that agents report. Each has to stand in
// the vocabulary too, with the same value.
var agentReasons = []string{"internal/ground/contract/result.go", "internal/ground/contract/target_termination.go", "internal/ground/contract/target_agent.go"}

// checkVocabulary refuses a reason of an agent that the API does not know.
func checkVocabulary(vocabulary string) error {
	known, err := groups(vocabulary, "Reason")
	if err != nil {
		return err
	}
	values := map[string]bool{}
	for _, g := range known {
		for _, t := range g.Terms {
			if values[t.Value] {
				return fmt.Errorf("%s: reason %s twice", vocabulary, t.Value)
			}
			values[t.Value] = true
		}
	}
	for _, path := range agentReasons {
		theirs, err := groups(path, "Reason")
		if err != nil {
			return err
		}
		for _, g := range theirs {
			for _, t := range g.Terms {
				if !values[t.Value] {
					return fmt.Errorf("%s: reason %s is not in %s", path, t.Value, vocabulary)
				}
			}
		}
	}
	return nil
}

// groups of the constants of a Go file whose names begin with the prefix.
func groups(path, prefix string) ([]termGroup, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var out []termGroup
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		g := termGroup{}
		g.Title, g.Text, _ = strings.Cut(strings.Join(strings.Fields(group.Doc.Text()), " "), ": ")
		for _, spec := range group.Specs {
			constant, ok := spec.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(constant.Names[0].Name, prefix) {
				continue
			}
			t, err := parseTerm(constant)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			g.Terms = append(g.Terms, t)
		}
		if len(g.Terms) > 0 {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no constant begins with %s", path, prefix)
	}
	return out, nil
}

// parseTerm reads `// Name: meaning.` above `Name = "Value"`. A constant with a type of its own, and no
// comment, is an agent's: the API says what it means.
func parseTerm(constant *ast.ValueSpec) (term, error) {
	name := constant.Names[0].Name
	var literal *ast.BasicLit
	if len(constant.Values) == 1 {
		literal, _ = constant.Values[0].(*ast.BasicLit)
	}
	if literal == nil || literal.Kind != token.STRING {
		return term{}, fmt.Errorf("%s is no string", name)
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		return term{}, fmt.Errorf("%s: %w", name, err)
	}
	meaning, ok := strings.CutPrefix(strings.Join(strings.Fields(constant.Doc.Text()), " "), name+": ")
	switch {
	case constant.Type != nil && constant.Doc == nil:
		return term{Value: value}, nil
	case !ok:
		return term{}, fmt.Errorf("%s needs a comment of the form %q", name, "// "+name+": what it means")
	}
	// A field's path keeps its spelling.
	if first, _, _ := strings.Cut(meaning, " "); !strings.Contains(first, ".") || strings.HasSuffix(first, ".") {
		meaning = strings.ToUpper(meaning[:1]) + meaning[1:]
	}
	return term{value, meaning}, nil
}
