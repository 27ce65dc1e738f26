package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// gallery with the manifests, and one stored run.
func gallery(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for _, e := range experiments {
		if err := os.WriteFile(filepath.Join(dir, e.name+".yaml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(dir, name+bundle.Extension))
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Write(t.Context(), finished.New(t, finished.Options{Blocks: 12}), file)
	if closed := file.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return dir
}

// The page says of a stored run what its report says, and of the others that there is none.
func TestPage(t *testing.T) {
	name := experiments[2].name
	dir := gallery(t, name)
	text, err := page(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## S2: ", "> FASTER 1.501x (1.493 to 1.509), p 0.002, 12 blocks: b against a, throughput, threads=2", "[report](" + name + ".assay.tar)", "[manifest](s0-batch-schemes.yaml)", "48 of "} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Not stored yet"); n != len(experiments)-1 {
		t.Errorf("got %d experiments without a run, want %d", n, len(experiments)-1)
	}
	if _, err := page(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "manifest") {
		t.Errorf("without manifests: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+bundle.Extension), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := page(t.Context(), dir); err == nil {
		t.Error("a broken bundle is not told")
	}
}

// On the site the links lead to reports that are there.
func TestSite(t *testing.T) {
	name := experiments[0].name
	from, to := gallery(t, name), t.TempDir()
	text, err := page(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "README.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := site(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(to, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), "[report]("+name+".html)") || strings.Contains(string(got), "lead to the bundles here") {
		t.Errorf("the links do not lead to the reports:\n%s", got)
	}
	if html, err := os.ReadFile(filepath.Join(to, name+".html")); err != nil || !strings.Contains(string(html), "Benchmark report") {
		t.Errorf("the report: %v", err)
	}
	if _, err := os.Stat(filepath.Join(to, experiments[1].name+".html")); !os.IsNotExist(err) {
		t.Errorf("a report of a run that is not stored: %v", err)
	}
}

// Each manifest is what the API server and the manager accept, has the name of its experiment, and takes minutes.
func TestManifests(t *testing.T) {
	paths, err := filepath.Glob("../../docs/gallery/*.yaml")
	if err != nil || len(paths) != len(experiments) {
		t.Fatalf("got %d manifests of %d experiments: %v", len(paths), len(experiments), err)
	}
	for _, e := range experiments {
		var out, problems strings.Builder
		if code := cli.Run(t.Context(), []string{"plan", "-f", "../../docs/gallery/" + e.name + ".yaml"}, cli.Streams{Out: &out, Problems: &problems}); code != exit.OK {
			t.Errorf("%s: exit code %d: %s", e.name, code, problems.String())
		}
		if !strings.Contains(out.String(), e.name) {
			t.Errorf("%s: the plan is of another run: %s", e.name, out.String())
		}
		t.Log(out.String())
	}
}

// A reduced bundle has the results of a few trials, no raw output, and a page with the same tables.
func TestReduce(t *testing.T) {
	name := experiments[0].name
	dir := gallery(t, name)
	whole, small := filepath.Join(dir, name+bundle.Extension), filepath.Join(dir, "small"+bundle.Extension)
	if err := reduce(t.Context(), whole, small, 30_000); err != nil {
		t.Fatal(err)
	}
	contents := func(path string) (results, raw int) {
		b, err := bundle.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = b.Close() }()
		for _, f := range b.Index.Files {
			results += strings.Count(f.Path, "/"+contract.KeyResult)
			raw += strings.Count(f.Path, "/"+contract.KeyRaw)
		}
		return results, raw
	}
	all, _ := contents(whole)
	if results, raw := contents(small); raw != 0 || results == 0 || results >= all {
		t.Errorf("got %d results of %d, and %d raw outputs", results, all, raw)
	}
	var verified, problems strings.Builder
	code := cli.Run(t.Context(), []string{"verify", small}, cli.Streams{Out: &verified, Problems: &problems})
	if code != exit.OK || !strings.Contains(verified.String(), "left out of the bundle on purpose") {
		t.Errorf("exit code %d: %s%s", code, verified.String(), problems.String())
	}
	tables := func(path string) []string {
		var out, problems strings.Builder
		if code := cli.Run(t.Context(), []string{"report", path, "-o", "-"}, cli.Streams{Out: &out, Problems: &problems}); code != exit.OK {
			t.Fatalf("exit code %d: %s", code, problems.String())
		}
		return regexp.MustCompile(`(?s)<caption>.*?</caption>`).FindAllString(out.String(), 3)
	}
	if a, b := tables(whole), tables(small); len(a) != 3 || !slices.Equal(a, b) {
		t.Errorf("the pages begin with %q and %q", a, b)
	}
}
