package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var digest = "sha256:" + strings.Repeat("0", 64)

func known(string) (string, error) { return digest, nil }

func chart(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "charts", "assay", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// all are the images that a release publishes.
func all(t *testing.T) map[string]string {
	t.Helper()
	var v struct{ Runners map[string]any }
	if err := yaml.Unmarshal([]byte(chart(t)), &v); err != nil {
		t.Fatal(err)
	}
	names := []string{"manager", "agent"}
	for r := range v.Runners {
		names = append(names, "runner-"+r)
	}
	out := map[string]string{}
	for _, n := range names {
		out[n] = "ghcr.io/somebody/assay-" + n + "@" + digest
	}
	return out
}

// In the values of the chart every image is by digest afterwards, and nothing else differs.
func TestEveryImageOfTheChartIsPinned(t *testing.T) {
	before := chart(t)
	after, err := pin(before, all(t), known)
	if err != nil {
		t.Fatal(err)
	}
	type images = map[string]struct{ Image string }
	var v struct {
		Image   struct{ Repository, Tag, Digest string }
		Agent   struct{ Image string }
		Runners images
		Engines map[string]images
	}
	if err := yaml.Unmarshal([]byte(after), &v); err != nil {
		t.Fatal(err)
	}
	if v.Image.Repository != "ghcr.io/somebody/assay-manager" || v.Image.Digest != digest || v.Agent.Image != all(t)["agent"] {
		t.Errorf("manager %+v, agent %+v", v.Image, v.Agent)
	}
	for name, r := range v.Runners {
		if want := all(t)["runner-"+name]; r.Image != want && name != "drivers-dotnet" {
			t.Errorf("runner %s is %s, want %s", name, r.Image, want)
		}
	}
	if len(v.Engines) < 4 || len(v.Runners) < 10 {
		t.Errorf("engines %v, runners %v", v.Engines, v.Runners)
	}
	for flavor, versions := range v.Engines {
		for version, e := range versions {
			if !strings.Contains(e.Image, ":") || !strings.HasSuffix(e.Image, "@"+digest) {
				t.Errorf("%s %s is %s", flavor, version, e.Image)
			}
		}
	}
	lines := strings.Split(after, "\n")
	for i, line := range strings.Split(before, "\n") {
		if line != lines[i] && !strings.Contains(lines[i], digest) && !strings.Contains(line, "  repository: ") {
			t.Errorf("line %d was %q and is %q", i+1, line, lines[i])
		}
	}
	if again, err := pin(after, all(t), known); err != nil || again != after {
		t.Errorf("pinned twice it differs: %v", err)
	}
}

// What is not known is an error, and no tag.
func TestUnknownDigestsAreErrors(t *testing.T) {
	for _, name := range []string{"manager", "agent", "runner-sysbench", "runner-drivers-go"} {
		some := all(t)
		delete(some, name)
		if _, err := pin(chart(t), some, known); err == nil {
			t.Errorf("without %s there is no error", name)
		}
	}
	silent := func(string) (string, error) { return "", fmt.Errorf("no registry") }
	if _, err := pin(chart(t), all(t), silent); err == nil {
		t.Error("without a registry there is no error")
	}
}

// In a dry run a server whose digest nobody knows keeps its tag, with a line that says so. Our own images are by digest all
// the same.
func TestADryRunLeavesUnknownServersAlone(t *testing.T) {
	var log strings.Builder
	some := func(reference string) (string, error) {
		if strings.Contains(reference, "mariadb") {
			return digest, nil
		}
		return "", fmt.Errorf("no registry")
	}
	after, err := pin(chart(t), all(t), whereKnown(some, &log))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(after) {
		if found := server.FindStringSubmatch(line); found != nil && !strings.Contains(line, "runner") && !strings.Contains(log.String(), found[1]+" KEEPS ITS TAG") {
			t.Errorf("%s is not pinned, and nothing says so:\n%s", found[1], &log)
		}
	}
	if strings.Contains(log.String(), "mariadb") || strings.Count(log.String(), "\n") < 3 {
		t.Errorf("said:\n%s", &log)
	}
	if _, err := pin(chart(t), nil, whereKnown(some, &log)); err == nil {
		t.Error("without our own images there is no error")
	}
}
