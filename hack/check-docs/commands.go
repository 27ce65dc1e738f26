package main

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/test/helpers/pages"
)

// checkCommands: every block of commands of README.md and docs is executed by a test that there is and that reads the page, or
// the page says why not.
func checkCommands(s *source, docs documents) []problem {
	var out []problem
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		if path != "README.md" && !strings.HasPrefix(path, "docs/") {
			continue
		}
		blocks, err := pages.Parse(docs[path].text)
		if err != nil {
			out = append(out, problem{path, err.Error()})
			continue
		}
		for _, b := range blocks {
			if b.Language != "sh" {
				continue
			}
			where := fmt.Sprintf("%s:%d", path, b.Line)
			switch c := b.Claim; {
			case c == nil:
				out = append(out, problem{where, "no test executes these commands, and the page does not say why: see test/helpers/pages"})
			case c.Why != "":
			case !s.hasTest(c.Folder, c.Test):
				out = append(out, problem{where, fmt.Sprintf("%s has no test %s that could execute these commands", c.Folder, c.Test)})
			case !s.testsRead(c.Folder, path):
				out = append(out, problem{where, fmt.Sprintf("no test of %s reads the page", c.Folder)})
			}
		}
	}
	return out
}

// testsRead reports whether a test of the package has the path of a file.
func (s *source) testsRead(folder, path string) bool {
	found := false
	for _, file := range s.packages[folder].tests {
		ast.Inspect(file, func(n ast.Node) bool {
			if e, is := n.(ast.Expr); is {
				literal, _ := text(e)
				found = found || strings.HasSuffix(literal, path)
			}
			return !found
		})
	}
	return found
}
