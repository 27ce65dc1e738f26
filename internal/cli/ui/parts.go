package ui

import (
	"errors"
	"fmt"
	"html/template"
	"strconv"

	"github.com/assay-bench/assay/internal/report/chart"
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

// cell of a table: Text, with a link where it has one, and Below in small letters.
type cell struct {
	Text, Link, Below string
	Number, Heading   bool
}

// figure is a picture in two widths, with the numbers behind it.
type figure struct {
	ID, Caption, Note string
	Key               []key
	Wide, Narrow      template.HTML
	Behind            *table
}

type key struct{ Class, Name string }

// draw a picture with the colours of its series in their order; nil where nothing can be drawn.
func (f figure) draw(picture interface {
	SVG(width int) (string, error)
}, series []string) (*figure, error) {
	for _, size := range []struct {
		width int
		to    *template.HTML
	}{{chart.Wide, &f.Wide}, {chart.Narrow, &f.Narrow}} {
		svg, err := picture.SVG(size.width)
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
