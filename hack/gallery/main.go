// Command gallery makes pages of the stored runs of docs/gallery.
//
//	gallery page             docs/gallery/README.md: what was published, and what the stored runs say
//	gallery reports FOLDER   the report of each stored run, as FOLDER/NAME.html
//	gallery site FOLDER      the same beside a copy of the page, whose links called report lead to them
//
// The sentences about a run are those of its report. `make reproduce` stores the runs. hack/generate.sh calls the first, `make gallery` the
// second, and hack/site.sh the last.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/record/bundle"
)

// folder of the manifests and the bundles.
const folder = "docs/gallery"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "page":
		text, err := page(ctx, folder)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, "README.md"), []byte(text), 0o644) //nolint:gosec // a page of the repository
	case len(args) == 2 && args[0] == "reports":
		return reports(ctx, folder, args[1])
	case len(args) == 2 && args[0] == "site":
		return site(ctx, folder, args[1])
	}
	return errors.New("usage: gallery page | gallery reports FOLDER | gallery site FOLDER")
}

// reports of all stored runs.
func reports(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // pages for everybody
		return err
	}
	for _, e := range experiments {
		stored := filepath.Join(from, e.name+bundle.Extension)
		if _, err := os.Stat(stored); errors.Is(err, os.ErrNotExist) {
			continue // page says so
		}
		if code := cli.Run(ctx, []string{"report", stored, "-o", filepath.Join(to, e.name+".html")}, cli.Streams{Out: os.Stdout, Problems: os.Stderr}); code != exit.OK {
			return fmt.Errorf("the report of %s: exit code %d", stored, code)
		}
	}
	return nil
}

// site puts the reports beside a copy of the page, and lets its links lead there.
func site(ctx context.Context, from, to string) error {
	if err := reports(ctx, from, to); err != nil {
		return err
	}
	name := filepath.Join(to, "README.md")
	text, err := os.ReadFile(name) //nolint:gosec // of the site
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(linked(string(text))), 0o644) //nolint:gosec // a page for everybody
}

// linked is the page with links to the reports.
func linked(text string) string {
	for _, e := range experiments {
		text = strings.ReplaceAll(text, "[report]("+e.name+bundle.Extension+")", "[report]("+e.name+".html)")
	}
	return strings.ReplaceAll(text, onGitHub, "")
}
