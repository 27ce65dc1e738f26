package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/test/helpers/pages"
)

// The commands for contributors, and those that build the plugin, as they are written, in this tree. A clone without its history
// does not have the commits that the pages show.
func TestThePagesForContributors(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	shell := pages.Shell{Dir: root, Env: []string{"PATH=" + strings.Join([]string{folder, os.Getenv("PATH"), filepath.Join(root, "bin")}, ":")}}
	for path, want := range map[string][]string{
		"docs/contributing/add-a-tool.md":                 {"    TPC-C by go-tpc\n"},
		"docs/contributing/add-a-placement-preference.md": {"    Placement: targets are spread over zones\n", "BenchmarkFind"},
		"docs/contributing/tests.md":                      {"ok "},
		"docs/guide/install.md":                           {"kubectl assay compare"},
	} {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			page := pages.Open(t, root, path, shell).Replace("sudo install", "install").Replace("/usr/local/bin/", folder+"/")
			for _, text := range want {
				if out := page.Next(); !strings.Contains(out, text) {
					t.Errorf("%s: no %q in %.2000s", path, text, out)
				}
			}
		})
	}
}
