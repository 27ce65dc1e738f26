package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strings"
	"time"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// constantsOf are the constants by folder and name, of the package or of a function.
func constantsOf(sources []source) map[string]map[string]ast.Expr {
	out := map[string]map[string]ast.Expr{}
	for _, s := range sources {
		names := out[s.dir()]
		if names == nil {
			names = map[string]ast.Expr{}
			out[s.dir()] = names
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			d, is := n.(*ast.GenDecl)
			if !is || d.Tok != token.CONST {
				return true
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec) // of const
				for i, name := range v.Names {
					if i < len(v.Values) {
						names[name.Name] = v.Values[i]
					}
				}
			}
			return true
		})
	}
	return out
}

// units of durations, and the limit of what hangs.
var units = map[string]time.Duration{
	"time.Nanosecond": time.Nanosecond, "time.Microsecond": time.Microsecond, "time.Millisecond": time.Millisecond,
	"time.Second": time.Second, "time.Minute": time.Minute, "time.Hour": time.Hour, "hang.Limit": hang.Limit,
}

// value of a constant expression; unknown for one that is none.
func (l limits) value(e ast.Expr, depth int) constant.Value {
	unknown := constant.MakeUnknown()
	if depth > 10 {
		return unknown
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.ParenExpr:
		return l.value(e.X, depth+1)
	case *ast.SelectorExpr:
		if u, is := units[text(e)]; is {
			return constant.MakeInt64(int64(u))
		}
	case *ast.Ident:
		if c, is := l.values[e.Name]; is {
			return l.value(c, depth+1)
		}
	case *ast.CallExpr:
		if text(e.Fun) == "time.Duration" && len(e.Args) == 1 {
			return l.value(e.Args[0], depth+1)
		}
	case *ast.BinaryExpr:
		x, y := constant.ToFloat(l.value(e.X, depth+1)), constant.ToFloat(l.value(e.Y, depth+1))
		switch e.Op {
		case token.MUL, token.ADD, token.SUB, token.QUO:
			if x.Kind() == constant.Float && y.Kind() == constant.Float {
				return constant.BinaryOp(x, e.Op, y)
			}
		}
	}
	return unknown
}

func (l limits) number(e ast.Expr) (float64, bool) {
	if e == nil {
		return 0, false
	}
	v := constant.ToFloat(l.value(e, 0))
	if v.Kind() != constant.Float {
		return 0, false
	}
	f, _ := constant.Float64Val(v)
	return f, true
}

func (l limits) duration(e ast.Expr) (time.Duration, bool) {
	f, known := l.number(e)
	return time.Duration(f), known
}

func (l limits) must(e ast.Expr) time.Duration {
	d, _ := l.duration(e)
	return d
}

// short notes a place whose length is a constant of less than patience.
func (l limits) short(at ast.Node, length ast.Expr) {
	if d, known := l.duration(length); known && d < patience {
		l.found[l.line(at)] = true
	}
}

func (l limits) line(n ast.Node) int { return l.files.Position(n.Pos()).Line }

// instant is how far from now an instant is; nil where it is not said.
func (l limits) instant(e ast.Expr) ast.Expr {
	if name, is := e.(*ast.Ident); is {
		return l.ends[name.Name]
	}
	return argument(e, 0, "time.Now().Add")
}

// isMeasured says whether an expression has a time that passed: between instants, or in a variable.
func (l limits) isMeasured(e ast.Expr) bool {
	return contains(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			return l.measured[n.Name] || n.Name == "took" || n.Name == "elapsed"
		case *ast.CallExpr:
			name := text(n.Fun)
			return name == "time.Since" || strings.HasSuffix(name, ".NsPerOp") || strings.HasSuffix(name, ".Sub") && len(n.Args) == 1
		}
		return false
	})
}

// isDuration says whether a constant is a length of time, and no number.
func isDuration(e ast.Expr) bool {
	return contains(e, func(n ast.Node) bool {
		s, is := n.(*ast.SelectorExpr)
		_, unit := units[text(s)]
		return is && unit
	})
}

func isNow(e ast.Expr) bool { return text(e) == "time.Now()" }

// inBubble says whether time stands still in a node: a call of synctest.Test.
func inBubble(n ast.Node) bool {
	c, is := n.(*ast.CallExpr)
	return is && text(c.Fun) == "synctest.Test"
}

// fails says whether a statement makes a test fail.
func fails(s ast.Stmt) bool {
	return contains(s, func(n ast.Node) bool {
		c, is := n.(*ast.CallExpr)
		if !is {
			return false
		}
		name := text(c.Fun)
		switch name[strings.LastIndex(name, ".")+1:] {
		case "Fatal", "Fatalf", "Error", "Errorf", "panic":
			return true
		}
		return false
	})
}

// argument of a call of the function of this name; nil for anything else.
func argument(e ast.Expr, at int, name string) ast.Expr {
	if c, is := e.(*ast.CallExpr); is && text(c.Fun) == name && at < len(c.Args) {
		return c.Args[at]
	}
	return nil
}

// contains says whether something within a node is as asked for.
func contains(in ast.Node, is func(ast.Node) bool) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

// text of a name, a selector, or a call without arguments; empty for any other expression.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if e == nil {
			return ""
		}
		return text(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		if len(e.Args) == 0 {
			return text(e.Fun) + "()"
		}
	}
	return ""
}
