package main

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// findingsPage explains every check.
const findingsPage = "docs/reference/checks.md"

// checkFindings: every check that a finding names is explained on its page.
func checkFindings(s *source, docs documents) []problem {
	names, problems := checkNames(s)
	page, there := docs[findingsPage]
	if !there {
		return append(problems, problem{findingsPage, "the page that explains the checks is not there"})
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !strings.Contains(page.text, "`"+name+"`") {
			problems = append(problems, problem{findingsPage, fmt.Sprintf("the check %s (%s) is not explained", name, names[name])})
		}
	}
	if len(names) == 0 {
		problems = append(problems, problem{findingsPage, "no check was found in the sources"})
	}
	return problems
}

// checkNames are the names in the field Check of findings, each with one place, and the places
// where a name cannot be derived from the source.
func checkNames(s *source) (map[string]string, []problem) {
	r := &resolver{source: s, names: map[string]string{}, seen: map[ast.Expr]bool{}}
	for _, folder := range s.folders() {
		if first, _, _ := strings.Cut(folder, "/"); first == "hack" || first == "test" {
			continue
		}
		for _, file := range s.packages[folder].files {
			r.index(s.packages[folder], file)
		}
	}
	for _, l := range r.literals {
		if kind := typeName(l.kind); kind != "Finding" && kind != "RecordedFinding" {
			continue
		}
		if name := r.field(l, "Check"); name != nil {
			r.resolve(l.site, name)
		}
	}
	return r.names, r.problems
}

// site is where an expression stands.
type site struct {
	p    *goPackage
	file *ast.File
	// functions around it, the innermost last: *ast.FuncDecl and *ast.FuncLit.
	functions []ast.Node
}

// literal is a composite literal with its type, which Go lets one leave out within another.
type literal struct {
	site
	node *ast.CompositeLit
	kind ast.Expr
}

type call struct {
	site
	node *ast.CallExpr
}

// resolver derives the values of expressions from the source without types: literals,
// constants, variables of a function, arguments of calls, and fields of literals.
type resolver struct {
	*source
	literals []literal
	calls    []call
	names    map[string]string
	seen     map[ast.Expr]bool
	problems []problem
}

// index collects the literals and calls of a file.
func (r *resolver) index(p *goPackage, file *ast.File) {
	kinds := map[*ast.CompositeLit]ast.Expr{}
	var path []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		switch n := n.(type) {
		case *ast.CompositeLit:
			kind := n.Type
			if kind == nil {
				kind = kinds[n]
			}
			elided(n, kind, kinds)
			r.literals = append(r.literals, literal{site{p, file, functions(path)}, n, kind})
		case *ast.CallExpr:
			r.calls = append(r.calls, call{site{p, file, functions(path)}, n})
		}
		return true
	})
}

// elided notes the types that the elements of a list or a map leave out.
func elided(n *ast.CompositeLit, kind ast.Expr, kinds map[*ast.CompositeLit]ast.Expr) {
	var element ast.Expr
	switch kind := kind.(type) {
	case *ast.ArrayType:
		element = kind.Elt
	case *ast.MapType:
		element = kind.Value
	default:
		return
	}
	for _, e := range n.Elts {
		if pair, is := e.(*ast.KeyValueExpr); is {
			e = pair.Value
		}
		if inner, is := e.(*ast.CompositeLit); is && inner.Type == nil {
			kinds[inner] = element
		}
	}
}

func functions(path []ast.Node) []ast.Node {
	var out []ast.Node
	for _, n := range path {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			out = append(out, n)
		}
	}
	return out
}

// field is the value that a literal gives a field; nil when it gives none.
func (r *resolver) field(l literal, name string) ast.Expr {
	for n, e := range l.node.Elts {
		pair, keyed := e.(*ast.KeyValueExpr)
		if keyed {
			if key, is := pair.Key.(*ast.Ident); is && key.Name == name {
				return pair.Value
			}
			continue
		}
		if fields := r.fields(l); n < len(fields) && fields[n] == name {
			return e
		}
	}
	return nil
}

// fields of the type of a literal, in order.
func (r *resolver) fields(l literal) []string {
	switch kind := l.kind.(type) {
	case *ast.StructType:
		return fieldNames(kind)
	case *ast.Ident:
		return l.p.structs[kind.Name]
	case *ast.SelectorExpr:
		if x, is := kind.X.(*ast.Ident); is {
			if p := r.imported(l.file, x.Name); p != nil {
				return p.structs[kind.Sel.Name]
			}
		}
	}
	return nil
}

// resolve adds all values that an expression can have to the names.
func (r *resolver) resolve(at site, e ast.Expr) {
	if r.seen[e] {
		return
	}
	r.seen[e] = true
	if value, is := text(e); is {
		r.add(value, e)
		return
	}
	known := false
	switch e := e.(type) {
	case *ast.Ident:
		known = r.resolveName(at, e)
	case *ast.SelectorExpr:
		known = r.resolveSelector(at, e)
	}
	if !known {
		r.problems = append(r.problems, problem{r.at(e), "the name of this finding's check cannot be read off the source: write it as text or as a constant"})
	}
}

