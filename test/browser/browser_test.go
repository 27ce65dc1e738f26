// Package browser looks at pages in headless Chromium: that they render without an error, ask nobody for anything,
// fit on a phone, and that axe finds no barrier on them. `make browser` installs what it needs and runs it.
package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// module is a file of the packages in package-lock.json.
func module(t testing.TB, path string) string {
	t.Helper()
	folder := os.Getenv("ASSAY_MODULES")
	if folder == "" {
		t.Skip("make browser runs it: ASSAY_MODULES names the folder node_modules with what package.json has")
	}
	text, err := os.ReadFile(filepath.Join(folder, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// axe is the program that looks for barriers.
func axe(t testing.TB) string {
	t.Helper()
	return module(t, "axe-core/axe.min.js")
}

// reportPage is the page that the command writes for a run that has ended.
func reportPage(t testing.TB, o finished.Options) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run"+bundle.Extension)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Write(t.Context(), finished.New(t, o), file)
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
func tab(t testing.TB, v *visit) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, // of root, in a container
		chromedp.WSURLReadTimeout(hang.Limit), chromedp.Flag("hide-scrollbars", true),
		chromedp.Env("FONTCONFIG_FILE="+fonts(t))) // the same letters whatever else is installed
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Listen(ctx, v.see); err != nil {
		t.Fatal(err)
	}
	watch(t, ctx)
	ctx, stop = context.WithTimeout(ctx, 2*hang.Limit)
	t.Cleanup(stop)
	return ctx
}

// fonts is the file that says which ones the browser has.
func fonts(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("testdata/fonts.conf")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// watch turns on the events that a visit sees.
func watch(t testing.TB, ctx context.Context) { //nolint:revive // t comes first in tests
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
func ask[T any](t testing.TB, ctx context.Context, expression string, options ...chromedp.EvaluateOption) T { //nolint:revive // as above
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReport(t *testing.T) {
	program, text := axe(t), reportPage(t, finished.Options{Blocks: 12})
	server := httptest.NewServer(onePage(t, text))
	defer server.Close()
	inEachLook(t, func(t *testing.T, l look) {
		v := &visit{}
		ctx := tab(t, v)
		l.wear(t, ctx)
		if err := chromedp.Do(ctx, chromedp.Navigate(server.URL)); err != nil {
			t.Fatal(err)
		}
		l.inspect(t, ctx, subject{name: "report", pictures: 6, axe: program})
		v.check(t, server.URL)
	})
}

// onePage is a server of one page. It is asked for nothing else.
func onePage(t testing.TB, text []byte) http.Handler {
	t.Helper()
	var mux http.ServeMux
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(text) // a browser that is gone needs no page
	})
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the page asks for %s", r.URL) })
	return &mux
}

// check that the browser asked this server only, and had nothing to complain of, except for requests and
// complaints that contain one of the texts of borne.
func (v *visit) check(t *testing.T, server string, borne ...string) {
	t.Helper()
	isBorne := func(text string) bool {
		return slices.ContainsFunc(borne, func(part string) bool { return strings.Contains(text, part) })
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.requests {
		if !strings.HasPrefix(r, server+"/") && !strings.HasPrefix(r, "data:") && !isBorne(r) {
			t.Errorf("a page asks for %s", r)
		}
	}
	if len(v.requests) == 0 {
		t.Error("no request was seen, not even that of the page")
	}
	for _, p := range v.problems {
		if !isBorne(p) {
			t.Errorf("the browser says: %s", p)
		}
	}
}

// The page prints to a PDF of a few sheets, without its navigation.
func TestReportPrints(t *testing.T) {
	axe(t)
	file := filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(file, reportPage(t, finished.Options{Blocks: 12}), 0o600); err != nil {
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
func picture(t testing.TB, ctx context.Context, name string) { //nolint:revive // as above
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

func keep(t testing.TB, name string, data []byte) {
	t.Helper()
	if folder := os.Getenv(pictures); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
