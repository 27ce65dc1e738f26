package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-bench/assay/internal/show/explain"
)

// textsFolder has the texts of internal/show/explain.
const textsFolder = "internal/show/explain/texts"

// fewest letters that a format of the sources gives to an example: of a part of it, and of the whole.
const (
	fewestOfPart  = 12
	fewestOfWhole = 6
)

// checkExplained: every check of the sources has an entry, every entry is a check of the sources, and the examples are
// messages that the sources can give.
func checkExplained(s *source, entries []explain.Entry) []problem {
	names, out := checkNames(s)
	explained := map[string]bool{}
	formats := s.formats()
	for _, e := range entries {
		if e.Kind == explain.Check {
			explained[e.Name] = true
			if names[e.Name] == "" {
				out = append(out, problem{textsFolder, fmt.Sprintf("no finding has the check %s", e.Name)})
			}
		}
		if !slices.ContainsFunc(formats, func(f []string) bool { return gives(f, e.Example) }) {
			out = append(out, problem{textsFolder, fmt.Sprintf("the example of %s is no message of the sources: %s", e.Name, e.Example)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !explained[name] {
			out = append(out, problem{textsFolder, fmt.Sprintf("the check %s (%s) has no text", name, names[name])})
		}
	}
	return out
}

// verb of a format, such as %.2f or %q.
var verb = regexp.MustCompile(`%[-+# 0]*(\d+|\*)?(\.(\d+|\*))?[a-zA-Z%]`)

// formats are the texts of the sources, each as its fixed parts in order.
func (s *source) formats() [][]string {
	found := map[string]bool{}
	for _, folder := range s.folders() {
		if first, _, _ := strings.Cut(folder, "/"); first == "hack" || first == "test" || folder == path.Dir(textsFolder) {
			continue
		}
		for _, file := range s.packages[folder].files {
			ast.Inspect(file, func(n ast.Node) bool {
				e, is := n.(ast.Expr)
				if !is {
					return true
				}
				whole, is := joined(e)
				found[whole] = true
				return !is
			})
		}
	}
	var out [][]string
	for format := range found {
		if parts := verb.Split(format, -1); letters(parts) >= fewestOfWhole {
			out = append(out, parts)
		}
	}
	return out
}

// joined is a literal, or several with a plus between them.
func joined(e ast.Expr) (string, bool) {
	if sum, is := e.(*ast.BinaryExpr); is && sum.Op == token.ADD {
		left, isLeft := joined(sum.X)
		right, isRight := joined(sum.Y)
		return left + right, isLeft && isRight
	}
	return text(e)
}

// gives reports whether a format can give the text: a part of it that is long enough, or the whole.
func gives(parts []string, text string) bool {
	n := letters(parts)
	whole := strings.HasPrefix(text, parts[0]) && strings.HasSuffix(text, parts[len(parts)-1])
	if n < fewestOfPart && !whole {
		return false
	}
	for _, part := range parts {
		_, after, is := strings.Cut(text, part)
		if !is {
			return false
		}
		text = after
	}
	return true
}

// letters in the parts of a format.
func letters(parts []string) int {
	n := 0
	for _, part := range parts {
		for _, c := range part {
			if unicode.IsLetter(c) {
				n++
			}
		}
	}
	return n
}
