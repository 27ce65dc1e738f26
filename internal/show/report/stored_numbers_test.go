package report_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

// storedRun of an experiment of the gallery.
func storedRun(t *testing.T, name string) *stored.Run {
	t.Helper()
	b, err := bundle.Open("../../../docs/gallery/" + name + bundle.Extension)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	run, err := stored.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// mediansOf the summary in a bundle, as the page writes numbers, by measurement and unit.
func mediansOf(t *testing.T, name string) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	for _, e := range storedRun(t, name).Summary.Entries {
		what := e.Name
		if what == contract.NameLatencyPercentile {
			what = "latency p" + e.Labels[contract.LabelPercentile]
		}
		what += ", " + e.Unit
		if out[what] == nil {
			out[what] = map[string]bool{"–": true}
		}
		median, _ := readout.MeasurementOf(e).Figures()
		out[what][median] = true
	}
	return out
}

// subject of a table or a picture: the measurement and its unit, the last two parts of its caption before the colon.
func subject(caption string) string {
	before, _, _ := strings.Cut(caption, ": ")
	parts := strings.Split(before, ", ")
	return strings.Join(parts[max(len(parts)-2, 0):], ", ")
}

// first text of a cell: its number, without what stands below it.
func first(cell *html.Node) string {
	for n := range cell.Descendants() {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			return strings.TrimSpace(n.Data)
		}
	}
	return ""
}

// drawn is the number that a mark of a picture says when it is pointed at.
var drawn = regexp.MustCompile(`: median ([0-9.,]*[0-9])`)

// checkNumbers: each number in the tables of medians, and in the pictures of them, is to the same digits that of the one summary that
// the bundle has. It returns how many there are.
func checkNumbers(t *testing.T, name string, page *html.Node) (inTables, inPictures int) {
	t.Helper()
	medians := mediansOf(t, name)
	for caption, table := range tables(section(t, page, "Comparison"), ": medians of the trials that count") {
		lone, titles := -1, heads(table)
		for i, h := range titles {
			if strings.HasPrefix(h, "median, ") {
				lone = i
			}
		}
		for _, row := range rows(table) {
			for i, cell := range row {
				if i == 0 || lone >= 0 && i != lone || lone < 0 && !isNumber(cell) {
					continue
				}
				if got := first(cell); !medians[subject(caption)][got] {
					t.Errorf("%s: %q of %s is no median of the summary", caption, got, text(row[0]))
				}
				inTables++
			}
		}
	}
	for _, title := range []string{"Comparison", "Over the load"} {
		if !has(page, title) {
			continue
		}
		for caption, figure := range figures(section(t, page, title), "") {
			if !strings.Contains(caption, ": medians with") && !strings.Contains(caption, ": over ") {
				continue
			}
			for _, mark := range elements(figure, "title") {
				if said := drawn.FindStringSubmatch(text(mark)); said != nil {
					if inPictures++; !medians[subject(caption)][said[1]] {
						t.Errorf("%s: %q is drawn and no median of the summary", caption, text(mark))
					}
				}
			}
		}
	}
	return inTables, inPictures
}

// isNumber says that a cell is in a column of numbers.
func isNumber(cell *html.Node) bool {
	for _, a := range cell.Attr {
		if a.Key == "class" && a.Val == "n" {
			return true
		}
	}
	return false
}

// has says whether the page has a section.
func has(page *html.Node, title string) bool {
	for _, h := range elements(page, "h2") {
		if text(h) == title {
			return true
		}
	}
	return false
}
