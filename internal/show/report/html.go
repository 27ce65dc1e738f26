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
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	styleText string

	pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{"icon": Icon}).Parse(pageText))
)

// Style is the style sheet of the page, for pages that stand beside it.
func Style() string { return styleText }

// icons of the tones, for who sees no colours.
var icons = map[readout.Tone]string{
	readout.Bad:   `<path d="M8 1.5 15 14H1z"/><path d="M8 6v4m0 1.4v1.2"/>`,
	readout.Open:  `<circle cx="8" cy="8" r="6.5"/><path d="M6 6.3a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.3m0 1.4v1.2"/>`,
	readout.Good:  `<circle cx="8" cy="8" r="6.5"/><path d="M4.9 8.3 7 10.4l4.2-4.6"/>`,
	readout.Plain: `<circle cx="8" cy="8" r="2.5"/>`,
}

// Icon of a tone. The style gives it its colour.
func Icon(tone readout.Tone) template.HTML {
	return template.HTML(`<svg class="icon ` + string(tone) + `" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">` + icons[tone] + `</svg>`) //nolint:gosec // it is ours
}

// Policy is the Content-Security-Policy of the page: it lets a browser use its style and nothing else.
func Policy() string {
	sum := sha256.Sum256([]byte(styleText))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Types of the template.
type (
	htmlPage struct {
		Title, Policy  string
		Style          template.CSS
		Answer         []readout.Statement
		Facts          []htmlPair
		Head, Chapters []htmlChapter
	}
	htmlPair    struct{ Name, Value string }
	htmlChapter struct {
		ID, Title string
		Blocks    []htmlBlock
	}
	htmlBlock struct {
		Text, Heading, Code string
		Note                bool
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
		Text            string
		Below           []string
		Class           string
		Strong, Heading bool
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
	page, err := d.html()
	if err != nil {
		return err
	}
	return execute(to, "page.html", page)
}

// execute a template. What it writes is complete, or nothing.
func execute(to io.Writer, name string, what any) error {
	var text bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&text, name, what); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := text.WriteTo(to)
	return err
}

// Parts of the page of a run, for pages that stand beside it.
type Parts struct {
	// Answer is what the run shows; Rest the evidence, what it does not say, what differs, what to do next, and the medians.
	Answer, Rest template.HTML
}

// PartsOf the page of a run. The results of single trials are not read.
func PartsOf(in Input) (out Parts, err error) {
	in.read()
	page, err := document{head: append(head(in), chapter{"comparison", "Medians", comparison(in, trialsOf(in))})}.html()
	if err != nil {
		return out, err
	}
	if out.Answer, err = Answer(in.doc.Answer); err != nil {
		return out, err
	}
	out.Rest, err = fragment("chapters", page.Head)
	return out, err
}

// Answer is what a page begins with.
func Answer(all []readout.Statement) (template.HTML, error) { return fragment("answer", all) }

// Ratios are comparisons as pictures and a table, as the report has them.
func Ratios(all []readout.Verdict, by Basis) (template.HTML, error) {
	page, err := document{chapters: []chapter{{blocks: ratioBlocks(all, by)}}}.html()
	if err != nil {
		return "", err
	}
	return fragment("blocks", page.Chapters[0].Blocks)
}

func fragment(name string, what any) (template.HTML, error) {
	var text strings.Builder
	err := execute(&text, name, what)
	return template.HTML(text.String()), err //nolint:gosec // the template escapes
}

func (d document) html() (htmlPage, error) {
	page := htmlPage{Title: d.title, Policy: Policy(), Style: template.CSS(styleText), Answer: d.answer} //nolint:gosec // it is ours
	for _, f := range d.facts {
		page.Facts = append(page.Facts, htmlPair{f.name, f.value})
	}
	for _, part := range []struct {
		from []chapter
		to   *[]htmlChapter
	}{{d.head, &page.Head}, {d.chapters, &page.Chapters}} {
		for _, c := range part.from {
			out, err := c.html()
			if err != nil {
				return page, err
			}
			*part.to = append(*part.to, out)
		}
	}
	return page, nil
}

func (c chapter) html() (htmlChapter, error) {
	out := htmlChapter{ID: c.id, Title: c.title}
	for i, b := range c.blocks {
		one := htmlBlock{Text: contract.Line(b.text), Note: b.note, Heading: contract.Line(b.heading), Code: contract.Clean(b.code), Table: b.table.html()}
		for _, text := range b.bullets {
			one.Bullets = append(one.Bullets, contract.Line(text))
		}
		if b.picture != nil {
			f, err := b.picture.html(fmt.Sprintf("%s-%d", c.id, i))
			switch {
			case errors.Is(err, chart.ErrEmpty): // no number has a place on an axis: the table has them
				one.Table = b.picture.behind.html()
			case err != nil:
				return out, fmt.Errorf("drawing %s: %w", b.picture.caption, err)
			default:
				one.Figure = f
			}
		}
		out.Blocks = append(out.Blocks, one)
	}
	return out, nil
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
			one := htmlCell{Text: line(c.text), Class: c.class, Strong: c.strong, Heading: c.heading}
			if t.head[i].number {
				one.Class = "n"
			}
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

func (f *picture) html(id string) (*htmlFigure, error) {
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
