package report_test

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/record/bundle"
)

// storedPage is the report of an experiment of the gallery, as the command writes it from the bundle.
func storedPage(t *testing.T, name string) *html.Node {
	t.Helper()
	path, file := "../../../docs/gallery/"+name+bundle.Extension, t.TempDir()+"/page.html"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skip("not stored: make reproduce plays it")
	}
	var said strings.Builder
	if code := cli.Run(t.Context(), []string{"report", path, "-o", file}, cli.Streams{Out: &said, Problems: &said}); code != exit.OK {
		t.Fatalf("exit %d: %s", code, said.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// elements of a name below a node.
func elements(n *html.Node, name string) (out []*html.Node) {
	for child := range n.Descendants() {
		if child.Type == html.ElementNode && child.Data == name {
			out = append(out, child)
		}
	}
	return out
}

// text of a node; the parts of a cell have a blank between them.
func text(n *html.Node) string {
	var words []string
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			words = append(words, strings.TrimSpace(child.Data))
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// section with a title.
func section(t *testing.T, page *html.Node, title string) *html.Node {
	t.Helper()
	for _, section := range elements(page, "section") {
		if heads := elements(section, "h2"); len(heads) > 0 && text(heads[0]) == title {
			return section
		}
	}
	t.Fatalf("there is no section %s", title)
	return nil
}

// tables of a section by their captions.
func tables(section *html.Node, caption string) map[string]*html.Node {
	out := map[string]*html.Node{}
	for _, table := range elements(section, "table") {
		if c := text(elements(table, "caption")[0]); strings.Contains(c, caption) {
			out[c] = table
		}
	}
	return out
}

// figures of a section by their captions.
func figures(section *html.Node, caption string) map[string]*html.Node {
	out := map[string]*html.Node{}
	for _, figure := range elements(section, "figure") {
		if c := text(elements(figure, "figcaption")[0]); strings.Contains(c, caption) {
			out[c] = figure
		}
	}
	return out
}

func heads(table *html.Node) (out []string) {
	for _, row := range elements(table, "tr")[:1] {
		for child := range row.ChildNodes() {
			out = append(out, text(child))
		}
	}
	return out
}

// numberIn a text, such as 1,234.
func numberIn(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		t.Error(err)
	}
	return n
}

// rows of the body of a table.
func rows(table *html.Node) (out [][]*html.Node) {
	for _, row := range elements(elements(table, "tbody")[0], "tr") {
		var cells []*html.Node
		for child := range row.ChildNodes() {
			cells = append(cells, child)
		}
		out = append(out, cells)
	}
	return out
}

// S0: a table for each operation with schemes and their categories, the fastest of each size in bold, and ratios where the run compared.
func TestStoredS0(t *testing.T) {
	page := storedPage(t, "s0-dotnet")
	if tables, _ := checkNumbers(t, "s0-dotnet", page); tables < 68 {
		t.Errorf("got %d numbers in tables", tables)
	}
	found := tables(section(t, page, "Comparison"), "latency.avg, ms: medians")
	for operation, ratios := range map[string]int{"Insert": 3, "Update": 0, "Delete": 0} {
		table := found[operation+", latency.avg, ms: medians of the trials that count; lower is better"]
		if table == nil {
			t.Errorf("no table is about %s: %q", operation, slices.Sorted(maps.Keys(found)))
			continue
		}
		if want := []string{"scheme", "transaction", "category", "rows 100", "rows 1000"}; !slices.Equal(heads(table), want) {
			t.Errorf("%s: got the heads %q, want %q", operation, heads(table), want)
		}
		bold, faster, categories := 0, 0, map[string]bool{}
		shown := make([][]string, 2) // medians of each number of rows, and which of them are in bold
		winner := make([]string, 2)
		for _, row := range rows(table) {
			categories[text(row[2])] = true
			for i, cell := range row[3:] {
				shown[i] = append(shown[i], strings.Fields(text(cell))[0])
				for _, best := range elements(cell, "strong") {
					bold++
					winner[i] = text(best)
				}
				if strings.Contains(text(cell), "x") || strings.Contains(text(cell), " %") {
					faster++
				}
			}
		}
		for i, medians := range shown {
			best := slices.MinFunc(medians, func(a, b string) int { return cmp.Compare(numberIn(t, a), numberIn(t, b)) })
			tie := len(slices.DeleteFunc(medians, func(m string) bool { return m != best })) > 1
			if winner[i] != best && (!tie || winner[i] != "") {
				t.Errorf("%s, column %d: the winner is %q, want %q, or none of equal ones", operation, i, winner[i], best)
			}
		}
		if got := slices.Sorted(maps.Keys(categories)); !slices.Equal(got, []string{"pipeline", "serial", "text"}) {
			t.Errorf("%s: got the categories %q", operation, got)
		}
		if n := len(rows(table)); n != 8 || bold > 2 || faster != ratios {
			t.Errorf("%s: got %d rows, %d winners and %d ratios, want 8, at most 2 and %d", operation, n, bold, faster, ratios)
		}
	}
}

// S1: grouped bars of the latencies, and bars of the throughput.
func TestStoredS1(t *testing.T) {
	page := storedPage(t, "s1-ycsb")
	if tables, pictures := checkNumbers(t, "s1-ycsb", page); tables < 2 || pictures < 2 {
		t.Errorf("got %d numbers in tables and %d in pictures", tables, pictures)
	}
	found := figures(section(t, page, "Comparison"), "medians with their spread")
	if found["throughput, ops/s: medians with their spread"] == nil {
		t.Errorf("no bars of the throughput: %q", slices.Sorted(maps.Keys(found)))
	}
	grouped := 0
	for caption, figure := range found {
		if !strings.HasPrefix(caption, "latency") {
			continue
		}
		grouped++
		wide := text(figure)
		for _, want := range []string{"read, innodb: median", "read, myrocks: median", "update, innodb: median", "update, myrocks: median"} {
			if !strings.Contains(wide, want) {
				t.Errorf("%s: no bar %q", caption, want)
			}
		}
	}
	if grouped < 2 {
		t.Errorf("got %d pictures of latencies, want the average and a percentile", grouped)
	}
}

// S2: each call in a row with its unit in the head.
func TestStoredS2(t *testing.T) {
	page := storedPage(t, "s2-python")
	if tables, _ := checkNumbers(t, "s2-python", page); tables < 28 {
		t.Errorf("got %d numbers in tables", tables)
	}
	found := tables(section(t, page, "Comparison"), "medians of the trials that count")
	for caption, want := range map[string]struct {
		rows int
		unit string
	}{"latency.avg, ms: medians of the trials that count; lower is better": {10, "median, ms"}, "throughput, ops/s: medians of the trials that count; higher is better": {10, "median, ops/s"}} {
		table := found[caption]
		if table == nil || len(rows(table)) != want.rows || heads(table)[1] != want.unit {
			t.Errorf("%s: want %d rows: %q", caption, want.rows, slices.Sorted(maps.Keys(found)))
		}
	}
}

// S3: a line for each benchmark with the three drivers, behind each number its percentage.
func TestStoredS3(t *testing.T) {
	page := storedPage(t, "s3-node")
	if tables, _ := checkNumbers(t, "s3-node", page); tables < 30 {
		t.Errorf("got %d numbers in tables", tables)
	}
	table := tables(section(t, page, "Comparison"), "")["throughput, ops/s: medians of the trials that count; higher is better"]
	if table == nil {
		t.Fatal("no table of the rates")
	}
	if got := heads(table)[1:]; !slices.Equal(got, []string{"mysql", "mysql2", "mariadb"}) || len(rows(table)) != 11 {
		t.Fatalf("got %d rows with the drivers %q, want 11: the batch has one of its own", len(rows(table)), got)
	}
	// A number has its ratio where the run compared it: execute() and the batch of mariadb.
	var ratios []string
	for _, row := range rows(table) {
		for i, cell := range row[2:] {
			if got := text(cell); strings.Contains(got, " %") || strings.Contains(got, "x") {
				ratios = append(ratios, text(row[0])+": "+heads(table)[i+2])
			}
		}
	}
	compared := map[bool]int{}
	for _, e := range storedRun(t, "s3-node").Summary.Comparisons {
		if e.Family == v1alpha1.FamilyPrimary {
			compared[e.Verdict != v1alpha1.VerdictNotMeasured]++
		}
	}
	if len(ratios) != compared[true] || len(ratios) != 2 || compared[false] != 2 {
		t.Errorf("got the ratios %q: %d comparisons were measured, and %d not", ratios, compared[true], compared[false])
	}
}

// S4: a picture for each workload, with a curve for each of the two round trips.
func TestStoredS4(t *testing.T) {
	page := storedPage(t, "s4-sweep")
	if tables, pictures := checkNumbers(t, "s4-sweep", page); tables < 24 || pictures < 24 {
		t.Errorf("got %d numbers in tables and %d in pictures", tables, pictures)
	}
	found := figures(section(t, page, "Over the load"), "throughput, tx/s: over threads")
	if len(found) != 3 {
		t.Fatalf("got the pictures %q, want one for each workload", slices.Sorted(maps.Keys(found)))
	}
	for caption, figure := range found {
		var key []string
		for _, item := range elements(figure, "li") {
			key = append(key, text(item))
		}
		if behind := rows(elements(figure, "table")[0]); !slices.Equal(key, []string{"4ms", "2ms"}) || len(behind) != 10 {
			t.Errorf("%s: got %d points of %q, want 5 of each round trip", caption, len(behind), key)
		}
	}
}
