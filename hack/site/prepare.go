package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// repository is where links lead that leave docs.
const repository = "https://github.com/assay-bench/assay/"

// configuration of the generator, with NAV and VERSION.
//
//go:embed zensical.toml
var configuration string

// overrides of the theme: the banner of a version that is not the newest release.
//
//go:embed overrides
var overrides embed.FS

var (
	versionPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,31}$`)
	linkPattern    = regexp.MustCompile(`\]\(([^)\s#]*)(#[^)\s]*)?\)`)
	commentPattern = regexp.MustCompile(`^<!--.*-->$`)
	itemPattern    = regexp.MustCompile(`^([-*]|\d+\.) +`)
	guidePattern   = regexp.MustCompile(`\]\(([a-z0-9-]+\.md)\)`)
)

// prepare writes docs as the generator reads it, and its configuration.
func prepare(root, work, version string) error {
	to := filepath.Join(work, "docs")
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	var pages []string
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, ".go") {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".md") {
			pages = append(pages, strings.TrimPrefix(relative, "docs/"))
			data = []byte(converted(root, relative, string(data)))
		}
		target := filepath.Join(work, relative)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		return err
	}
	nav, err := navigation(root, pages)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(work, "overrides")); err != nil {
		return err
	}
	if err := os.CopyFS(work, overrides); err != nil {
		return err
	}
	text := strings.NewReplacer("NAV", nav, "VERSION", version).Replace(withoutComments(configuration))
	return os.WriteFile(filepath.Join(work, "zensical.toml"), []byte(text), 0o644)
}

// withoutComments is the configuration for programs.
func withoutComments(text string) string {
	return regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text, "")
}

// converted is a page of docs for a parser that wants four columns below an item of a list, where GitHub takes two or three.
func converted(root, name, text string) string {
	var out strings.Builder
	fence, width := false, 0 // of the marker of the item around the line; 0 outside of lists
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		if !fence && indent == 0 && strings.TrimSpace(line) != "" {
			width = len(itemPattern.FindString(line))
		}
		if !fence && commentPattern.MatchString(strings.TrimSpace(line)) {
			continue
		}
		if width > 0 && indent >= width {
			line = strings.Repeat(" ", 4+indent-width) + trimmed
		}
		if strings.HasPrefix(trimmed, "```") {
			fence = !fence
		} else if !fence {
			line = linkPattern.ReplaceAllStringFunc(line, func(link string) string { return moved(root, name, link) })
		}
		out.WriteString(line)
	}
	return out.String()
}

// moved is a link that leads to the repository where it leaves docs, or is no page or picture in it.
func moved(root, name, link string) string {
	parts := linkPattern.FindStringSubmatch(link)
	if parts[1] == "" || strings.Contains(parts[1], ":") {
		return link
	}
	target := path.Join(path.Dir(name), parts[1])
	info, err := os.Stat(filepath.Join(root, target))
	inside := strings.HasPrefix(target, "docs/") && !strings.HasSuffix(target, ".go")
	switch {
	case err != nil || inside && !info.IsDir():
		return link // what is not there, the check of the site finds
	case info.IsDir():
		return "](" + repository + "tree/main/" + target + ")"
	}
	return "](" + repository + "blob/main/" + target + parts[2] + ")"
}

// section of the navigation: a folder of docs, with the pages that come first.
type section struct {
	title, folder string
	first         []string
}

// navigation is the list of pages as TOML. Guide pages stand in the order of the guide's README; the pages of single checks and
// reasons are in the lists of the reference.
func navigation(root string, pages []string) (string, error) {
	guide, err := os.ReadFile(filepath.Join(root, "docs/guide/README.md"))
	if err != nil {
		return "", err
	}
	order := []string{"README.md"}
	for _, link := range guidePattern.FindAllStringSubmatch(string(guide), -1) {
		if !slices.Contains(order, link[1]) {
			order = append(order, link[1])
		}
	}
	var out strings.Builder
	out.WriteString("[\n  { \"Documents\" = \"README.md\" },\n")
	left := slices.DeleteFunc(slices.Clone(pages), func(page string) bool {
		return page == "README.md" || strings.HasPrefix(page, "reference/checks/") || strings.HasPrefix(page, "reference/reasons/")
	})
	for _, s := range []section{
		{"Guide", "guide", order}, {"Reference", "reference", []string{"api.md"}}, {"Gallery", "gallery", []string{"README.md"}}, {"Runbooks", "runbooks", []string{"README.md"}},
		{"Evidence", "evidence", []string{"claims.md"}}, {"Contributing", "contributing", []string{"architecture.md"}},
	} {
		mine := map[string]bool{}
		left = slices.DeleteFunc(left, func(page string) bool {
			mine[page] = path.Dir(page) == s.folder
			return mine[page]
		})
		fmt.Fprintf(&out, "  { %q = [\n", s.title)
		for _, page := range append(slices.Clone(s.first), pages...) {
			if page = s.folder + "/" + path.Base(page); mine[page] {
				fmt.Fprintf(&out, "    %q,\n", page)
				mine[page] = false
			}
		}
		out.WriteString("  ] },\n")
	}
	if len(left) > 0 {
		return "", fmt.Errorf("no section of the navigation has %q", left)
	}
	return out.String() + "]", nil
}
