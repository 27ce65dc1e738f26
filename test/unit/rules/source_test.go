package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// top is the top folder of the repository, seen from this package.
const top = "../../.."

// violation of a rule.
type violation struct {
	rule string
	// where: a path from the top folder, and a name in it if it is about less than a file.
	where string
	// size is what the rule limits; 1 where there is nothing to count.
	size int
	// limit that the size is above.
	limit int
}

func (v violation) String() string {
	return fmt.Sprintf("%s: %s: %d, the limit is %d", v.where, v.rule, v.size, v.limit)
}

// source is one Go file.
type source struct {
	path  string // from the top folder
	lines int
	test  bool
	files *token.FileSet
	ast   *ast.File
}

// parse one Go file; generated is true for one that is not written by hand.
func parse(path string, text []byte) (s source, generated bool, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, false, fmt.Errorf("parsing %s: %w", path, err)
	}
	return source{
		path: path, lines: strings.Count(string(text), "\n"), test: strings.HasSuffix(path, "_test.go"),
		files: files, ast: file,
	}, ast.IsGenerated(file), nil
}

// dir is the folder of a source, from the top folder.
func (s source) dir() string { return filepath.ToSlash(filepath.Dir(s.path)) }

// span is how many lines a node has.
func (s source) span(n ast.Node) int {
	return s.files.Position(n.End()).Line - s.files.Position(n.Pos()).Line + 1
}

// sourcesBelow are all Go files below a folder that are written by hand.
func sourcesBelow(root string) ([]source, error) {
	var out []source
	err := walk(root, ".go", func(path string, text []byte) error {
		s, generated, err := parse(path, text)
		if err == nil && !generated {
			out = append(out, s)
		}
		return err
	})
	return out, err
}

// walk calls a function with each file of the repository whose name ends so, and its
// path from the top folder. It leaves out what was built, and samples for tests.
func walk(root, ending string, do func(path string, text []byte) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := path != root && strings.HasPrefix(name, ".")
			if hidden || name == "testdata" || name == "node_modules" || path == filepath.Join(root, "bin") || path == filepath.Join(root, "out") {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || !strings.HasSuffix(name, ending) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(rel), text)
	})
}
