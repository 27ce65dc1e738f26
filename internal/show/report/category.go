package report

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// categories of the schemes of drivers: how the statements of an operation get to the server. They are those of published comparisons
// of schemes, with one more for what a driver makes of a call for many rows (docs/contributing/driver-protocol.md#schemes).
var categories = map[string]string{
	"SingleRow": "serial", "Prepared": "serial", "Pipelined": "pipeline", "ExecuteMany": "bulk", "Batch": "bulk",
	"MultiRow": "text", "MultiStatement": "text", "InList": "text",
}

// heading of the rows of a table: a column for each thing in which its series differ.
type heading struct {
	head []column
	// dimensions of the columns; empty for one column with the name of the series.
	dimensions []string
	// category: there is a column for the category of the scheme.
	category bool
}

// first columns of a table of placed entries.
func (l layout) first(all []placed) heading {
	if len(l.series) < 2 {
		return heading{head: []column{{strings.Join(l.series, ", "), false}}}
	}
	h := heading{dimensions: l.series}
	for _, name := range l.series {
		h.head = append(h.head, column{name, false})
	}
	known := func(p placed) bool { return categories[p.entry.Labels["scheme"]] != "" }
	if slices.Contains(l.series, "scheme") && !slices.Contains(l.series, "category") && slices.ContainsFunc(all, known) {
		h.category = true
		h.head = append(h.head, column{"category", false})
	}
	return h
}

// cells of the row of a series, with one of its entries.
func (h heading) cells(series string, e *v1alpha1.SummaryEntry) []cell {
	if len(h.dimensions) == 0 {
		return []cell{{Text: series, Heading: true}}
	}
	var out []cell
	d := dimensionsOf(e)
	for i, name := range h.dimensions {
		out = append(out, cell{Text: orDash(d[name]), Heading: i == 0})
	}
	if h.category {
		out = append(out, cell{Text: orDash(categories[d["scheme"]])})
	}
	return out
}
