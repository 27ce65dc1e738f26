package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// cosign of the tools of this tree, or one that is installed. ASSAY_COSIGN=required fails the test without it.
func cosign(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/cosign")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if path, err = exec.LookPath("cosign"); err != nil {
		if os.Getenv("ASSAY_COSIGN") == "required" {
			t.Fatal("there is no cosign")
		}
		t.Skip("NOT TESTED: there is no cosign: hack/tool.sh oci builds it")
	}
	return path
}

// The commands of the page sign a bundle. The signature is that of the run exported once more, and of nothing else.
func TestASignedBundle(t *testing.T) {
	tool := cosign(t)
	run := finished.New(t, finished.Options{})
	first, second := exported(t, run), exported(t, run)
	folder := filepath.Dir(first)
	name := strings.TrimSuffix(filepath.Base(first), bundle.Extension)
	// Nothing is asked of a server: a log or a key server that is needed makes this fail.
	shell := pages.Shell{Dir: folder, Env: []string{"PATH=" + filepath.Dir(tool) + ":" + os.Getenv("PATH"), "COSIGN_PASSWORD=", "HOME=" + folder, "HTTPS_PROXY=http://127.0.0.1:1"}}
	page := pages.Open(t, "../..", "docs/reference/bundle.md", shell).Replace("NAME", name)
	page.Next()
	verify := strings.ReplaceAll(page.Files().Text, "NAME", name)
	page.Next()
	again, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	for what, tc := range map[string]struct {
		data []byte
		good bool
	}{
		"the same run, exported once more": {again, true},
		"one byte more":                    {append(again[:len(again):len(again)], 0), false},
	} {
		if err := os.WriteFile(first, tc.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := shell.Run(t, verify); (err == nil) != tc.good {
			t.Errorf("%s: %v: %s", what, err, out)
		}
	}
}
