package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// siteFolder names the folder with a published site of two releases or more, as hack/site.sh collect makes it.
const siteFolder = "ASSAY_SITE"

// serveSite below a path, as GitHub Pages does. Out: its address, the newest release and an earlier one.
func serveSite(t *testing.T) (address, newest, earlier string) {
	t.Helper()
	folder := os.Getenv(siteFolder)
	if folder == "" {
		t.Skip("hack/site.sh check runs it: " + siteFolder + " names the folder of the site")
	}
	text, err := os.ReadFile(filepath.Join(folder, "versions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var versions []struct {
		Version string
		Aliases []string
	}
	if err := json.Unmarshal(text, &versions); err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		switch {
		case slices.Contains(v.Aliases, "latest"):
			newest = v.Version
		case strings.HasPrefix(v.Version, "v"):
			earlier = v.Version
		}
	}
	if newest == "" || earlier == "" {
		t.Fatalf("the site has the versions %+v, and the test needs two releases", versions)
	}
	server := httptest.NewServer(http.StripPrefix("/assay", http.FileServer(http.Dir(folder))))
	t.Cleanup(server.Close)
	return server.URL + "/assay/", newest, earlier
}

// The published site: its address leads to the newest release, and latest/ with the path of a page, heading included. The menu leads
// to the same page of another version, whose banner leads back. The search finds pages. Nothing leaves the site.
func TestTheSite(t *testing.T) {
	address, newest, earlier := serveSite(t)
	v := &visit{}
	ctx := tab(t, v)
	visitPage := func(page string) {
		t.Helper()
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800), chromedp.Navigate(address+page)); err != nil {
			t.Fatal(err)
		}
	}
	visitPage("")
	until(t, ctx, `location.href`, address+newest+"/")
	visitPage("latest/guide/compare/#over-several-runs")
	until(t, ctx, `location.href`, address+newest+"/guide/compare/#over-several-runs")
	until(t, ctx, `document.querySelector(".md-version__current")?.textContent.trim().split(/\s/)[0]`, newest)

	ask[int](t, ctx, `[...document.querySelectorAll(".md-version__link")].find(a => a.textContent.trim().startsWith("`+earlier+`")).click(), 0`)
	until(t, ctx, `location.href`, address+earlier+"/guide/compare/#over-several-runs")
	until(t, ctx, `String(document.querySelector("[data-md-component=outdated]")?.hidden)`, "false")
	picture(t, ctx, "site-earlier")
	ask[int](t, ctx, `document.querySelector("[data-md-component=outdated] a").click(), 0`)
	until(t, ctx, `location.href`, address+newest+"/")
	until(t, ctx, `String(document.querySelector("[data-md-component=outdated]")?.hidden)`, "true")

	ask[int](t, ctx, `document.querySelector(".md-search__button").click(), 0`)
	until(t, ctx, `String(`+inSearch+`.some(r => r.activeElement?.tagName === "INPUT"))`, "true")
	if err := send(ctx, input.InsertText, input.InsertTextParams{Text: "warm-up"}); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, `String(`+inSearch+`.some(r => [...r.querySelectorAll("a[href]")].some(a => a.href.includes("/guide/write-a-run/"))))`, "true")
	picture(t, ctx, "site-search")
	v.check(t, strings.TrimSuffix(address, "/"), borneOfSite...)
}

// On a phone and in the dark no page is wider than the screen.
func TestTheSiteOnAPhone(t *testing.T) {
	address, newest, _ := serveSite(t)
	for _, scheme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"desk": 1200, "phone": 360} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				v := &visit{}
				ctx := tab(t, v)
				if err := send(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
					t.Fatal(err)
				}
				for _, page := range []string{"", "guide/kubectl-assay/", "reference/commands/", "evidence/other-ways/", "guide/read-a-verdict/"} {
					if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(address+newest+"/"+page)); err != nil {
						t.Fatal(err)
					}
					until(t, ctx, `document.readyState`, "complete")
					if ask[bool](t, ctx, `document.documentElement.scrollWidth > window.innerWidth`) {
						t.Errorf("%s is wider than %d pixels", page, width)
					}
					dark := ask[string](t, ctx, `document.body.getAttribute("data-md-color-scheme")`) == "slate"
					if dark != (scheme == "dark") {
						t.Errorf("%s: dark is %t, and the reader wants %s", page, dark, scheme)
					}
					picture(t, ctx, strings.Join([]string{"site", scheme, name, strings.Trim(strings.ReplaceAll(page, "/", "-"), "-")}, "-"))
				}
				v.check(t, strings.TrimSuffix(address, "/"), borneOfSite...)
			})
		}
	}
}

// inSearch are the documents within the page: that of the search is one.
const inSearch = `[...document.querySelectorAll("*")].map(e => e.shadowRoot).filter(Boolean)`

// until an expression of the page has a value.
func until(t *testing.T, ctx context.Context, expression, want string) { //nolint:revive // as above
	t.Helper()
	got := ""
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[any](expression))
		if text, is := v.(string); err == nil && is { // between two pages there is no document
			if got = text; got == want {
				return
			}
		}
	}
	picture(t, ctx, "failed")
	t.Fatalf("%s is %q, want %q", expression, got, want)
}

// borneOfSite: blobs of the search, the icon that browsers ask for, and what they say of a page that is opened at a heading.
var borneOfSite = []string{"blob:", "/favicon.ico", "Autofocus processing was blocked"}
