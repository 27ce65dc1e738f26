package surfaces

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// bundled writes a run to a file.
func bundled(t *testing.T, source stored.Source, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+bundle.Extension)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = bundle.Write(t.Context(), source, file); err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// commanded is what a command prints that succeeds.
func commanded(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	if code := cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Problems: &problems}); code != 0 {
		t.Fatalf("%v ends with %d: %s", args, code, problems.String())
	}
	return out.String()
}

// checkCommands: what `why` and `ui` show of a bundle.
func checkCommands(t *testing.T, source *finished.Run, doc readout.Run) {
	t.Helper()
	path := bundled(t, source, "run")
	why := flat(commanded(t, "why", path))
	if !strings.Contains(why, doc.Outcome) {
		t.Errorf("why: the outcome %q is missing: %s", doc.Outcome, why)
	}
	for _, c := range readout.Deciding(source.Object) {
		if !strings.Contains(why, c.Type+": "+c.Reason) {
			t.Errorf("why: %s: %s is missing: %s", c.Type, c.Reason, why)
		}
	}
	page := pageOfUI(t, path)
	for _, s := range doc.Answer {
		if want := flat(contract.Line(s.String())); !strings.Contains(page, want) {
			t.Errorf("ui: %q is missing: %.2000s", want, page)
		}
	}
	if !strings.Contains(page, "Outcome "+doc.Outcome) {
		t.Errorf("ui: the outcome %q is missing", doc.Outcome)
	}
}

// pageOfUI is the page of the run of a bundle, without marks.
func pageOfUI(t *testing.T, path string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	out, to := io.Pipe()
	go func() {
		ended <- cli.Run(ctx, []string{"ui", path, "--no-browser"}, cli.Streams{In: strings.NewReader(""), Out: to, Problems: io.Discard})
		_ = to.Close()
	}()
	defer func() {
		stop()
		<-ended
	}()
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	defer client.CloseIdleConnections()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, page := range []string{address, at.Scheme + "://" + at.Host + "/run/ns/run"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Sec-Fetch-Site", "none") // as a browser says of an address that its user opened
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err = io.ReadAll(answer.Body)
		if closed := answer.Body.Close(); err != nil || closed != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(page, answer.Status, err, closed)
		}
	}
	return unmarked(string(text))
}

// `compare` tells of each comparison over runs what its document has.
func TestCompareTellsItsDocument(t *testing.T) {
	one := bundled(t, finished.New(t, finished.Options{Name: "run-1", Blocks: 12}), "one")
	two := bundled(t, finished.New(t, finished.Options{Name: "run-2", Blocks: 12, Ratio: 1.52}), "two")
	doc := readout.Comparisons{}
	if err := json.Unmarshal([]byte(commanded(t, "compare", one, two, "-o", "json")), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Comparisons) == 0 {
		t.Fatal("nothing is compared")
	}
	text := flat(commanded(t, "compare", one, two))
	at := 0
	for _, v := range doc.Comparisons {
		next := strings.Index(text[at:], v.Subject)
		if next < 0 {
			t.Errorf("%s is not in the order of the document: %s", v.Subject, text)
		}
		at += max(next, 0)
		for _, want := range append([]string{v.Effect, v.Interval}, v.Rest()...) {
			if !strings.Contains(text, flat(want)) {
				t.Errorf("%s: %q is missing: %s", v.Subject, want, text)
			}
		}
	}
}

// checkSearches: every surface for people has each search with its rates, in the order of the readout.
func checkSearches(t *testing.T, surface, text string, doc readout.Run) {
	t.Helper()
	at := 0
	for _, s := range doc.Searches {
		held, failed := s.Rates()
		want := map[string][]string{
			"terminal": {s.Text}, "junit": {s.Place(), s.Text}, "json": {`"text":` + strconv.Quote(s.Text)},
			"markdown": {s.Target, s.Outcome, held + " " + failed}, "page": {s.Target, held + " " + failed},
		}[surface]
		for _, part := range want {
			next := strings.Index(text[at:], flat(part))
			if next < 0 {
				t.Errorf("%s: %q is missing, or not in order: %s", surface, part, text)
			}
			at += max(next, 0)
		}
	}
	headline := doc.Headline
	if surface == "markdown" {
		headline = flat(strings.ReplaceAll(headline, "|", " ")) // which ends a cell
	}
	if len(doc.Searches) > 0 && surface != "junit" && !strings.Contains(text, headline) {
		t.Errorf("%s: %q is missing", surface, headline)
	}
}
