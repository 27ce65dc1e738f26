package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// workflow is the part of a workflow that is checked.
type workflow struct {
	Permissions map[string]string
	On          map[string]any `json:"true"` // which YAML 1.1 takes the word on for
	Jobs        map[string]job
}

type job struct {
	Permissions                         map[string]string
	Needs, Uses, Environment, Container string
	RunsOn                              string `json:"runs-on"`
	Strategy                            struct{ Matrix map[string]any }
	Steps                               []struct {
		Uses, Run, Shell string
		With             map[string]any
	}
}

// commit is an action by the hash of a commit: a tag can be moved.
var commit = regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40}$`)

// Workflows use actions and images that nobody can change, and have no rights beyond those of
// their jobs.
func TestWorkflowsArePinned(t *testing.T) {
	table := read(t, "hack/images/images.yaml")
	for file, w := range workflows(t) {
		if w.Permissions == nil || len(w.Permissions) > 0 {
			t.Errorf("%s: the permissions of all jobs are %v, want {}", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			if job.Container != "" && !strings.Contains(table, "- "+job.Container+"\n") {
				t.Errorf("%s, job %s runs in %s: take a base of hack/images/images.yaml, with its digest", file, name, job.Container)
			}
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

// read a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// workflowOf a file in .github/workflows.
func workflowOf(t *testing.T, name string) workflow {
	t.Helper()
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/"+name)), &w); err != nil {
		t.Fatal(err)
	}
	return w
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

// A release signs every image, the chart, and every file, and its chart names images by digest.
func TestReleaseSigns(t *testing.T) {
	w := workflowOf(t, "release.yaml")
	// Which job may do what, what it waits for, and what it does in which order.
	jobs := map[string]struct {
		permissions map[string]string
		needs       string
		words       []string
	}{
		"tests":    {map[string]string{"contents": "read"}, "", nil},
		"approval": {map[string]string{"actions": "read", "contents": "read"}, "tests", []string{"gh api", "go run ./hack/release protected"}},
		"images":   {map[string]string{"contents": "read", "packages": "write"}, "approval", []string{"hack/release.sh check", `hack/release.sh images "$ARCH"`}},
		"publish": {map[string]string{"contents": "read", "packages": "write", "id-token": "write"}, "images", []string{
			"hack/release.sh index amd64 arm64", "hack/release.sh sign", "hack/release.sh chart", "hack/release.sh sign-chart",
			"hack/release.sh plugin", "hack/release.sh third-party amd64 arm64", "hack/release.sh sign-files", "actions/upload-artifact@",
		}},
		"changelog": {map[string]string{"contents": "write"}, "publish", []string{
			"actions/download-artifact@", "hack/release.sh site", "hack/release.sh changelog", "gh release create", "out/files/*", "out/site/archives/*.tar.gz",
		}},
		// The called workflow has no more rights than these, and its jobs share them out.
		"site": {map[string]string{"contents": "read", "pages": "write", "id-token": "write"}, "changelog", nil},
	}
	if len(w.Jobs) != len(jobs) {
		t.Errorf("the workflow has %d jobs, want %d", len(w.Jobs), len(jobs))
	}
	for name, want := range jobs {
		job := w.Jobs[name]
		if diff := cmp.Diff(want.permissions, job.Permissions); diff != "" {
			t.Errorf("permissions of %s (-want +got):\n%s", name, diff)
		}
		if job.Needs != want.needs {
			t.Errorf("%s waits for %q, want %q", name, job.Needs, want.needs)
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
	if w.Jobs["tests"].Uses != "./.github/workflows/tests.yaml" || w.Jobs["approval"].Environment != "release" {
		t.Errorf("before a release come the tests and an approval: %+v, %+v", w.Jobs["tests"], w.Jobs["approval"])
	}
}

// Each part of .ci/run has a machine of each architecture, for pull requests, for main, and when release.yaml calls; and the
// parts have all of `make test`.
func TestEveryPartIsRunBeforeATag(t *testing.T) {
	list := regexp.MustCompile(`(?m)^parts=\((.*)\)$`).FindStringSubmatch(read(t, ".ci/run"))
	tests := regexp.MustCompile(`(?m)^test: (.*?) ##`).FindStringSubmatch(read(t, "Makefile"))
	if list == nil || tests == nil {
		t.Fatalf("parts of .ci/run %v, and of make test %v", list, tests)
	}
	parts := strings.Fields(list[1])
	for _, want := range append(strings.Fields(tests[1]), "lint", "verify", "vulnerabilities") {
		if !slices.Contains(parts, want) {
			t.Errorf(".ci/run does not run %s", want)
		}
	}
	w := workflowOf(t, "tests.yaml")
	for _, when := range []string{"pull_request", "push", "workflow_call"} {
		if _, runs := w.On[when]; !runs {
			t.Errorf("the tests do not run for %s", when)
		}
	}
	var got []string
	for name, job := range w.Jobs {
		if diff := cmp.Diff([]any{"ubuntu-24.04", "ubuntu-24.04-arm"}, job.Strategy.Matrix["machine"]); diff != "" || job.RunsOn != "${{ matrix.machine }}" {
			t.Errorf("%s runs on %s, of (-want +got):\n%s", name, job.RunsOn, diff)
		}
		if last := job.Steps[len(job.Steps)-1].Run; !strings.Contains(last, `.ci/run "$PART"`) {
			t.Errorf("%s does not end with the part: %s", name, last)
		}
		machine, _ := job.Strategy.Matrix["part"].([]any)
		for _, part := range machine {
			got = append(got, fmt.Sprint(part))
		}
	}
	slices.Sort(parts)
	slices.Sort(got)
	if diff := cmp.Diff(parts, got); diff != "" {
		t.Errorf("parts of .ci/run and of the workflow (-want +got):\n%s", diff)
	}
}

