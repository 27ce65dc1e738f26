// Command explain-docs writes docs/reference/checks.md, and a page for each check and each reason, from the texts of
// internal/show/explain. It runs in the root of the repository; hack/generate.sh calls it. Pages of what is gone are removed.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/assay-bench/assay/internal/show/explain"
)

const reference = "docs/reference"

// checksTemplate is the page around the lists.
//
//go:embed checks.md.tmpl
var checksTemplate string

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "explain-docs:", err)
		os.Exit(1)
	}
}

func generate() error {
	entries, err := explain.All()
	if err != nil {
		return err
	}
	for _, kind := range []explain.Kind{explain.Reason, explain.Check} {
		folder := filepath.Join(reference, string(kind)+"s")
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := os.WriteFile(filepath.Join(reference, e.Path()), []byte(e.Page()), 0o644); err != nil {
			return err
		}
	}
	groups, err := explain.Checks()
	if err != nil {
		return err
	}
	page, err := checksPage(groups)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(reference, "checks.md"), page, 0o644)
}

// checksPage is the page of all checks.
func checksPage(groups []explain.Group) ([]byte, error) {
	page, err := template.New("checks").Funcs(template.FuncMap{"checks": func(severity string) string { return list(groups, severity) }}).Parse(checksTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, nil)
	return out.Bytes(), err
}

// list of the checks of a severity, each with a link to its page.
func list(groups []explain.Group, severity string) string {
	var b strings.Builder
	for _, g := range groups {
		if g.Severity != severity {
			continue
		}
		if g.Title != "" {
			fmt.Fprintf(&b, "%s:\n\n", g.Title)
		}
		for _, e := range g.Entries {
			fmt.Fprintf(&b, "- **[`%s`](%s)**: %s\n", e.Name, e.Path(), e.Meaning)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
