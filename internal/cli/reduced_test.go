package cli

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

// reducing is a source that leaves out the raw output of clients, or says so only.
type reducing struct{ stored.Source }

// LeavesOut says so of raw output.
func (reducing) LeavesOut(_, key string) bool { return key == contract.KeyRaw }

// ConfigMap without raw output.
func (r reducing) ConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	cm, err := r.Source.ConfigMap(ctx, name)
	if err == nil && cm != nil {
		delete(cm.BinaryData, contract.KeyRaw)
	}
	return cm, err
}

// A bundle that was reduced on purpose holds, with what was left out. One in which more is missing than its index says does not, and
// neither does one whose index says nothing.
func TestVerifyAReducedBundle(t *testing.T) {
	whole := finished.New(t, finished.Options{})
	reduced := filepath.Join(t.TempDir(), "reduced.assay.tar")
	write := func(path string, from stored.Source) {
		if err := writeFile(path, func(out io.Writer) error { _, err := bundle.Write(t.Context(), from, out); return err }); err != nil {
			t.Fatal(err)
		}
	}
	write(reduced, reducing{whole})
	b, err := bundle.Open(reduced)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.assay.tar")
	write(again, b)
	lost := finished.New(t, finished.Options{})
	delete(lost.Maps["run-trial-00000-result-0"].BinaryData, contract.KeyResult)
	more := filepath.Join(t.TempDir(), "more.assay.tar")
	write(more, reducing{lost})
	silent := filepath.Join(t.TempDir(), "silent.assay.tar")
	write(silent, struct{ stored.Source }{reducing{whole}})
	for name, tt := range map[string]struct {
		path string
		code int
		want string
	}{
		"reduced":                     {reduced, exit.OK, "  left out of the bundle on purpose, and not compared: 50 raw.tar.gz\nverified\n"},
		"a bundle of it":              {again, exit.OK, "50 raw.tar.gz\nverified\n"},
		"without a result besides":    {more, exit.Differs, "tampered: ConfigMap run-trial-00000-result-0: result.json.gz was removed after it was collected\nDIFFERS\n"},
		"without a word in the index": {silent, exit.Differs, "raw.tar.gz was removed after it was collected\nDIFFERS\n"},
	} {
		var out, problems bytes.Buffer
		if code := Main([]string{"verify", tt.path}, &out, &problems); code != tt.code || !strings.Contains(flat(out.String()), flat(tt.want)) {
			t.Errorf("%s: exit %d\n%s%s", name, code, out.String(), problems.String())
		}
	}
}

// The bundles that the project publishes hold, and those of the gallery say that they are reduced.
func TestPublishedBundlesHold(t *testing.T) {
	for folder, want := range map[string]string{"gallery": "left out of the bundle on purpose", "evidence": "verified"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "docs", folder, "*.assay.tar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%d bundles in docs/%s, %v", len(paths), folder, err)
		}
		for _, path := range paths {
			inputs.Read(t, path)
			var out, problems bytes.Buffer
			if code := Main([]string{"verify", path}, &out, &problems); code != exit.OK || !strings.Contains(out.String(), want) || !strings.HasSuffix(out.String(), "verified\n") {
				t.Errorf("%s: exit %d\n%s%s", path, code, out.String(), problems.String())
			}
		}
	}
}
