package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"time"
)

// patience is the least time that a test may limit something to: less is an assertion on how fast the machine is.
// test/helpers/hang has the limit that tests use.
const patience = time.Minute

// timingRule is broken by what a busy machine can make fail.
const timingRule = "limit of time that a busy machine can break (wait for hang.Limit, inject a clock, count operations, or measure in a Benchmark)"

// timingMark begins a comment that says why a short time is none of that, on its line or on the one above, such as
// "timing: it has to run out: nobody answers".
const timingMark = "timing:"

// unusedMark is broken by such a comment where there is no short time.
const unusedMark = "comment on timing where there is no limit of time"

// shortLimits are the limits of less than patience in tests and in what helps them. Lower bounds are none: a busy machine
// keeps them. Benchmarks, and the suite of figures in a cluster, may have bars; in a bubble of synctest no time passes.
func shortLimits(sources []source) (out []violation) {
	constants := constantsOf(sources)
	for _, s := range sources {
		if !s.test && !strings.HasPrefix(s.path, "test/helpers/") || strings.HasPrefix(s.path, "test/bench/") {
			continue
		}
		found := map[int]bool{}
		for _, d := range s.ast.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Body == nil || strings.HasPrefix(f.Name.Name, "Benchmark") {
				continue
			}
			l := limits{source: s, values: constants[s.dir()], measured: map[string]bool{}, ends: map[string]ast.Expr{}, waits: map[string]ast.Expr{}, found: found}
			ast.Inspect(f.Body, l.note)
			ast.Inspect(f.Body, l.check)
		}
		out = append(out, unmarked(s.path, found, s.marks())...)
	}
	return out
}

// unmarked are the lines of a file with a short limit and without a mark, and the marks of no such line.
func unmarked(path string, found, marks map[int]bool) (out []violation) {
	used := map[int]bool{}
	for line := range found {
		switch {
		case marks[line]:
			used[line] = true
		case marks[line-1]:
			used[line-1] = true
		default:
			out = append(out, violation{timingRule, fmt.Sprintf("%s:%d", path, line), 1, 0})
		}
	}
	for line := range marks {
		if !used[line] {
			out = append(out, violation{unusedMark, fmt.Sprintf("%s:%d", path, line), 1, 0})
		}
	}
	slices.SortFunc(out, func(a, b violation) int { return strings.Compare(a.where, b.where) })
	return out
}

// marks are the lines that have one.
func (s source) marks() map[int]bool {
	out := map[int]bool{}
	for _, group := range s.ast.Comments {
		for _, c := range group.List {
			if why, is := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), timingMark); is && strings.TrimSpace(why) != "" {
				out[s.files.Position(c.Pos()).Line] = true
			}
		}
	}
	return out
}

// limits finds the short limits of one function.
type limits struct {
	source
	values map[string]ast.Expr // constants of the package
	// measured are variables that have a measured time; ends those that have an instant from now, and waits those that have
	// a channel of time.After, each with its length.
	measured    map[string]bool
	ends, waits map[string]ast.Expr
	found       map[int]bool
}

// note what variables of the function have.
func (l limits) note(n ast.Node) bool {
	a, is := n.(*ast.AssignStmt)
	if !is || inBubble(n) {
		return !inBubble(n)
	}
	for i, to := range a.Lhs {
		name, is := to.(*ast.Ident)
		if !is || len(a.Lhs) != len(a.Rhs) {
			continue
		}
		from := a.Rhs[i]
		if length := argument(from, 0, "time.Now().Add"); length != nil {
			l.ends[name.Name] = length
		} else if length := argument(from, 0, "time.After"); length != nil {
			l.waits[name.Name] = length
		} else if l.isMeasured(from) {
			l.measured[name.Name] = true
		}
	}
	return true
}

// check one node.
func (l limits) check(n ast.Node) bool {
	if n == nil || inBubble(n) {
		return false
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		// Whatever is measured is too long, or a constant too short.
		switch n.Op {
		case token.GTR, token.GEQ:
			l.compare(n, n.X, n.Y)
		case token.LSS, token.LEQ:
			l.compare(n, n.Y, n.X)
		}
	case *ast.ForStmt:
		l.checkLoop(n)
	case *ast.RangeStmt:
		if n.Key == nil || n.Value == nil {
			l.checkTries(n, n.X, n.Body)
		}
	case *ast.CallExpr:
		l.checkCall(n)
		l.checkFlags(n.Args)
	case *ast.AssignStmt:
		l.checkLimits(n)
	case *ast.CommClause:
		l.checkClause(n)
	case *ast.CompositeLit:
		l.checkFlags(n.Elts)
		if t := text(n.Type); t == "http.Client" || t == "net.Dialer" || t == "exec.Cmd" {
			for _, e := range n.Elts {
				if e, is := e.(*ast.KeyValueExpr); is && text(e.Key) == "Timeout" {
					l.short(e, e.Value)
				}
			}
		}
	}
	return true
}

