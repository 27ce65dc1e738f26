package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/report/chart"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	styleText string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// policy lets the browser use the style of the page and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(styleText))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Types of the template.
type (
	htmlPage struct {
		Title, Policy string
		Style         template.CSS
		Lead, Lacks   []string
		Facts         []htmlPair
		Chapters      []htmlChapter
	}
	htmlPair    struct{ Name, Value string }
	htmlChapter struct {
		ID, Title string
		Blocks    []htmlBlock
	}
	htmlBlock struct {
		Text, Heading, Code string
		Bullets             []string
		Table               *htmlTable
		Figure              *htmlFigure
	}
	htmlTable struct {
		Caption string
		Head    []htmlColumn
		Rows    [][]htmlCell
		Folded  bool
	}
	htmlColumn struct {
		Name   string
		Number bool
	}
	htmlCell struct {
		Text                    string
		Below                   []string
		Number, Strong, Heading bool
	}
	htmlFigure struct {
		ID, Caption, Note string
		Key               []htmlKey
		Wide, Narrow      template.HTML
		Behind            *htmlTable
	}
	htmlKey struct {
		Class, Name string
	}
)

// write the document as HTML.
func (d document) write(to io.Writer) error {
	page := htmlPage{Title: d.title, Policy: policy(), Style: template.CSS(styleText), Lead: d.lead, Lacks: d.lacks} //nolint:gosec // it is ours
	for _, f := range d.facts {
		page.Facts = append(page.Facts, htmlPair{f.name, f.value})
	}
	for _, c := range d.chapters {
		out := htmlChapter{ID: c.id, Title: c.title}
		for i, b := range c.blocks {
			one := htmlBlock{Text: contract.Line(b.text), Heading: contract.Line(b.heading), Code: contract.Clean(b.code), Table: b.table.html()}
			for _, text := range b.bullets {
				one.Bullets = append(one.Bullets, contract.Line(text))
			}
			if b.figure != nil {
				f, err := b.figure.html(fmt.Sprintf("%s-%d", c.id, i))
				switch {
				case errors.Is(err, chart.ErrEmpty): // no number has a place on an axis: the table has them
					one.Table = b.figure.behind.html()
				case err != nil:
					return fmt.Errorf("drawing %s: %w", b.figure.caption, err)
				default:
					one.Figure = f
				}
			}
			out.Blocks = append(out.Blocks, one)
		}
		page.Chapters = append(page.Chapters, out)
	}
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, page); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := text.WriteTo(to)
	return err
}

func (t *table) html() *htmlTable {
	if t == nil {
		return nil
	}
	out := &htmlTable{Caption: contract.Line(t.caption), Folded: t.folded}
	for _, h := range t.head {
		out.Head = append(out.Head, htmlColumn{line(h.name), h.number})
	}
	for _, row := range t.rows[:min(len(t.rows), maxRows)] {
		var cells []htmlCell
		for i, c := range row {
			one := htmlCell{Text: line(c.text), Number: t.head[i].number, Strong: c.strong, Heading: c.heading}
			for _, text := range c.below {
				if text != "" {
					one.Below = append(one.Below, line(text))
				}
			}
			cells = append(cells, one)
		}
		out.Rows = append(out.Rows, cells)
	}
	if all := len(t.rows) + t.left; all > maxRows {
		out.Caption += fmt.Sprintf(" (the first %d of %d rows; the ConfigMaps of the summary have all)", maxRows, all)
	}
	return out
}

func (f *figure) html(id string) (*htmlFigure, error) {
	wide, err := f.draw(chart.Wide)
	if err != nil {
		return nil, err
	}
	narrow, err := f.draw(chart.Narrow)
	if err != nil {
		return nil, err
	}
	out := &htmlFigure{ID: id, Caption: contract.Line(f.caption), Note: contract.Line(f.note), Behind: f.behind.html(),
		Wide: template.HTML(wide), Narrow: template.HTML(narrow)} //nolint:gosec // package chart escapes what it writes
	for i, name := range f.key {
		out.Key = append(out.Key, htmlKey{"f" + strconv.Itoa(int(chart.SeriesColor)+i%chart.SeriesCount), line(name)})
	}
	return out, nil
}
