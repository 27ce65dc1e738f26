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

	pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
		"icon": Icon, "policy": Policy, "style": func() template.CSS { return template.CSS(styleText) }, //nolint:gosec // it is ours
		"line": line, "seriesClass": seriesClass, "whole": contract.Line, "clean": contract.Clean,
	}).Parse(pageText))
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

// write the document as HTML.
func (d document) write(to io.Writer) error {
	if err := errors.Join(draw(d.Head), draw(d.Sections)); err != nil {
		return err
	}
	return execute(to, "page.html", d)
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
	all := append(head(in), section{"comparison", "Medians", comparison(in, trialsOf(in))})
	if err := draw(all); err != nil {
		return out, err
	}
	if out.Answer, err = Answer(in.doc.Answer); err != nil {
		return out, err
	}
	out.Rest, err = fragment("sections", all)
	return out, err
}

// Answer is what a page begins with.
func Answer(all []readout.Statement) (template.HTML, error) { return fragment("answer", all) }

// Ratios are comparisons as pictures and a table, as the report has them.
func Ratios(all []readout.Verdict, by Basis) (template.HTML, error) {
	parts := []section{{Blocks: ratioBlocks(all, by)}}
	if err := draw(parts); err != nil {
		return "", err
	}
	return fragment("blocks", parts[0].Blocks)
}

func fragment(name string, what any) (template.HTML, error) {
	var text strings.Builder
	err := execute(&text, name, what)
	return template.HTML(text.String()), err //nolint:gosec // the template escapes
}

// draw the pictures of some sections. The table behind one takes its place where no number has a place on an axis.
func draw(all []section) error {
	for _, part := range all {
		for i := range part.Blocks {
			b := &part.Blocks[i]
			if b.Picture == nil {
				continue
			}
			b.Picture.ID = fmt.Sprintf("%s-%d", part.ID, i)
			switch err := b.Picture.drawBoth(); {
			case errors.Is(err, chart.ErrEmpty):
				b.Table, b.Picture = b.Picture.Behind, nil
			case err != nil:
				return fmt.Errorf("drawing %s: %w", b.Picture.Caption, err)
			}
		}
	}
	return nil
}

func (f *picture) drawBoth() error {
	wide, err := f.draw(chart.Wide)
	if err != nil {
		return err
	}
	narrow, err := f.draw(chart.Narrow)
	f.Wide, f.Narrow = template.HTML(wide), template.HTML(narrow) //nolint:gosec // package chart escapes what it writes
	return err
}

// seriesClass is the colour of a series, as a class of the style.
func seriesClass(i int) string { return "f" + strconv.Itoa(int(chart.SeriesColor)+i%chart.SeriesCount) }

// Title of the table: its caption, and how many of its rows are shown where these are not all.
func (t *table) Title() string {
	text := contract.Line(t.Caption)
	if all := len(t.Rows) + t.left; all > maxRows {
		text += fmt.Sprintf(" (the first %d of %d rows; the ConfigMaps of the summary have all)", maxRows, all)
	}
	return text
}

// Shown are the rows that the page has room for.
func (t *table) Shown() [][]cell { return t.Rows[:min(len(t.Rows), maxRows)] }
