package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workflow is the part of a workflow that is checked.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

// commit is an action by the hash of a commit: a tag can be moved.
var commit = regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40}$`)

// Workflows use actions and images that nobody can change, and have no rights beyond those of
// their jobs.
func TestWorkflowsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if w.Permissions == nil || len(w.Permissions) > 0 {
			t.Errorf("%s: the permissions of all jobs are %v, want {}", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				if step.Uses != "" && !commit.MatchString(step.Uses) {
					t.Errorf("%s, job %s uses %s: name a commit", file, name, step.Uses)
				}
				if options, _ := step.With["driver-opts"].(string); strings.Contains(options, "image=") && !strings.Contains(options, "@sha256:") {
					t.Errorf("%s, job %s: %s has no digest", file, name, options)
				}
			}
		}
	}
}

// A release signs every image and the chart, and its chart names images by digest.
func TestReleaseSigns(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "release.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	job := w.Jobs["publish"]
	if job.Permissions["id-token"] != "write" || job.Permissions["contents"] != "read" {
		t.Errorf("permissions %v", job.Permissions)
	}
	var steps []string
	for _, s := range job.Steps {
		steps = append(steps, s.Uses+s.Run)
	}
	all := strings.Join(steps, "\n")
	last := -1
	for _, word := range []string{
		"sigstore/cosign-installer@", "images.sh publish", `cosign sign --yes "$image"`, "go run ./hack/release charts/assay/values.yaml",
		"helm push", `cosign sign --yes "$REPOSITORY/charts/assay@`,
	} {
		at := strings.Index(all, word)
		if at <= last {
			t.Errorf("%q is not there, or comes too early", word)
		}
		last = at
	}
}