func (r *resolver) add(name string, e ast.Expr) {
	if _, there := r.names[name]; !there {
		r.names[name] = r.at(e)
	}
}

// resolveName looks a name up from the inside out: variables and parameters of the functions
// around it, then constants of the package.
func (r *resolver) resolveName(at site, e *ast.Ident) bool {
	for n := len(at.functions) - 1; n >= 0; n-- {
		inside := site{at.p, at.file, at.functions[:n+1]}
		if values := assigned(at.functions[n], e.Name); len(values) > 0 {
			for _, v := range values {
				r.resolve(inside, v)
			}
			return true
		}
		if position := parameter(at.functions[n], e.Name); position >= 0 {
			return r.resolveArguments(inside, position)
		}
	}
	value, is := at.p.constants[e.Name]
	if is {
		r.add(value, e)
	}
	return is
}

// resolveSelector: a constant of another package, the check of another finding, which is found
// where that is made, or a field, whose values are those of the package's literals.
func (r *resolver) resolveSelector(at site, e *ast.SelectorExpr) bool {
	if x, is := e.X.(*ast.Ident); is {
		if p := r.imported(at.file, x.Name); p != nil {
			value, is := p.constants[e.Sel.Name]
			if is {
				r.add(value, e)
			}
			return is
		}
	}
	if e.Sel.Name == "Check" {
		return true
	}
	known := false
	kind := ""
	if x, is := e.X.(*ast.Ident); is {
		kind = r.kindOf(at, x.Name)
	}
	for _, l := range r.literals {
		if l.p != at.p || kind != "" && typeName(l.kind) != kind {
			continue
		}
		if value := r.field(l, e.Sel.Name); value != nil && slices.Contains(r.fields(l), e.Sel.Name) {
			r.resolve(l.site, value)
			known = true
		}
	}
	return known
}

// kindOf is the name of the type of a variable that ranges over a list of its package;
// empty for others.
func (r *resolver) kindOf(at site, name string) string {
	list := ""
	for n := len(at.functions) - 1; n >= 0 && list == ""; n-- {
		ast.Inspect(at.functions[n], func(n ast.Node) bool {
			if loop, is := n.(*ast.RangeStmt); is {
				if id, is := loop.Value.(*ast.Ident); is && id.Name == name {
					list = typeName(loop.X)
				}
			}
			return true
		})
	}
	for _, l := range r.literals {
		kind, is := l.kind.(*ast.ArrayType)
		if is && list != "" && l.p == at.p && at.p.lists[list] == l.node {
			return typeName(kind.Elt)
		}
	}
	return ""
}

// resolveArguments adds what the callers of the innermost function pass at a position.
func (r *resolver) resolveArguments(at site, position int) bool {
	name, outer := functionName(at)
	known := false
	for _, c := range r.calls {
		if name == "" || position >= len(c.node.Args) || typeName(c.node.Fun) != name {
			continue
		}
		_, plain := c.node.Fun.(*ast.Ident)
		if plain && c.p != at.p || outer != nil && (len(c.functions) == 0 || c.functions[0] != outer) {
			continue
		}
		r.resolve(c.site, c.node.Args[position])
		known = true
	}
	return known
}

// functionName is what the innermost function is called by. One that a variable holds is called
// within the function around it only.
func functionName(at site) (name string, outer ast.Node) {
	switch f := at.functions[len(at.functions)-1].(type) {
	case *ast.FuncDecl:
		return f.Name.Name, nil
	case *ast.FuncLit:
		outer = at.functions[0]
		ast.Inspect(outer, func(n ast.Node) bool {
			if a, is := n.(*ast.AssignStmt); is && len(a.Lhs) == len(a.Rhs) {
				for n, value := range a.Rhs {
					if value == f {
						name = typeName(a.Lhs[n])
					}
				}
			}
			return true
		})
	}
	return name, outer
}

// assigned are the values that a function gives a variable.
func assigned(function ast.Node, name string) []ast.Expr {
	var out []ast.Expr
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for at, left := range n.Lhs {
				if id, is := left.(*ast.Ident); is && id.Name == name && len(n.Lhs) == len(n.Rhs) {
					out = append(out, n.Rhs[at])
				}
			}
		case *ast.ValueSpec:
			for at, id := range n.Names {
				if id.Name == name && at < len(n.Values) {
					out = append(out, n.Values[at])
				}
			}
		case *ast.RangeStmt:
			if id, is := n.Value.(*ast.Ident); is && id.Name == name {
				if list, is := n.X.(*ast.CompositeLit); is {
					out = append(out, list.Elts...)
				}
			}
		}
		return true
	})
	return out
}

// parameter is the position of a parameter among those of a function; -1 when it has none of
// that name.
func parameter(function ast.Node, name string) int {
	var kind *ast.FuncType
	switch f := function.(type) {
	case *ast.FuncDecl:
		kind = f.Type
	case *ast.FuncLit:
		kind = f.Type
	}
	position := 0
	for _, group := range kind.Params.List {
		for _, id := range group.Names {
			if id.Name == name {
				return position
			}
			position++
		}
	}
	return -1
}
