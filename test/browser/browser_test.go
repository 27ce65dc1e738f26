// Package browser looks at pages in headless Chromium: that they render without an error, ask nobody for anything,
// fit on a phone, and that axe finds no barrier on them. `make browser` installs what it needs and runs it.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/assay-bench/assay/internal/bundle"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// axe is the program that looks for barriers.
func axe(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("ASSAY_AXE")
	if folder == "" {
		t.Skip("make browser runs it: ASSAY_AXE names the folder with axe.min.js")
	}
	text, err := os.ReadFile(filepath.Join(folder, "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reportPage is the page that the command writes for a run that has ended.
func reportPage(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run"+bundle.Extension)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Write(t.Context(), finished.New(t, finished.Options{Blocks: 12}), file)
	if closed := file.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	out := path + ".html"
	var said strings.Builder
	if code := cli.Run(t.Context(), []string{"report", path, "-o", out}, cli.Streams{Out: &said, Problems: &said}); code != exit.OK {
		t.Fatalf("exit %d: %s", code, said.String())
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// visit is what a browser says of a page.
type visit struct {
	mu                 sync.Mutex
	requests, problems []string
}

func (v *visit) see(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		v.requests = append(v.requests, e.Request.URL)
	case *log.EventEntryAdded:
		v.problems = append(v.problems, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		v.problems = append(v.problems, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		v.problems = append(v.problems, fmt.Sprintf("%s (%s:%d)", text, e.ExceptionDetails.URL, e.ExceptionDetails.LineNumber))
	}
}

// tab of a browser, for one test. It ends with the test.
func tab(t *testing.T, v *visit) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // of root, in a container
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Listen(ctx, v.see); err != nil {
		t.Fatal(err)
	}
	watch(t, ctx)
	ctx, stop = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	return ctx
}

// watch turns on the events that a visit sees.
func watch(t *testing.T, ctx context.Context) { //nolint:revive // t comes first in tests
	t.Helper()
	for _, err := range []error{send(ctx, log.Enable, cdp.Empty{}), send(ctx, network.Enable, network.EnableParams{}), send(ctx, runtime.Enable, cdp.Empty{})} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// send a command whose answer is empty.
func send[P any](ctx context.Context, c cdp.Command[P, cdp.Empty], params P) error {
	_, err := chromedp.Call(ctx, c, params)
	return err
}

// ask the page for the value of an expression.
func ask[T any](t *testing.T, ctx context.Context, expression string, options ...chromedp.EvaluateOption) T { //nolint:revive // as above
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// barrier that axe found.
type barrier struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

const (
	openAll         = `document.querySelectorAll("details").forEach(d => d.open = true); `
	visiblePictures = `[...document.querySelectorAll("figure svg[role=img]")].filter(s => s.getBoundingClientRect().width > 0).length`
	runAxe          = `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`
)

func TestReport(t *testing.T) {
	program, text := axe(t), reportPage(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(text) // a browser that is gone needs no page
	}))
	defer server.Close()
	for _, scheme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"desk": 1200, "phone": 340} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				v := &visit{}
				ctx := tab(t, v)
				if err := send(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
					t.Fatal(err)
				}
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(server.URL)); err != nil {
					t.Fatal(err)
				}
				svgs := ask[int](t, ctx, openAll+visiblePictures)
				over := ask[bool](t, ctx, `document.documentElement.scrollWidth > window.innerWidth`)
				ask[int](t, ctx, program+";0")
				found := ask[string](t, ctx, runAxe, chromedp.EvalAwaitPromise)
				picture(t, ctx, strings.ReplaceAll("report-"+scheme+"-"+name, " ", "-"))
				if over {
					t.Errorf("the page is wider than %d pixels", width)
				}
				if svgs < 6 {
					t.Errorf("got %d pictures that are visible", svgs)
				}
				v.check(t, server.URL)
				var barriers []barrier
				if err := json.Unmarshal([]byte(found), &barriers); err != nil {
					t.Fatal(err)
				}
				for _, b := range barriers {
					t.Errorf("axe: %s: %s: %d times, such as %s: %s", b.ID, b.Help, len(b.Nodes), b.Nodes[0].HTML, b.Nodes[0].Summary)
				}
			})
		}
	}
}

// check that the browser asked for nothing but the page, and had nothing to complain of.
func (v *visit) check(t *testing.T, url string) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.requests {
		if r != url+"/" && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asks for %s", r)
		}
	}
	if len(v.requests) == 0 {
		t.Error("no request was seen, not even that of the page")
	}
	for _, p := range v.problems {
		t.Errorf("the browser says: %s", p)
	}
}

// The page prints to a PDF of a few sheets, without its navigation.
func TestReportPrints(t *testing.T) {
	axe(t)
	file := filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(file, reportPage(t), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := tab(t, &visit{})
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		t.Fatal(err)
	}
	if err := send(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	shown := ask[string](t, ctx, `getComputedStyle(document.querySelector("nav")).display`)
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if err != nil {
		t.Fatal(err)
	}
	if sheets := strings.Count(string(pdf), "/Type /Page\n"); sheets < 2 || sheets > 30 || shown != "none" {
		t.Errorf("got %d sheets, and a navigation that is %q", sheets, shown)
	}
	keep(t, "report.pdf", pdf)
}

// picture of the whole page, for people.
func picture(t *testing.T, ctx context.Context, name string) { //nolint:revive // as above
	t.Helper()
	if os.Getenv(pictures) == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	keep(t, name+".png", png)
}

// pictures names the folder for what people look at; without it, nothing is kept.
const pictures = "ASSAY_PICTURES"

func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if folder := os.Getenv(pictures); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
