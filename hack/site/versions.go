package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// latest is the folder that leads to the newest release, page by page.
const latest = "latest"

// releasePattern is the name of a release; dev is none.
var releasePattern = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// listed is a version in the list that the menu of the site reads.
type listed struct {
	Version string   `json:"version"`
	Title   string   `json:"title"`
	Aliases []string `json:"aliases"`
}

// writeVersions lists the versions that are in the folder, the newest first. Whoever opens the folder comes to the newest
// release, or to the newest version where there is no release; the folder latest leads there, too.
func writeVersions(work string) error {
	entries, err := os.ReadDir(work)
	if err != nil {
		return err
	}
	all := []listed{}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(work, e.Name(), "index.html")); e.IsDir() && err == nil && e.Name() != latest {
			all = append(all, listed{Version: e.Name(), Title: e.Name(), Aliases: []string{}})
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no version of the site", work)
	}
	slices.SortFunc(all, func(a, b listed) int { return compareVersions(b.Version, a.Version) })
	newest := max(0, slices.IndexFunc(all, func(v listed) bool { return releasePattern.MatchString(v.Version) }))
	all[newest].Aliases = append(all[newest].Aliases, latest)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "versions.json"), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if err := writeLatest(work, all[newest].Version); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "index.html"), leadsTo(latest+"/"), 0o644)
}

// writeLatest writes a page below latest for each one of a version, that leads to it. Pages of an older one go.
func writeLatest(work, version string) error {
	from, to := filepath.Join(work, version), filepath.Join(work, latest)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "index.html" {
			return err
		}
		relative, err := filepath.Rel(from, filepath.Dir(name))
		if err != nil {
			return err
		}
		// From latest/a/b/ to VERSION/a/b/.
		up, relative := "../", filepath.ToSlash(relative)
		if relative != "." {
			up += strings.Repeat("../", 1+strings.Count(relative, "/"))
		}
		target := filepath.Join(to, relative, "index.html")
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, leadsTo(up+path.Join(version, relative)+"/"), 0o644)
	})
}

// leadsTo is a page that leads to another one, with the heading that its address names, also in a browser without scripts. A
// refresh alone would lose the heading.
func leadsTo(address string) []byte {
	return fmt.Appendf(nil, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Assay</title>
<link rel="canonical" href="%[1]s">
<script>location.replace(%[1]q + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url=%[1]s"></noscript>
<p><a href="%[1]s">Assay</a></p>
</html>
`, address)
}

// compareVersions by their numbers; one without a number, such as dev, is newer than all releases.
func compareVersions(a, b string) int {
	numbers := func(v string) (out []int) {
		for part := range strings.SplitSeq(strings.TrimPrefix(v, "v"), ".") {
			n := 0
			if _, err := fmt.Sscanf(part, "%d", &n); err != nil {
				return []int{1 << 30}
			}
			out = append(out, n)
		}
		return out
	}
	if c := slices.Compare(numbers(a), numbers(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}
