package rules

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What a test of Go limits in another program, or in the product, is found here.

// limitOfProduct is a field with a limit of the product, such as Config.Timeouts.Upload.Duration. A test that shortens one
// limits whatever has to succeed within it.
var limitOfProduct = regexp.MustCompile(`\.(?:Timeouts|Hold)\.|[a-z]Timeout(?:\.Duration)?$`)

// checkLimits: assignments of a short time to limits of the product.
func (l limits) checkLimits(n *ast.AssignStmt) {
	for i, to := range n.Lhs {
		if len(n.Lhs) != len(n.Rhs) || !limitOfProduct.MatchString(text(to)) {
			continue
		}
		if d, known := l.duration(n.Rhs[i]); known && d > 0 {
			l.short(n, n.Rhs[i])
		}
	}
}

var (
	// timeoutFlag is a flag with the limit of a command; its value follows, in the same text or in the next one.
	timeoutFlag = regexp.MustCompile(`(?:^|\s)--?(?:[a-z-]+-)?timeout(?:[= ]([0-9][0-9a-zµ.]*))?`)
	// timeoutCommand is coreutils' timeout.
	timeoutCommand = regexp.MustCompile(`(?:^|[\s({;|&])timeout\s+(\d+)s?\s`)
)

// checkFlags: arguments of commands with a short limit, such as "--timeout", "2s" and "kubectl wait --timeout=5s".
func (l limits) checkFlags(args []ast.Expr) {
	for i, arg := range args {
		said, is := literal(arg)
		if !is {
			continue
		}
		for _, m := range timeoutCommand.FindAllStringSubmatch(said, -1) {
			l.shortText(arg, m[1]+"s")
		}
		for _, m := range timeoutFlag.FindAllStringSubmatch(said, -1) {
			value := m[1]
			if value == "" && i+1 < len(args) && strings.HasSuffix(said, m[0]) {
				value, _ = literal(args[i+1])
			}
			l.shortText(arg, value)
		}
	}
}

// shortText notes a place with a text that is a short length of time. 0 is for ever, or not at all.
func (l limits) shortText(at ast.Node, length string) {
	if d, err := time.ParseDuration(length); err == nil && d > 0 && d < patience {
		l.found[l.line(at)] = true
	}
}

// literal is the text of a constant string.
func literal(e ast.Expr) (string, bool) {
	lit, is := e.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return "", false
	}
	said, err := strconv.Unquote(lit.Value)
	return said, err == nil
}
