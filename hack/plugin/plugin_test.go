package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/cli"
)

// The manifest has each platform once, with the digest of its archive, and none without all of them. `make verify` asks
// krew's own validator.
func TestKrewManifest(t *testing.T) {
	folder := t.TempDir()
	if _, err := krewManifest("0.2.0", folder); err == nil {
		t.Error("there is no archive")
	}
	for _, p := range platforms {
		if err := os.WriteFile(filepath.Join(folder, p.archive("0.2.0")), []byte(p.OS), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := krewManifest("v0.2", folder); err == nil {
		t.Error("v0.2 is no version")
	}
	data, err := krewManifest("0.2.0", folder)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Spec struct {
			Version   string
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, p := range got.Spec.Platforms {
		seen = append(seen, p.Selector.MatchLabels["os"]+"/"+p.Selector.MatchLabels["arch"])
		if len(p.SHA256) != 64 || !strings.HasPrefix(p.URI, releases+"v0.2.0/kubectl-assay_0.2.0_") || (p.Bin == "kubectl-assay.exe") != (p.Selector.MatchLabels["os"] == "windows") {
			t.Errorf("%+v", p)
		}
	}
	slices.Sort(seen)
	if got.Spec.Version != "v0.2.0" || len(slices.Compact(seen)) != 6 {
		t.Errorf("version %s, platforms %v", got.Spec.Version, seen)
	}
}

// There is a page for each command, and the pages of the tree are those of the commands.
func TestManPages(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "kubectl-assay-gone.1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := manPages(folder); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range cli.NewCommand().Commands() {
		if !slices.Contains(files, filepath.Join(folder, "kubectl-assay-"+cmd.Name()+".1")) && cmd.Name() != "help" {
			t.Errorf("%s has no page", cmd.Name())
		}
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Join("../../docs/man", filepath.Base(file)))
		if err != nil || string(have) != string(want) {
			t.Errorf("docs/man/%s is not that of the command (%v): make generate", filepath.Base(file), err)
		}
		if !strings.Contains(string(want), ".SH") || strings.Contains(string(want), "1970") {
			t.Errorf("%s:\n%s", file, want)
		}
	}
}
