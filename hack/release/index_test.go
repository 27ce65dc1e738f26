package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The index of each image has that of every architecture, and the list names it by digest.
func TestIndex(t *testing.T) {
	one, two := "sha256:"+strings.Repeat("1", 64), "sha256:"+strings.Repeat("2", 64)
	list := func(digest string, names ...string) map[string]string {
		out := map[string]string{}
		for _, n := range names {
			out[n] = "ghcr.io/o/assay-" + n + "@" + digest
		}
		return out
	}
	var made []string
	in := registry{
		create: func(tag string, references []string) error {
			made = append(made, tag+" "+strings.Join(references, " "))
			return nil
		},
		digestOf: known,
	}
	got, err := index("1.2.3", []map[string]string{list(one, "manager", "agent"), list(two, "agent", "manager")}, in)
	if err != nil {
		t.Fatal(err)
	}
	if want := "agent ghcr.io/o/assay-agent@" + digest + "\nmanager ghcr.io/o/assay-manager@" + digest + "\n"; got != want {
		t.Errorf("the list is %q, want %q", got, want)
	}
	want := []string{
		"ghcr.io/o/assay-agent:1.2.3 ghcr.io/o/assay-agent@" + one + " ghcr.io/o/assay-agent@" + two,
		"ghcr.io/o/assay-manager:1.2.3 ghcr.io/o/assay-manager@" + one + " ghcr.io/o/assay-manager@" + two,
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	elsewhere := list(two, "manager")
	elsewhere["manager"] = "ghcr.io/other/assay-manager@" + two
	byTag := list(two, "manager")
	byTag["manager"] = "ghcr.io/o/assay-manager:1.2.3"
	broken := registry{create: func(string, []string) error { return fmt.Errorf("no registry") }, digestOf: known}
	for name, tt := range map[string]struct {
		lists []map[string]string
		in    registry
	}{
		"an architecture lacks an image": {[]map[string]string{list(one, "manager", "agent"), list(two, "manager")}, in},
		"another repository":             {[]map[string]string{list(one, "manager"), elsewhere}, in},
		"a tag":                          {[]map[string]string{list(one, "manager"), byTag}, in},
		"nothing":                        {[]map[string]string{{}, {}}, in},
		"a registry that fails":          {[]map[string]string{list(one, "manager"), list(two, "manager")}, broken},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := index("1.2.3", tt.lists, tt.in); err == nil {
				t.Errorf("no error: %s", got)
			}
		})
	}
}

func TestChangelog(t *testing.T) {
	const text = "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- two\n\n## [0.1.0] - 2026-11-22\n\n- one\n\n## [0.0.1] - 2026-11-01\n"
	for version, want := range map[string]string{
		"0.2.0": "### Added\n\n- two\n", "0.1.0": "- one\n", "0.3.0": "", "0.2": "", "Unreleased": "", "0.0.1": "",
	} {
		got, err := sectionOf(text, version)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q and %v, want %q", version, got, err, want)
		}
	}
	own, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sectionOf(string(own), "0.1.0"); err != nil {
		t.Error(err)
	}
}
