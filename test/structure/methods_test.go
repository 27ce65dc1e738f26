// Package structure has tests of the source itself: what no linter holds.
package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxMethods is how many methods a type may have. One with more is several things.
const maxMethods = 20

// tooMany are types that still have more, until they are split.
var tooMany = []string{"controllers/benchmarkrun.Reconciler", "controllers/benchmarkrun.scope"}

func TestNoTypeHasTooManyMethods(t *testing.T) {
	counted := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "../.." && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if ast.IsGenerated(file) {
			return nil
		}
		dir, err := filepath.Rel("../..", filepath.Dir(path))
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				counted[filepath.ToSlash(dir)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(counted) < 100 {
		t.Fatalf("only %d types with methods were found: the walk missed the sources", len(counted))
	}
	for name, n := range counted {
		if n > maxMethods && !slices.Contains(tooMany, name) {
			t.Errorf("%s has %d methods, more than %d: split it by what they are about", name, n, maxMethods)
		}
	}
}

// receiver is the name of the type of a method.
func receiver(of ast.Expr) string {
	switch x := of.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
