package chart

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// A file has the colours of the page, which it cannot see: those of light first, and those of dark after it.
func TestFilesHaveTheColoursOfThePage(t *testing.T) {
	page, err := os.ReadFile("../page.css")
	if err != nil {
		t.Fatal(err)
	}
	rest, names := string(page), []string{"ink", "muted", "rule", "shade", "warn", "paper", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"}
	for scheme, colours := range [][SeriesColor + SeriesCount]string{light, dark} {
		_, rest, _ = strings.Cut(rest, ":root {")
		block, _, _ := strings.Cut(rest, "}")
		for role, name := range names {
			if !strings.Contains(block, "--"+name+": "+colours[role]+";") {
				t.Errorf("scheme %d, role %d: the page has no %s %s", scheme, role, name, colours[role])
			}
		}
	}
}

// A sheet holds what its panels draw, words where there is no chart, and a background; it is as high as the highest panels of its lines.
func TestSheet(t *testing.T) {
	rows := Rows{Unit: "ops/s", Bars: true, Rows: []Row{{Label: "a", Mid: new(1.0)}, {Label: "b", Mid: new(2.0)}}}
	s := Sheet{Title: "Rates & more", Legend: []string{"first", "second"}, Heads: []string{"left", "right"}, Lines: [][]Panel{{{Heading: "ops/s", Chart: rows}, {Words: "Nothing."}}}}
	svg, err := s.SVG(800)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`aria-label="Rates &amp; more"`, `width="800"`, `<rect class="f5"`, ">first</text>", ">right</text>", ">ops/s</text>", ">Nothing.</text>", "prefers-color-scheme:dark"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s\n%s", want, svg)
		}
	}
	// Title, legend and heads: 24+22+22+12. The panel: 22 for its heading, and two rows with the axis, 2*38+46. Below it 12.
	if !strings.Contains(svg, `viewBox="0 0 800 236"`) {
		t.Errorf("another height: %s", svg[:200])
	}
	if bars := strings.Count(svg, `<g class="b">`); bars != 2 {
		t.Errorf("%d bars", bars)
	}
}

func TestSheetsThatAreRefused(t *testing.T) {
	if _, err := (Sheet{Title: "t"}).SVG(800); err == nil || !strings.Contains(err.Error(), "0 columns") {
		t.Errorf("%v", err)
	}
	empty := Sheet{Heads: []string{"a"}, Lines: [][]Panel{{{Chart: Rows{Rows: []Row{{Label: "a"}}}}}}}
	if _, err := empty.SVG(800); !errors.Is(err, ErrEmpty) {
		t.Errorf("%v", err)
	}
}
