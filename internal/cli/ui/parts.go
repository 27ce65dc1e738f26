package ui

import (
	"errors"
	"fmt"
	"html/template"
	"strconv"

	"github.com/assay-bench/assay/internal/show/report/chart"
)

// table of a page, as that of a report. All texts are cut when it is made.
type table struct {
	Caption string
	Head    []column
	Rows    [][]cell
}

type column struct {
	Name   string
	Number bool
}

// cell of a table: Text, with an icon and a link where it has one, and Below in small letters.
type cell struct {
	Icon              template.HTML
	Text, Link, Below string
	Number, Heading   bool
}

// picture in two widths, with the numbers behind it.
type picture struct {
	ID, Caption, Note string
	Key               []key
	Wide, Narrow      template.HTML
	Behind            *table
}

type key struct{ Class, Name string }

// draw a picture with the colours of its series in their order; nil where nothing can be drawn.
func (f picture) draw(of interface {
	SVG(width int) (string, error)
}, series []string) (*picture, error) {
	for _, size := range []struct {
		width int
		to    *template.HTML
	}{{chart.Wide, &f.Wide}, {chart.Narrow, &f.Narrow}} {
		svg, err := of.SVG(size.width)
		if errors.Is(err, chart.ErrEmpty) {
			return nil, nil //nolint:nilnil // a page without a picture
		}
		if err != nil {
			return nil, fmt.Errorf("drawing %s: %w", f.Caption, err)
		}
		*size.to = template.HTML(svg) //nolint:gosec // package chart escapes what it writes
	}
	for i, name := range series {
		f.Key = append(f.Key, key{"f" + strconv.Itoa(int(chart.SeriesColor)+i%chart.SeriesCount), cut(name)})
	}
	return &f, nil
}
