package main

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// indexPage has a question for each page.
const indexPage = "docs/README.md"

// checkIndex: a reader finds each page of docs by a question of the index, or in the list of the page's folder. Pages of a folder
// below, such as those of single checks, stand in a list that the index links.
func checkIndex(docs documents) []problem {
	listed := leadsTo(docs, indexPage)
	below := map[string]bool{}
	for page := range listed {
		maps.Copy(below, leadsTo(docs, page))
	}
	var out []problem
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		folder, depth := path.Dir(name), strings.Count(name, "/")
		if !strings.HasPrefix(name, "docs/") || name == indexPage {
			continue
		}
		found := listed[name] || depth == 2 && leadsTo(docs, path.Join(folder, "README.md"))[name] || depth > 2 && below[name]
		if !found {
			out = append(out, problem{name, "no question of " + indexPage + " leads to the page"})
		}
	}
	return out
}

// leadsTo are the documents that a document links to.
func leadsTo(docs documents, from string) map[string]bool {
	out := map[string]bool{}
	for _, link := range docs[from].links() {
		name, _, _ := strings.Cut(link, "#")
		out[path.Join(path.Dir(from), name)] = true
	}
	return out
}
