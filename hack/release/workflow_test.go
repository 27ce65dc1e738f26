package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	// Which job may do what, and what it does in which order.
	jobs := map[string]struct {
		permissions map[string]string
		words       []string
	}{
		"images": {map[string]string{"contents": "read", "packages": "write"}, []string{"release changelog CHANGELOG.md", "make build", "images.sh publish"}},
		"publish": {map[string]string{"contents": "read", "packages": "write", "id-token": "write"}, []string{
			"sigstore/cosign-installer@", "go run ./hack/release index", `cosign sign --yes --recursive "$image"`,
			"go run ./hack/release pin charts/assay/values.yaml", "helm push", `cosign sign --yes "$REPOSITORY/charts/assay@`,
		}},
		"changelog": {map[string]string{"contents": "write"}, []string{"release changelog CHANGELOG.md", "gh release create"}},
	}
	if len(w.Jobs) != len(jobs) {
		t.Errorf("the workflow has %d jobs, want %d", len(w.Jobs), len(jobs))
	}
	for name, want := range jobs {
		job := w.Jobs[name]
		if diff := cmp.Diff(want.permissions, job.Permissions); diff != "" {
			t.Errorf("permissions of %s (-want +got):\n%s", name, diff)
		}
		var steps []string
		for _, s := range job.Steps {
			steps = append(steps, s.Uses+s.Run)
		}
		all, last := strings.Join(steps, "\n"), -1
		for _, word := range want.words {
			at := strings.Index(all, word)
			if at <= last {
				t.Errorf("%s: %q is not there, or comes too early", name, word)
			}
			last = at
		}
	}
}
