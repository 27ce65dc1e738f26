package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// The pages of the repository are those of the figures beside them.
func TestPagesAreThoseOfTheirFigures(t *testing.T) {
	written, err := filepath.Glob(filepath.Join(top, pages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range sourcesOf(t) {
		known[s.page()] = true
		runs, err := plays.Load[claims.Run](s.figures())
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) == 0 {
			if _, err := os.Stat(s.page()); err == nil {
				t.Errorf("%s is of no run", s.page())
			}
			continue
		}
		page, err := os.ReadFile(s.page())
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.text(runs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(page)); diff != "" {
			t.Errorf("%s: go run ./test/cmd/reproduce -page writes it (-derived +page):\n%s", s.page(), diff)
		}
	}
	for _, page := range written {
		if !known[page] {
			t.Errorf("%s is of no source", page)
		}
	}
}
