package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// claimsPage is the ledger of claims.
const claimsPage = "docs/evidence/claims.md"

// claim is an item of the ledger: a list item without indentation, with the lines below it up
// to an empty line or the next item.
type claim struct {
	line int
	text string
}

// claims of a document.
func claims(d document) []claim {
	var out []claim
	open := false
	number := 0
	for line := range strings.Lines(d.prose) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "- "):
			out = append(out, claim{number, strings.TrimPrefix(trimmed, "- ")})
			open = true
		case trimmed == "" || strings.HasPrefix(line, "#"):
			open = false
		case open:
			out[len(out)-1].text += " " + trimmed
		}
	}
	return out
}

// testName is `path/of/package.TestName`, in backticks.
var testName = regexp.MustCompile(`^([a-z0-9_/.-]+)\.((?:Test|Fuzz|Benchmark)[A-Za-z0-9_]*)$`)

// checkClaims: each claim of the ledger names an existing test, or links to a heading of a
// page of figures. checkLinks checks the heading.
func checkClaims(s *source, docs documents) []problem {
	page, there := docs[claimsPage]
	if !there {
		return []problem{{claimsPage, "the ledger of claims is not there"}}
	}
	all := claims(page)
	if len(all) == 0 {
		return []problem{{claimsPage, "the ledger has no claim: a claim is a list item"}}
	}
	var out []problem
	for _, c := range all {
		where := fmt.Sprintf("%s:%d", claimsPage, c.line)
		item := newDocument(claimsPage, c.text)
		shown := false
		for _, span := range item.spans() {
			m := testName.FindStringSubmatch(span)
			if m == nil {
				continue
			}
			shown = true
			if !s.hasTest(m[1], m[2]) {
				out = append(out, problem{where, "there is no test " + span})
			}
		}
		for _, link := range item.links() {
			name, heading, _ := strings.Cut(link, "#")
			shown = shown || heading != "" && isFigures(path.Base(name))
		}
		if !shown {
			out = append(out, problem{where, "no test and no figure shows this claim: " + c.text})
		}
	}
	return out
}

// isFigures reports whether a page has measured figures.
func isFigures(name string) bool { return name == "performance.md" || name == "reproductions.md" }
