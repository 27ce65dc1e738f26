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
		pictures, err := s.pictures(runs)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pictures {
			file := filepath.Join(top, pages, p.File)
			known[file] = true
			if svg, err := os.ReadFile(file); err != nil || string(svg) != p.SVG {
				t.Errorf("%s: %v: go run ./test/cmd/reproduce -page writes it", file, err)
			}
		}
	}
	drawn, err := filepath.Glob(filepath.Join(top, pages, "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(written, drawn...) {
		if !known[page] {
			t.Errorf("%s is of no source", page)
		}
	}
}
