package plays

import (
	"errors"
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

// bundled is the bundle of a run, and a name for another one beside it.
func bundled(t *testing.T) (whole, small string) {
	t.Helper()
	dir := t.TempDir()
	whole, small = filepath.Join(dir, "whole"+bundle.Extension), filepath.Join(dir, "small"+bundle.Extension)
	file, err := os.Create(whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Write(t.Context(), finished.New(t, finished.Options{Blocks: 12}), file); errors.Join(err, file.Close()) != nil {
		t.Fatal(err)
	}
	return whole, small
}

// A reduced bundle has the results of a few trials, no raw output, and a page with the same tables.
func TestReduce(t *testing.T) {
	whole, small := bundled(t)
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

// What a repository can keep is decided by the size of the whole file.
func TestReduceToARepository(t *testing.T) {
	whole, small := bundled(t)
	if err := Reduce(t.Context(), whole, small); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(small); err != nil || info.Size() > mostBytes {
		t.Errorf("%v, %+v", err, info)
	}
	if err := Reduce(t.Context(), whole+".none", small); err == nil {
		t.Error("nothing was reduced")
	}
}