// A change of the documents has to build, and what is published has the pages of all releases. Only the job that publishes may.
func TestTheSiteIsPublished(t *testing.T) {
	text, w := read(t, ".github/workflows/site.yaml"), workflowOf(t, "site.yaml")
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
		at := strings.Index(text, word)
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
		var out []string
		for line := range strings.Lines(read(t, path)) {
			if m := step.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				out = append(out, m[1])
			}
		}
		return out
	}
	want := []string{"check", "images", "index", "sign", "chart", "sign-chart", "plugin", "third-party", "sign-files", "site", "changelog"}
	for _, path := range []string{".github/workflows/release.yaml", "hack/release-dry-run.sh"} {
		if diff := cmp.Diff(want, steps(path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if all := "usage: release.sh " + strings.Join(want, "|"); !strings.Contains(read(t, "hack/release.sh"), all) {
		t.Errorf("hack/release.sh has other steps than %s", all)
	}
}

// The dry run takes the commands that verify a release from the guide, with a key in place of the identity.
func TestTheGuideHasWhatTheDryRunRuns(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/guide/install.md"), "\n## Verify a release\n")
	var blocks []string
	for _, block := range strings.Split(section, "\n```sh\n")[1:] {
		commands, _, _ := strings.Cut(block, "\n```\n")
		blocks = append(blocks, commands)
	}
	if len(blocks) < 4 {
		t.Fatalf("the section has %d blocks of commands", len(blocks))
	}
	for number, want := range map[int][]string{
		1: {`(?m)^VERSION=`, `(?m)^ +--certificate-oidc-issuer \S+\n +--certificate-identity "\S+/release\.yaml@refs/tags/v\$VERSION"$`},
		2: {`(?m)^cosign verify "\$\{signer\[@\]\}" ghcr\.io/assay-bench/charts/assay:\$VERSION$`, `(?m)^cosign verify "\$\{signer\[@\]\}" ghcr\.io/assay-bench/assay-manager:\$VERSION$`},
		4: {`cosign verify-blob "\$\{signer\[@\]\}" `, `cosign verify-blob-attestation "\$\{signer\[@\]\}" --type slsaprovenance1 `, `(?m)^sha256sum --check `},
	} {
		for _, pattern := range want {
			if n := len(regexp.MustCompile(pattern).FindAllString(blocks[number-1], -1)); n != 1 {
				t.Errorf("block %d of the section has %s %d times, want it once: hack/release-dry-run.sh changes it\n%s", number, pattern, n, blocks[number-1])
			}
		}
	}
}
