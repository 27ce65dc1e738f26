package main

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/show/explain"
	"github.com/assay-bench/assay/test/helpers/tree"
)

func TestLinks(t *testing.T) {
	rest := map[string]string{
		"Makefile":                       "GO := go\n.PHONY: test\ntest: unit ## all\n\techo\nunit:\nbench-scale:\n",
		"README.md":                      "# The claim\n",
		"docs/other.md":                  "# Other\n## Two words, `code`\n```\n# no heading\n```\n",
		"engines/mysql/a.go":             "package mysql\n",
		"docs/schema.json":               "{}",
		"bin/tool.md":                    "[x](nowhere.md)\n",
		"runners/README.md":              "[up](../docs/other.md#other) and [this](#this)\n# This\n",
		"internal/experiment/queue/q.go": "package queue\n",
	}
	tests := map[string]struct{ text, err string }{
		"good links":                             {"[a](other.md) [b](../README.md#the-claim) [c](#here) [d](other.md#two-words-code) [e](https://x.example/y)\n# Here\n", ""},
		"a file that is not there":               {"[a](gone.md)", "the link to gone.md leads nowhere"},
		"a heading that is not there":            {"[a](other.md#three)", "docs/other.md has no heading for #three"},
		"a heading of this page":                 {"[a](#gone)", "has no heading for #gone"},
		"a heading within a code block is none":  {"[a](other.md#no-heading)", "has no heading"},
		"a link in a code block is none":         {"```\n[a](gone.md)\n```", ""},
		"a link in backticks is none":            {"`[a](gone.md)`", ""},
		"paths":                                  {"`engines/mysql`, `engines/mysql/`, `docs/schema.json`, `schema.json`, `README.md`", ""},
		"a path that is gone":                    {"`engines/oracle/a.go`", "there is no engines/oracle/a.go"},
		"a root file that is gone":               {"`SECURITY.md`", "there is no SECURITY.md"},
		"a placeholder":                          {"`engines/<flavor>/x.go` and `engines/*/y`", ""},
		"a placeholder in a folder that is gone": {"`engines/oracle/<x>`", "there is no engines/oracle/<x>"},
		"a package and a test":                   {"`internal/experiment/queue.TestX`", ""},
		"a test of a package that is gone":       {"`internal/gone.TestX`", "there is no internal/gone.TestX"},
		"no path":                                {"`a/b`, `tx/s`, `engines`, `go test ./engines/x`", ""},
		"make targets":                           {"`make test` and\n```\nmake unit bench-scale # both\n```", ""},
		"a make target that is gone":             {"`make lint`", "there is no make lint"},
		"a make target that is gone, in a block": {"```\nmake test gone\n```", "there is no make gone"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rest["docs/page.md"] = tt.text
			root := tree.Of(t, rest)
			docs, err := readDocuments(root)
			if err != nil {
				t.Fatal(err)
			}
			problems, err := checkLinks(root, docs)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, problems, tt.err)
		})
	}
}

// All parts of the check see a repository, and each of them can fail.
func TestCheck(t *testing.T) {
	root := tree.Of(t, map[string]string{
		"go.mod": "module m\n", "Makefile": "test:\n",
		findingsPage:                   "`a`\n",
		"internal/trial/validity/f.go": "package validity\ntype Finding struct { Check, Message string }\nvar f = []Finding{{\"a\", \"it is\"}, {\"b\", \"a message\"}}\n",
		"api/v1alpha1/c.go":            "package v1alpha1\nconst ReasonGone = \"Gone\"\n",
		"docs/evidence/claims.md":      "- It is fast.\n",
		"README.md":                    "`make gone`\n",
		"docs/README.md":               "[checks](reference/checks.md)\n",
		"hack/tools/x/go.mod":          "module x\n", "hack/tools/x/broken.go": "no Go\n",
	})
	problems, err := check(root, []explain.Entry{{Kind: explain.Check, Name: "a", Example: "a message"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.String())
	}
	want := []string{
		"README.md: there is no make gone",
		"api/v1alpha1/c.go:2: nothing gives the reason ReasonGone",
		"docs/evidence/claims.md: no question of docs/README.md leads to the page",
		"docs/evidence/claims.md:1: no test and no figure shows this claim: It is fast.",
		findingsPage + ": the check b (internal/trial/validity/f.go:3) is not explained",
		textsFolder + ": the check b (internal/trial/validity/f.go:3) has no text",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
