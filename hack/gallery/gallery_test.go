package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// gallery with the manifests, and one stored run.
func gallery(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
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
	name := "s2-python"
	dir := gallery(t, name)
	text, err := page(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## S2: ", "> FASTER 1.501x (1.493 to 1.509), p 0.002, 12 blocks: b against a, throughput, threads=2", "[report](" + name + ".assay.tar)", "([manifest](s2-python.yaml))", "[claim by claim](../evidence/reproductions/s0-dotnet.md)", "48 of "} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Not stored yet"); n != len(experiments)-1 {
		t.Errorf("got %d experiments without a run, want %d", n, len(experiments)-1)
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
