package chart

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	"github.com/assay-bench/assay/test/helpers/hang"
)

func TestFitShortensToTheWidth(t *testing.T) {
	style := textStyle(newPlot(), Ink)
	long := strings.Repeat("m", 400)
	got := fit(style, long, 200)
	if w := style.Width(got) * wider; w > 200 || w < 170 || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d characters of width %v", len(got), w)
	}
	if got := fit(style, "short", 200); got != "short" {
		t.Errorf("got %q", got)
	}
}

// Whatever numbers a tool prints: a chart ends, and has no coordinate that is no number.
func TestAnyNumbersHaveAChart(t *testing.T) {
	numbers := []float64{0, 1, -1, 5e-324, 1e-300, 1e300, math.MaxFloat64, -math.MaxFloat64, 1e15, 1e15 + 0.125, math.NaN(), math.Inf(1), math.Inf(-1)}
	done := make(chan error)
	go func() {
		defer close(done)
		for _, a := range numbers {
			for _, b := range numbers {
				for _, flag := range []bool{false, true} {
					if err := draws(a, b, flag); err != nil {
						done <- fmt.Errorf("%v and %v, %v: %w", a, b, flag, err)
					}
				}
			}
		}
	}()
	limit := time.After(hang.Limit)
	for {
		select {
		case err, more := <-done:
			if !more {
				return
			}
			t.Error(err)
		case <-limit:
			t.Fatal("a chart does not end")
		}
	}
}

// draws charts of two numbers; with the flag, logarithmic ones and bars.
func draws(a, b float64, flag bool) error {
	dots := []Dot{{X: a, Y: b}, {X: b, Y: a}}
	rows := Rows{Log: flag, Rows: []Row{{Label: "one", Mid: &a, Low: &a, High: &b, Dots: dots}, {Label: "two", Mid: &b}}}
	bars := Rows{Bars: flag, Rows: rows.Rows}
	ratios := Rows{Log: true, Turned: flag, Differences: true, Rows: []Row{{Word: "FASTER", Note: "+1 %", Mid: &a, Low: &b, High: &a}}, Reference: &b, Band: &Span{a, b}}
	lines := Lines{LogX: flag, LogY: flag, Zero: !flag, Height: 200, Spans: []Span{{a, b}}, Marks: []Mark{{At: a, Text: "mark"}},
		Lines: []Line{{Points: []Point{{X: a, Y: b, Low: &a, High: &b}, {X: b, Y: a}}, Dots: dots}}}
	for _, draw := range []func(int) (string, error){rows.SVG, bars.SVG, ratios.SVG, lines.SVG} {
		svg, err := draw(Narrow)
		if err != nil && !errors.Is(err, ErrEmpty) {
			return err
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || len(svg) > 100_000 {
			return fmt.Errorf("%d bytes: %.300s", len(svg), svg)
		}
	}
	return nil
}

func TestARasterImageIsRefused(t *testing.T) {
	c := newCanvas(10, 10)
	c.DrawImage(vg.Rectangle{}, nil)
	if _, err := c.svg("none"); !errors.Is(err, errImage) {
		t.Errorf("got %v", err)
	}
}

// The line of the reference is drawn below the words of each row, and not through its number.
func TestTheReferenceRunsThroughNoNumber(t *testing.T) {
	one, mid := 1.0, 1.1
	svg, err := Rows{Label: "x", Unit: "ratio", Rows: []Row{{Label: "a", Note: "+10 %", Mid: &mid}, {Label: "b", Note: "+10 %", Mid: &mid}}, Log: true, Reference: &one}.SVG(Narrow)
	if err != nil {
		t.Fatal(err)
	}
	dashed := 0
	for path := range strings.SplitSeq(svg, "<path") {
		if !strings.Contains(path, "dasharray") {
			continue
		}
		dashed++
		var x1, y1, x2, y2 float64
		if _, err := fmt.Sscanf(path[strings.Index(path, ` d="`)+4:], "M%f %fL%f %f", &x1, &y1, &x2, &y2); err != nil {
			t.Fatalf("%v: %s", err, path)
		}
		if height := math.Abs(y2 - y1); height > float64(textAt) {
			t.Errorf("a line is %v high, and the words begin at %v", height, textAt)
		}
	}
	if dashed != 2 {
		t.Errorf("%d lines, want one for each row:\n%s", dashed, svg)
	}
}

// middles are the places on the x axis of the thick strokes of a picture.
func middles(t *testing.T, svg string) (out []float64) {
	t.Helper()
	for path := range strings.SplitSeq(svg, "<path") {
		if !strings.Contains(path, `stroke-width="3"`) {
			continue
		}
		var x, y float64
		if _, err := fmt.Sscanf(path[strings.Index(path, ` d="`)+4:], "M%f %f", &x, &y); err != nil {
			t.Fatalf("%v: %s", err, path)
		}
		out = append(out, x)
	}
	return out
}

// An axis that is turned has the smaller number at the right, its ticks too, and the band lies on both sides of the reference.
func TestATurnedAxisHasTheSmallerNumberAtTheRight(t *testing.T) {
	one, low, high := 1.0, 0.9, 1.1
	r := Rows{Label: "x", Unit: "ratio", Rows: []Row{{Label: "a", Word: "FASTER", Mid: &low}, {Label: "b", Word: "SLOWER", Mid: &high}}, Log: true, Differences: true,
		Reference: &one, Band: &Span{1 / 1.05, 1.05}}
	for _, turned := range []bool{false, true} {
		r.Turned = turned
		svg, err := r.SVG(Wide)
		if err != nil {
			t.Fatal(err)
		}
		if x := middles(t, svg); len(x) != 2 || (x[0] > x[1]) != turned {
			t.Errorf("turned %v: 0.9 and 1.1 are at %v", turned, x)
		}
		minus, plus := strings.Index(svg, ">-10 %<"), strings.Index(svg, ">+10 %<")
		if minus < 0 || plus < 0 || !strings.Contains(svg, ">0 %<") || strings.Count(svg, `<path class="f2"`) != 2 {
			t.Errorf("turned %v: the ticks or the bands are not there: %s", turned, svg)
		}
	}
}
