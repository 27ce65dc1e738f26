package browser

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// look is how somebody sees a page: "light" or "dark", on a device so many CSS pixels wide.
type look struct {
	scheme, device string
	width, height  int64
	// scale is the number of pixels of the device in a CSS pixel.
	scale float64
}

// inEachLook runs a test at the desk and on a small phone, in light and in dark.
func inEachLook(t *testing.T, test func(*testing.T, look)) {
	t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, l := range []look{{scheme, "desk", 1200, 800, 1}, {scheme, "phone", 340, 800, 1}} {
			t.Run(scheme+" "+l.device, func(t *testing.T) { test(t, l) })
		}
	}
}

// wear the look in a tab.
func (l look) wear(t *testing.T, ctx context.Context) { //nolint:revive // t comes first in tests
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	if err := send(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(l.width, l.height, chromedp.EmulateScale(l.scale))); err != nil {
		t.Fatal(err)
	}
}

// subject of a look: the name of a page, how many pictures it has at least, and the program axe.
type subject struct {
	name     string
	pictures int
	axe      string
}

const (
	openAll         = `document.querySelectorAll("details").forEach(d => d.open = true); `
	visiblePictures = `[...document.querySelectorAll("figure svg[role=img]")].filter(s => s.getBoundingClientRect().width > 0).length`
	runAxe          = `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`
)

// brokenWords are those whose letters stand in two lines. Long values, such as digests, may be broken.
const brokenWords = `(() => {
  const found = [], range = document.createRange(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("pre, svg, .long")) continue;
    for (const word of text.data.matchAll(/[A-Za-z]{2,24}/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) found.push(word[0]);
    }
  }
  return found.join(" ");
})()`

// barrier that axe found.
type barrier struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// inspect the page of a tab, with all open that can be opened: it fits, no word is broken, its pictures are there, and axe finds no barrier.
func (l look) inspect(t *testing.T, ctx context.Context, p subject) { //nolint:revive // as above
	t.Helper()
	seen := ask[int](t, ctx, openAll+visiblePictures)
	over := ask[bool](t, ctx, `document.documentElement.scrollWidth > window.innerWidth`)
	broken := ask[string](t, ctx, brokenWords)
	picture(t, ctx, p.name+"-"+l.scheme+"-"+l.device)
	ask[int](t, ctx, p.axe+";0")
	found := ask[string](t, ctx, runAxe, chromedp.EvalAwaitPromise)
	if over {
		t.Errorf("%s is wider than %d pixels", p.name, l.width)
	}
	if broken != "" {
		t.Errorf("%s: words are broken: %s", p.name, broken)
	}
	if seen < p.pictures {
		t.Errorf("%s: got %d pictures that are visible, want %d", p.name, seen, p.pictures)
	}
	var barriers []barrier
	if err := json.Unmarshal([]byte(found), &barriers); err != nil {
		t.Fatal(err)
	}
	for _, b := range barriers {
		t.Errorf("%s: axe: %s: %s: %d times, such as %s: %s", p.name, b.ID, b.Help, len(b.Nodes), b.Nodes[0].HTML, b.Nodes[0].Summary)
	}
}
