package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/plays"
)

// The page of the repository is that of the figures beside it.
func TestPageIsThatOfItsFigures(t *testing.T) {
	all, err := readAll(top)
	if err != nil {
		t.Fatal(err)
	}
	played, err := plays.Load[Figures](filepath.Join(top, figures))
	if err != nil {
		t.Fatal(err)
	}
	want, err := pageOf(all, played)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(top, page))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s: go run ./test/cmd/cells -page writes it (-derived +page):\n%s", page, diff)
	}
}

// The table of a manifest with drivers has one column for each, names the one in its place, and what a driver lacks is no failure. A manifest
// of which nothing can be had is a sentence.
func TestPage(t *testing.T) {
	of := func(driver, rows string) map[string]string {
		return map[string]string{"driver": driver, "operation": "Insert", "rows": rows}
	}
	f := full{path: published + "/made/full.yaml", name: "made"}
	for _, rows := range []string{"1", "1000"} {
		f.cells = append(f.cells, cell{labels: of("theirs", rows), by: "ours, no image of theirs", played: of("ours", rows)}, cell{labels: of("other", rows), played: of("other", rows)})
		f.pieces = []piece{{name: "made-1", part: "all", places: []place{{within: of("ours", "1")}}}}
	}
	digest, err := f.pieces[0].digest()
	if err != nil {
		t.Fatal(err)
	}
	gone := full{path: published + "/gone/full.yaml", name: "gone", cells: []cell{{labels: map[string]string{"target": "a"}, why: "a server of the user's | elsewhere"}}}
	got, err := pageOf([]full{f, gone}, []Figures{{Piece: "made-1", Manifest: digest, Cells: map[string]Outcome{
		key(of("ours", "1")): {State: Measured}, key(of("other", "1")): {Unsupported, "no such call"}, key(of("ours", "1000")): {Failed, "out of memory"}, key(of("other", "1000")): {Unsupported, "no such call"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"full.yaml) | 4 | 0 | 0 | 1 | 2 | 1 | 0 | 0 |\n",
		"| operation | rows | theirs, in its place ours | other |\n| --- | --- | --- | --- |\n" +
			"| Insert | 1 | by a stand-in (1) | unsupported (2) |\n| Insert | 1000 | failed (3) | unsupported (2) |\n\n1. ours, no image of theirs\n2. no such call\n3. out of memory\n",
		"## gone/full.yaml\n\n1 cell: not obtainable: a server of the user's \\| elsewhere.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q:\n%s", want, got)
		}
	}
}
