package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// source is the Go code of a repository.
type source struct {
	files *token.FileSet
	// module is the path of the module, such as example.com/a.
	module string
	// packages by their folders.
	packages map[string]*goPackage
}

// goPackage is the code of one folder.
type goPackage struct {
	folder string
	// files without tests; tests with them alone.
	files, tests []*ast.File
	// constants with a value of text, by name.
	constants map[string]string
	// structs are the names of the fields of struct types, in order.
	structs map[string][]string
	// lists are the literals that variables of the package are set to, by name.
	lists map[string]*ast.CompositeLit
}

// parseSource parses all packages of the module. Folders with a module of their own, as those of
// tools, are not part of it.
func parseSource(root string) (*source, error) {
	s := &source{files: token.NewFileSet(), packages: map[string]*goPackage{}}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	s.module = strings.TrimSpace(strings.TrimPrefix(first, "module "))
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if skipped(relative, entry.Name()) || relative != "." && err == nil {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return s.add(filepath.ToSlash(relative), data)
	})
	return s, err
}

// add parses one file.
func (s *source) add(name string, text []byte) error {
	file, err := parser.ParseFile(s.files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder := path.Dir(name)
	p := s.packages[folder]
	if p == nil {
		p = &goPackage{folder: folder, constants: map[string]string{}, structs: map[string][]string{}, lists: map[string]*ast.CompositeLit{}}
		s.packages[folder] = p
	}
	if strings.HasSuffix(name, "_test.go") {
		p.tests = append(p.tests, file)
		return nil
	}
	p.files = append(p.files, file)
	for _, decl := range file.Decls {
		if group, is := decl.(*ast.GenDecl); is {
			p.declare(group)
		}
	}
	return nil
}

func (p *goPackage) declare(group *ast.GenDecl) {
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for n, value := range spec.Values {
				name := spec.Names[min(n, len(spec.Names)-1)].Name
				if list, is := value.(*ast.CompositeLit); is {
					p.lists[name] = list
				}
				if value, is := text(value); is && group.Tok == token.CONST {
					p.constants[name] = value
				}
			}
		case *ast.TypeSpec:
			if fields, is := spec.Type.(*ast.StructType); is {
				p.structs[spec.Name.Name] = fieldNames(fields)
			}
		}
	}
}

func fieldNames(s *ast.StructType) []string {
	var out []string
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			out = append(out, typeName(f.Type))
		}
		for _, name := range f.Names {
			out = append(out, name.Name)
		}
	}
	return out
}

// text is the value of a literal.
func text(e ast.Expr) (string, bool) {
	literal, is := e.(*ast.BasicLit)
	if !is || literal.Kind != token.STRING {
		return "", false
	}
	value, err := strconv.Unquote(literal.Value)
	return value, err == nil
}

// typeName is the name of a type without its package.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	}
	return ""
}

// imported is the package of this repository that a file knows by a name; nil for others.
func (s *source) imported(file *ast.File, name string) *goPackage {
	for _, i := range file.Imports {
		full, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		folder, ours := strings.CutPrefix(full, s.module+"/")
		known := path.Base(full)
		if i.Name != nil {
			known = i.Name.Name
		}
		if ours && known == name {
			return s.packages[folder]
		}
	}
	return nil
}

// at is the place of a node, as file:line.
func (s *source) at(n ast.Node) string {
	p := s.files.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// folders of all packages, sorted.
func (s *source) folders() []string {
	var out []string
	for folder := range s.packages {
		out = append(out, folder)
	}
	slices.Sort(out)
	return out
}

// hasTest reports whether a package has a test function of this name.
func (s *source) hasTest(folder, name string) bool {
	p := s.packages[folder]
	if p == nil {
		return false
	}
	for _, file := range p.tests {
		for _, decl := range file.Decls {
			if f, is := decl.(*ast.FuncDecl); is && f.Recv == nil && f.Name.Name == name {
				return true
			}
		}
	}
	return false
}
