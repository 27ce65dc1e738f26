package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// The page about pull requests, as it is written: base and head side by side. The pipelines of both hosts pass where the images are
// the same, and fail where head has a fraction of the CPU, and where the image of head was not set.
func TestGateWithinRun(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s, image := newShell(t, cluster.Namespace(t)), localImage(t, "mariadb:10.11")
	s.Env = append(s.Env, "BASE="+image, "HEAD="+image)
	page := withShapes(pages.Open(t, "../..", "docs/guide/pull-request.md", s.Shell)).Retry(disturbed)
	page.Next() // the plan
	page.Next() // the pipelines
	scripts := pipelines(t, s.Dir)
	for _, script := range scripts {
		if out, code := s.pipeline(script); code != exit.OK || !strings.Contains(out, "all lose less: head throughput against base: ") {
			t.Fatalf("a pull request that changes nothing ends with %d: %s", code, out)
		}
	}
	if out, code := s.pipeline("HEAD=\n" + scripts[0]); code != exit.Problem || !strings.Contains(out, "its value is empty") {
		t.Errorf("a pull request without an image ends with %d, want %d: %s", code, exit.Problem, out)
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, "benchmark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(string(text), quick)
	if at < 0 {
		t.Fatalf("the benchmark of the page has no shape %s:\n%s", quick, text)
	}
	s.write("benchmark.yaml", string(text[:at])+slow+string(text[at+len(quick):]))
	if out, code := s.pipeline(scripts[0]); code != exit.Gate || !strings.Contains(out, "slower: head throughput against base: ") {
		t.Errorf("a slower pull request ends with %d, want %d: %s", code, exit.Gate, out)
	}
}

// The page about pull requests, its second part, as it is written: a first run becomes the baseline, the pipelines of both hosts pass as long as
// the database is as fast as it was, fail when it is slower, and pass with the baseline that the pull request brings. It wants a
// machine without other work, because disturbed trials have no numbers.
func TestPullRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	page := withShapes(pages.Open(t, "../..", "docs/guide/pull-request.md", s.Shell)).Retry(disturbed)
	page.Next() // the plan
	page.Next() // the first run
	for range 3 {
		page.Next() // its baseline, what it allows, the commit
	}
	page.Next() // the pipelines
	scripts := pipelines(t, s.Dir)
	for _, script := range scripts {
		if out, code := s.pipeline(script); code != exit.OK {
			t.Fatalf("a pull request that changes nothing ends with %d: %s", code, out)
		}
	}
	file := filepath.Join(s.Dir, "benchmark.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), quick) {
		t.Fatalf("the benchmark of the page has no shape %s:\n%s", quick, text)
	}
	s.write("benchmark.yaml", strings.Replace(string(text), quick, slow, 1))
	if out, code := s.pipeline(scripts[0]); code != exit.Gate || !strings.Contains(out, "slower: mariadb throughput: ") {
		t.Errorf("a slower pull request ends with %d, want %d: %s", code, exit.Gate, out)
	}
	page.Next() // it is meant to be slower
}

// shapes are the machine sizes that the pages name, and those of the local cluster.
var shapes = []struct{ written, here string }{{"database-m", "kind-target"}, {"client-m", "kind-client"}}

// withShapes has the shapes of the local cluster in the place of those that a page names.
func withShapes(page *pages.Play) *pages.Play {
	for _, s := range shapes {
		page.Replace(s.written, s.here)
	}
	return page
}

// disturbed says whether other work on this machine kept every trial of a run from counting.
func disturbed(output string) bool { return strings.Contains(unwrapped(output), "results counts") }

// unwrapped output: the command wraps its sentences.
func unwrapped(output string) string { return strings.Join(strings.Fields(output), " ") }

// pipeline is run again, twice at most, when the machine disturbed it. Out: what it printed, and its exit code.
func (s shell) pipeline(script string) (string, int) {
	s.t.Helper()
	for try := 0; ; try++ {
		out, err := s.run(script)
		var ended *exec.ExitError
		switch {
		case err == nil:
			return unwrapped(out), exit.OK
		case !errors.As(err, &ended):
			s.t.Fatal(err)
		case ended.ExitCode() != exit.Invalid || !disturbed(out) || try == 2:
			return unwrapped(out), ended.ExitCode()
		}
	}
}

// pipelines are the scripts of the files of GitHub Actions and GitLab in a folder.
func pipelines(t *testing.T, dir string) []string {
	t.Helper()
	read := func(name string, into any) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var github struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	var gitlab struct{ Benchmark struct{ Script []string } }
	read(".github/workflows/benchmark.yaml", &github)
	read(".gitlab-ci.yml", &gitlab)
	var of []string
	for _, step := range github.Jobs["benchmark"].Steps {
		if step.Run != "" {
			of = append(of, step.Run)
		}
	}
	out := []string{strings.Join(of, "\n"), strings.Join(gitlab.Benchmark.Script, "\n")}
	if out[0] == "" || out[1] == "" {
		t.Fatalf("a pipeline has no script: %q", out)
	}
	return out
}

// The page about a nightly benchmark, as it is written, with Flux's own controller and a real Git server: a commit starts a run
// and Flux waits for it, a run starts on demand, a change starts one of its own, and the history has all three.
func TestFluxNightly(t *testing.T) {
	if testing.Short() {
		t.Skip("make e2e-gitops and e2e-full play it")
	}
	f := startFlux(t)
	s := newShell(t, f.ns)
	if out, err := s.run("git remote add origin " + f.remote); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	page := withShapes(pages.Open(t, "../..", "docs/guide/nightly.md", s.Shell))
	for page.Left() > 0 {
		page.Next()
	}
}

// The page about a dashboard, as it is written, with the real operator and the real Prometheus: the numbers of a schedule and of
// its baseline are there, and the alert fires when the database was given less CPU. It wants a machine without other work.
func TestMonitoringOfRegressions(t *testing.T) {
	if !*monitoring {
		t.Skip("only in make e2e-monitoring")
	}
	startPrometheus(t)
	s := newShell(t, cluster.Namespace(t))
	charts, err := filepath.Abs("../../charts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(charts, filepath.Join(s.Dir, "charts")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kubectl(background, t, "delete", "clusterrolebinding", "prometheus-assay", "--ignore-not-found")
		if t.Failed() { // what the alarm saw is gone with the namespace
			out, err := exec.CommandContext(background, "kubectl", "--namespace", s.ns, "get", "bmsched,bmr", "-o", "yaml").CombinedOutput()
			t.Logf("%v: %s", err, out)
		}
	})
	page := withShapes(pages.Open(t, "../..", "docs/guide/dashboard.md", s.Shell)).
		Replace("release: prometheus", "release: e2e").Replace("--serviceaccount=monitoring:", "--serviceaccount="+monitoringNamespace+":").
		Replace("--namespace monitoring ", "--namespace "+monitoringNamespace+" ")
	for page.Left() > 0 {
		page.Next()
	}
}
