package ui

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// bundled writes a run to a file.
func bundled(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+bundle.Extension)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Write(t.Context(), finished.New(t, finished.Options{Name: name}), file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Runs of files have the pages that runs of a cluster have; of anything else there is nothing.
func TestBundlesAreACluster(t *testing.T) {
	one, two := bundled(t, "one"), bundled(t, "two")
	files, err := openBundles(t.Context(), []string{one, two})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = files.Close() }()
	s := pages(files)
	s.namespace = ""
	h := s.handler()
	says(t, get(t, h, "/"), http.StatusOK, `<a href="/run/ns/one">one</a>`, `<a href="/run/ns/two">two</a>`, ">Namespace</th>")
	says(t, get(t, h, "/?namespace=other"), http.StatusOK, "There are no runs here")
	says(t, get(t, h, "/run/ns/one"), http.StatusOK, "<h1>one</h1>", "<svg", "ratios to the baseline")
	says(t, get(t, h, "/report/ns/two"), http.StatusOK, "<title>two</title>")
	says(t, get(t, h, "/run/other/one"), http.StatusNotFound, "not there")
	says(t, get(t, h, "/schedules"), http.StatusOK, "There are no schedules here")
	says(t, get(t, h, "/schedule/ns/nightly"), http.StatusNotFound, "not there")
}

func TestBundlesThatAreRefused(t *testing.T) {
	one := bundled(t, "one")
	for name, tt := range map[string]struct {
		paths []string
		want  string
	}{
		"one run twice":  {[]string{one, one}, "both are run ns/one"},
		"a run":          {[]string{"one"}, "one is no bundle, whose name ends in .assay.tar"},
		"no such bundle": {[]string{one + ".x/y" + bundle.Extension}, "no such file"},
	} {
		if _, err := openBundles(t.Context(), tt.paths); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}
