// Command check-docs fails when a document contradicts the repository. It runs in the root of
// the repository; hack/verify.sh calls it. It checks
//
//	links.go     links, headings, paths in backticks, make targets
//	findings.go  every check that makes a finding is on its page; its names come from the Go sources
//	explained.go every check has a text of its own, and examples are messages that the sources give
//	reasons.go   every reason of a condition is used
//	claims.go    every claim of the ledger names a test or a figure that exists
//	commands.go  every command of a page is executed by a test, or the page says why not
//	index.go     the index leads to every page
//	source.go    the Go packages of the repository, parsed
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/show/explain"
)

// problem is one contradiction: a place, such as a file or file:line, and a description.
type problem struct{ where, what string }

// String is the problem as one line.
func (p problem) String() string { return p.where + ": " + p.what }

func main() {
	entries, err := explain.All()
	if err != nil {
		fmt.Fprintln(os.Stderr, "check-docs:", err)
		os.Exit(1)
	}
	problems, err := check(".", entries)
	if err != nil {
		fmt.Fprintln(os.Stderr, "check-docs:", err)
		os.Exit(1)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		fmt.Fprintf(os.Stderr, "check-docs: %d problems\n", len(problems))
		os.Exit(1)
	}
}

// check returns all problems of a repository, by place.
func check(root string, entries []explain.Entry) ([]problem, error) {
	docs, err := readDocuments(root)
	if err != nil {
		return nil, err
	}
	source, err := parseSource(root)
	if err != nil {
		return nil, err
	}
	problems, err := checkLinks(root, docs)
	if err != nil {
		return nil, err
	}
	problems = append(problems, checkFindings(source, docs)...)
	problems = append(problems, checkExplained(source, entries)...)
	problems = append(problems, checkReasons(source)...)
	problems = append(problems, checkClaims(source, docs)...)
	problems = append(problems, checkCommands(source, docs)...)
	problems = append(problems, checkIndex(docs)...)
	slices.SortStableFunc(problems, func(a, b problem) int { return strings.Compare(a.where, b.where) })
	return problems, nil
}
