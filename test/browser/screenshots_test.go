package browser

import (
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// picturesFolder has the screenshots for README and the guide, the stored runs that they show, and sourcesFile.
const picturesFolder = "../../docs/pictures"

// sourcesFile has the SHA-256 of each page of which there are pictures, as it was when they were taken.
const sourcesFile = "sources.json"

// mostPicture is the size of a picture in bytes.
const mostPicture = 200_000

// Looks of the screenshots, with enough pixels for a fine screen.
var (
	desk  = []look{{"light", "", 1000, 1180, 1.5}, {"dark", "", 1000, 1180, 1.5}}
	phone = []look{{"light", "phone", 390, 844, 2}}
)

// scene is what a screenshot is taken of.
type scene struct {
	// name of its pictures.
	name string
	// text that they show, without a browser: its digest is stored.
	text string
	// path of the page in the command `ui`; empty for a report and a terminal.
	path     string
	terminal bool
	looks    []look
}

// scenes of the stored runs, and the address of the command `ui` that has some of them.
func scenes(t *testing.T) ([]scene, *url.URL) {
	t.Helper()
	paths := storedRuns(t)
	names, objects := storedObjects(t, paths)
	before, last := names[len(names)-2], names[len(names)-1]
	one := 0 // the demo, or the last run, by itself
	if paths[0] != demoBundle {
		one = len(names) - 1
	}
	address := uiOf(t, objects...)
	all := []scene{{name: "report", text: string(reportOf(t, paths[one])), looks: slices.Concat(desk, phone)}}
	for name, path := range map[string]string{
		"ui-runs": "/", "ui-run": "/run/" + shownNamespace + "/" + names[one], "ui-compare": "/compare?run=" + shownNamespace + "/" + before + "&run=" + shownNamespace + "/" + last,
	} {
		all = append(all, scene{name: name, text: fetched(t, address, path), path: path, looks: slices.Concat(desk, phone)})
	}
	plugin, env := program(t), environment(t, kubeconfig(t, objects...))
	for name, lines := range map[string][]string{
		"terminal":         {"get", "get " + names[one], "why " + names[one]},
		"terminal-compare": {"compare " + before + " " + last},
	} {
		all = append(all, scene{name: name, text: session(t, plugin, env, lines...), terminal: true, looks: desk})
	}
	return all, address
}

// The pictures show the pages and the terminal as they are: what they were taken of has not changed since.
func TestScreenshotsAreOfThisTree(t *testing.T) {
	if os.Getenv(screenshots) != "" {
		t.Skip("they are made now")
	}
	text, err := os.ReadFile(filepath.Join(picturesFolder, sourcesFile))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	all, _ := scenes(t)
	if diff := cmp.Diff(want, digestsOf(all)); diff != "" {
		t.Errorf("what the pictures in docs/pictures show has changed since they were taken: make screenshots, and look at them\n%s", diff)
	}
	for _, s := range all {
		for _, l := range s.looks {
			if info, err := os.Stat(filepath.Join(picturesFolder, l.file(s))); err != nil || info.Size() > mostPicture {
				t.Errorf("%s is not there, or has more than %d bytes: %v", l.file(s), mostPicture, err)
			}
		}
	}
}

func digestsOf(all []scene) map[string]string {
	out := map[string]string{}
	for _, s := range all {
		out[s.name] = contract.Digest([]byte(s.text))
	}
	return out
}

// screenshots says that pictures are to be made; nothing else writes them.
const screenshots = "ASSAY_SCREENSHOTS"

// TestScreenshots makes the pictures. `make screenshots` runs it.
func TestScreenshots(t *testing.T) {
	if os.Getenv(screenshots) == "" {
		t.Skip("make screenshots runs it")
	}
	all, address := scenes(t)
	old, err := filepath.Glob(filepath.Join(picturesFolder, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range all {
		for _, l := range s.looks {
			l.take(t, s, address)
		}
	}
	sources := digestsOf(all)
	text := "{\n"
	for i, name := range slices.Sorted(maps.Keys(sources)) {
		text += `  "` + name + `": "` + sources[name] + `"` + map[bool]string{true: ",\n", false: "\n"}[i < len(sources)-1]
	}
	if err := os.WriteFile(filepath.Join(picturesFolder, sourcesFile), []byte(text+"}\n"), 0o644); err != nil { //nolint:gosec // others read it
		t.Fatal(err)
	}
}

// file of a scene in a look.
func (l look) file(s scene) string {
	return strings.Join(slices.DeleteFunc([]string{s.name, l.device, l.scheme}, func(s string) bool { return s == "" || s == "light" && l.device == "phone" }), "-") + ".png"
}

// take the picture of a scene.
func (l look) take(t *testing.T, s scene, address *url.URL) {
	t.Helper()
	v := &visit{}
	ctx := tab(t, v)
	l.wear(t, ctx)
	server, part := home(address), ""
	switch {
	case s.terminal:
		of := httptest.NewServer(terminalServer(t))
		defer of.Close()
		server, part = of.URL, "#screen"
		visitPage(t, ctx, server, "#screen")
		emulate(t, ctx, l.scheme, s.text)
	case s.path != "":
		visitPage(t, ctx, address.String(), "table")
		visitPage(t, ctx, server+s.path, "h1")
	default:
		of := httptest.NewServer(onePage(t, []byte(s.text)))
		defer of.Close()
		server = of.URL
		visitPage(t, ctx, server, "h1")
	}
	var png []byte
	var err error
	if part != "" {
		png, err = chromedp.Run(ctx, chromedp.Screenshot(chromedp.CSS(part)))
	} else {
		png, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
	}
	if err != nil {
		t.Fatal(err)
	}
	v.check(t, server)
	picture := small(t, png)
	if len(picture) > mostPicture {
		t.Errorf("%s has %d bytes, want at most %d", l.file(s), len(picture), mostPicture)
	}
	if err := os.WriteFile(filepath.Join(picturesFolder, l.file(s)), picture, 0o644); err != nil { //nolint:gosec // others look at it
		t.Fatal(err)
	}
}

func visitPage(t *testing.T, ctx context.Context, at, until string) { //nolint:revive // t comes first in tests
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(at), chromedp.WaitReady(chromedp.CSS(until))); err != nil {
		t.Fatal(err)
	}
}