// compare what has to be measured for a violation with what has to be a short constant.
func (l limits) compare(at ast.Node, long, bound ast.Expr) {
	unit := time.Nanosecond
	for name, u := range map[string]time.Duration{"Seconds": time.Second, "Milliseconds": time.Millisecond, "Microseconds": time.Microsecond} {
		if contains(long, func(n ast.Node) bool { s, is := n.(*ast.SelectorExpr); return is && s.Sel.Name == name }) {
			unit = u
		}
	}
	if d, known := l.duration(bound); known && l.isMeasured(long) && d > 0 && time.Duration(float64(d)*float64(unit)) < patience {
		l.found[l.line(at)] = true
	}
}

// checkLoop: one that goes on for so long, or until an instant.
func (l limits) checkLoop(n *ast.ForStmt) {
	if c, is := n.Cond.(*ast.BinaryExpr); is && (c.Op == token.LSS || c.Op == token.LEQ) && l.isMeasured(c.X) {
		l.short(c, c.Y)
	}
	if c, is := n.Cond.(*ast.BinaryExpr); is && c.Op == token.LSS {
		l.checkTries(n, c.Y, n.Body)
	}
}

// checkTries: a loop that looks so many times, with a pause in between, and may end before.
func (l limits) checkTries(at ast.Node, times ast.Expr, body *ast.BlockStmt) {
	count, known := l.number(times)
	ends := contains(body, func(n ast.Node) bool {
		if _, is := n.(*ast.ReturnStmt); is {
			return true
		}
		b, is := n.(*ast.BranchStmt)
		return is && b.Tok == token.BREAK
	})
	if !known || !ends {
		return
	}
	for _, s := range body.List {
		if e, is := s.(*ast.ExprStmt); is {
			if pause := argument(e.X, 0, "time.Sleep"); pause != nil {
				if d, known := l.duration(pause); known && d*time.Duration(count) < patience {
					l.found[l.line(at)] = true
				}
			}
		}
	}
}

// waiting are functions of tests that wait for something, by their names.
var waiting = regexp.MustCompile(`(?i)^(await|eventually|within|wait(for|until)?)([A-Z].*)?$`)

// checkCall: contexts and connections that end, and functions that wait, for so long.
func (l limits) checkCall(n *ast.CallExpr) {
	name := text(n.Fun)
	last := name[strings.LastIndex(name, ".")+1:]
	switch {
	case name == "context.WithTimeout" && len(n.Args) == 2:
		l.short(n, n.Args[1])
	case name == "context.WithDeadline" && len(n.Args) == 2:
		l.short(n, l.instant(n.Args[1]))
	case (last == "SetDeadline" || last == "SetReadDeadline" || last == "SetWriteDeadline") && len(n.Args) == 1:
		l.short(n, l.instant(n.Args[0]))
	case (last == "Before" || last == "After") && len(n.Args) == 1 && (isNow(n.Args[0]) || strings.HasPrefix(name, "time.Now().")):
		l.short(n, l.instant(n.Args[0]))
		if s, is := n.Fun.(*ast.SelectorExpr); is {
			l.short(n, l.instant(s.X))
		}
	case waiting.MatchString(last):
		var longest ast.Expr
		for _, a := range n.Args {
			if d, known := l.duration(a); known && isDuration(a) && (longest == nil || d > l.must(longest)) {
				longest = a
			}
		}
		l.short(n, longest)
	}
}

// checkClause: what fails when nothing came for so long. Whoever only looks that nothing comes may look for a moment.
func (l limits) checkClause(n *ast.CommClause) {
	e, is := n.Comm.(*ast.ExprStmt)
	if !is {
		return
	}
	receive, is := e.X.(*ast.UnaryExpr)
	if !is || !slices.ContainsFunc(n.Body, fails) {
		return
	}
	length := argument(receive.X, 0, "time.After")
	if name, is := receive.X.(*ast.Ident); is {
		length = l.waits[name.Name]
	}
	l.short(n, length)
}
