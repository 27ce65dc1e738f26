// Package evidence writes what was measured into the pages of docs/evidence. In: a table, and the page. Out: the page with the table, and
// of which tree its figures are.
package evidence

import (
	"fmt"
	"os/exec"
	"strings"
)

// Commit of the tree that is tested, marked if there are changes other than in docs/evidence and docs/gallery, which figures, pages and runs go into; unknown
// outside of a checkout.
func Commit() string {
	out, err := exec.Command("git", "describe", "--always", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)docs/evidence", ":(top,exclude)docs/gallery").Output()
	if err != nil {
		return "unknown"
	}
	mark := ""
	if len(changes) > 0 {
		mark = "-dirty"
	}
	return strings.TrimSpace(string(out)) + mark
}

// End of a table in a page, which begins with a comment of its own.
const End = "<!-- end of rows -->"

// Replace puts a table into a document, after the comment that it begins with.
func Replace(document, begin, table string) (string, error) {
	before, rest, ok1 := strings.Cut(document, begin)
	_, after, ok2 := strings.Cut(rest, End)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("the document has no %s and %s", begin, End)
	}
	return before + begin + "\n\n" + table + "\n" + End + after, nil
}

// Cell is a text in a cell of a table, which it does not end.
func Cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
