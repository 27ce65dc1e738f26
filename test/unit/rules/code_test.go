package rules

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// Limits of the rules.
const (
	maxFileLines     = 400
	maxFunctionLines = 70 // tests are tables, and may be longer
	maxMethods       = 20
)

// longFiles have more lines than maxFileLines.
func longFiles(sources []source) (out []violation) {
	for _, s := range sources {
		if s.lines > maxFileLines {
			out = append(out, violation{"lines of a file", s.path, s.lines, maxFileLines})
		}
	}
	return out
}

// longFunctions have more lines than maxFunctionLines; tests are left out.
func longFunctions(sources []source) (out []violation) {
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			if f, is := d.(*ast.FuncDecl); is && !s.test && s.span(f) > maxFunctionLines {
				out = append(out, violation{"lines of a function", s.path + " " + nameOf(f), s.span(f), maxFunctionLines})
			}
		}
	}
	return out
}

// largeTypes have more methods than maxMethods, in all files of a package.
func largeTypes(sources []source) (out []violation) {
	methods := map[string]int{}
	for _, s := range sources {
		for _, d := range s.ast.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil {
				methods[s.dir()+" "+receiverOf(f)]++
			}
		}
	}
	for _, where := range slices.Sorted(maps.Keys(methods)) {
		if methods[where] > maxMethods {
			out = append(out, violation{"methods of a type", where, methods[where], maxMethods})
		}
	}
	return out
}

// uncommented are the packages without a comment and the exported names without one. A
// comment on a group of constants or variables counts for each of them. Tests and methods
// of types that are not exported are left out.
func uncommented(sources []source) (out []violation) {
	commented := map[string]bool{}
	for _, s := range sources {
		if s.test {
			continue
		}
		commented[s.dir()] = commented[s.dir()] || s.ast.Doc != nil
		for _, d := range s.ast.Decls {
			for _, name := range uncommentedIn(d) {
				out = append(out, violation{"exported name without a comment", s.path + " " + name, 1, 0})
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(commented)) {
		if !commented[dir] {
			out = append(out, violation{"package without a comment", dir, 1, 0})
		}
	}
	return out
}

func uncommentedIn(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiverOf(d))) && !conventional[d.Name.Name] {
			names = append(names, nameOf(d))
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc != nil {
			return nil
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Doc == nil && spec.Comment == nil && spec.Name.IsExported() {
					names = append(names, spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if spec.Doc == nil && spec.Comment == nil && name.IsExported() {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// conventional are methods whose meaning the standard library gives.
var conventional = map[string]bool{
	"Error": true, "String": true, "Unwrap": true, "Read": true, "Write": true, "Close": true, "ServeHTTP": true,
	"Len": true, "Less": true, "Swap": true, "MarshalJSON": true, "UnmarshalJSON": true,
}

// nameOf a function: Name or Type.Name.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return receiverOf(f) + "." + f.Name.Name
}

// receiverOf a method: the name of its type.
func receiverOf(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}
