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
			Uses, Run, Shell string
			With             map[string]any
		}
	}
}

// commit is an action by the hash of a commit: a tag can be moved.
var commit = regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40}$`)

// Workflows use actions and images that nobody can change, and have no rights beyond those of
// their jobs.
func TestWorkflowsArePinned(t *testing.T) {
	for file, w := range workflows(t) {
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

// workflows by their files.
func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", ".github", "workflows", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	out := map[string]workflow{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[file] = w
	}
	return out
}

// quotes of a shell, and what is between them; and the bar that is no pipe.
var quotes = regexp.MustCompile(`'[^']*'|"[^"]*"|\|\|`)

// A step with a pipe has pipefail, which GitHub sets only where bash is named: what fails before the pipe fails the step.
func TestPipesFail(t *testing.T) {
	pipes := 0
	for file, w := range workflows(t) {
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				if !strings.Contains(quotes.ReplaceAllString(step.Run, ""), "|") {
					continue
				}
				if pipes++; step.Shell != "bash" {
					t.Errorf("%s, job %s: a step with a pipe has no shell: bash: %s", file, name, step.Run)
				}
			}
		}
	}
	if pipes == 0 {
		t.Error("no step has a pipe any more: this test checks nothing")
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
		"images": {map[string]string{"contents": "read", "packages": "write"}, []string{"hack/release.sh check", `hack/release.sh images "$ARCH"`}},
		"publish": {map[string]string{"contents": "read", "packages": "write", "id-token": "write"}, []string{
			"hack/release.sh index amd64 arm64", "hack/release.sh sign", "hack/release.sh chart", "hack/release.sh sign-chart",
		}},
		"changelog": {map[string]string{"contents": "write"}, []string{
			"hack/release.sh plugin", "hack/release.sh site", "hack/release.sh changelog", "gh release create", "out/plugin/*.tar.gz", "out/site/archives/*.tar.gz",
		}},
		// The called workflow has no more rights than these, and its jobs share them out.
		"site": {map[string]string{"contents": "read", "pages": "write", "id-token": "write"}, nil},
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

// A change of the documents has to build, and what is published has the pages of all releases. Only the job that publishes may.
func TestTheSiteIsPublished(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", ".github", "workflows", "site.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]string{}
	for name, job := range w.Jobs {
		got[name] = job.Permissions
	}
	want := map[string]map[string]string{"build": {"contents": "read"}, "publish": {"pages": "write", "id-token": "write"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	last := -1
	for _, word := range []string{"pull_request:", "workflow_call:", "make docs", `startswith("assay-site_")`, "hack/site.sh collect out/pages", "actions/upload-pages-artifact@", "path: out/pages", "actions/deploy-pages@"} {
		at := strings.Index(string(text), word)
		if at <= last {
			t.Errorf("%q is not there, or comes too early", word)
		}
		last = at
	}
}

// The dry run does all that the workflow does, in its order, and hack/release.sh has no step that neither of
// them takes.
func TestTheDryRunDoesWhatTheWorkflowDoes(t *testing.T) {
	step := regexp.MustCompile(`hack/release\.sh ([a-z-]+)`)
	steps := func(path string) []string {
		text, err := os.ReadFile(filepath.Join("..", "..", path))
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for line := range strings.Lines(string(text)) {
			if m := step.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				out = append(out, m[1])
			}
		}
		return out
	}
	want := []string{"check", "images", "index", "sign", "chart", "sign-chart", "plugin", "site", "changelog"}
	for _, path := range []string{".github/workflows/release.yaml", "hack/release-dry-run.sh"} {
		if diff := cmp.Diff(want, steps(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	usage, err := os.ReadFile("../release.sh")
	if err != nil {
		t.Fatal(err)
	}
	if all := "usage: release.sh " + strings.Join(want, "|"); !strings.Contains(string(usage), all) {
		t.Errorf("hack/release.sh has other steps than %s", all)
	}
}

// The dry run takes the commands that verify a release from the guide, with a key in place of the identity.
func TestTheGuideHasWhatTheDryRunRuns(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Verify a release\n")
	_, script, _ := strings.Cut(section, "\n```sh\n")
	script, _, _ = strings.Cut(script, "\n```\n")
	for _, want := range []string{
		`(?m)^VERSION=`, `(?m)^ +cosign verify "\$1" \\$`,
		`(?m)^ +--certificate-oidc-issuer \S+ \\\n +--certificate-identity "\S+/release\.yaml@refs/tags/v\$VERSION"$`,
		`(?m)^verify ghcr\.io/assay-bench/charts/assay:\$VERSION$`, `(?m)^verify ghcr\.io/assay-bench/assay-manager:\$VERSION$`,
	} {
		if n := len(regexp.MustCompile(want).FindAllString(script, -1)); n != 1 {
			t.Errorf("the first script of the section has %s %d times, want it once: hack/release-dry-run.sh changes it\n%s", want, n, script)
		}
	}
}
