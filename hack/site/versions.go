package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listed is a version in the list that the menu of the site reads.
type listed struct {
	Version string   `json:"version"`
	Title   string   `json:"title"`
	Aliases []string `json:"aliases"`
}

// writeVersions lists the versions that are in the folder, the newest release first, and leads whoever opens the folder to this
// one.
func writeVersions(work, version string) error {
	entries, err := os.ReadDir(work)
	if err != nil {
		return err
	}
	all := []listed{}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(work, e.Name(), "index.html")); e.IsDir() && err == nil {
			all = append(all, listed{Version: e.Name(), Title: e.Name(), Aliases: []string{}})
		}
	}
	slices.SortFunc(all, func(a, b listed) int { return compareVersions(b.Version, a.Version) })
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "versions.json"), append(data, '\n'), 0o644); err != nil {
		return err
	}
	start := fmt.Sprintf("<!doctype html>\n<html lang=\"en\">\n<title>Assay</title>\n<meta http-equiv=\"refresh\" content=\"0; url=%[1]s/\">\n<p><a href=\"%[1]s/\">Assay %[1]s</a></p>\n</html>\n", version)
	return os.WriteFile(filepath.Join(work, "index.html"), []byte(start), 0o644)
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
