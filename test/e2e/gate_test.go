package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// gated is the design and the gate of the runs of the story.
const gated = "  design: {blocks: 6, warmup: 1s, duration: 3s}\n  gate: {baseline: release, also: [{name: last-week}], threshold: 50%, health: Required}\n"

// tolerated is what the author of the baseline allows the latency: a percentile of some seconds on a shared
// machine varies by more than a throughput does. With a fraction of the CPU it is many times as long.
const tolerated = "400%"

// The life of a gate, by the commands of the guide as they stand there: a first run has nothing to
// compare with, and becomes the baseline. The same again passes, and so do the pipelines. With a fraction
// of the CPU a run fails, and says what, against which baseline, and what else differs. GitOps controllers
// see what has not passed as stalled, because the spec asks for that.
func TestGate(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	guide := readGuide(t, "../../docs/guide/gate.md")

	s.await("nightly-1", "", metav1.ConditionUnknown, v1alpha1.ReasonBaselineNotFound)
	if out, err := s.run(guide.shell[0]); err != nil {
		t.Fatalf("promoting: %v: %s", err, out)
	}
	s.tolerate("latency.percentile")
	if out, err := s.run("kubectl create -f baseline.yaml"); err != nil {
		t.Fatalf("applying: %v: %s", err, out)
	}
	if out, err := s.run("sed 's/name: release/name: last-week/' baseline.yaml | kubectl create -f -"); err != nil {
		t.Fatalf("applying a second baseline: %v: %s", err, out)
	}
	second := s.await("nightly-2", "", metav1.ConditionTrue, v1alpha1.ReasonSucceeded)
	for _, b := range second.Status.Gate.Baselines {
		if b.Passed != metav1.ConditionTrue || b.Pin.Run != "nightly-1" || b.JudgedCount != 2 || b.MissingCount+b.NewCount != 0 {
			t.Errorf("judged: %+v", b)
		}
	}
	for _, script := range guide.shell[1:] {
		if out, err := s.run(script); err != nil {
			t.Errorf("%v: %s\n%s", err, out, script)
		}
	}
	slow := strings.Replace(cluster.MariaDB, "{name: kind-target}", "{inline: {cpu: 150m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}", 1)
	third := s.await("nightly-3", slow, metav1.ConditionFalse, v1alpha1.ReasonSlower)
	message := apimeta.FindStatusCondition(third.Status.Conditions, v1alpha1.ConditionPassed).Message
	if !strings.Contains(message, "slower: mariadb throughput: ") || !strings.Contains(message, "mariadb: target/cpus (") || !strings.Contains(message, "slower than baseline last-week") {
		t.Errorf("the message: %s", message)
	}
	if !strings.Contains(message, "latency.percentile{p=95}: ") || !strings.Contains(message, "and 400 % is allowed") {
		t.Errorf("the tolerance of the latency: %s", message)
	}
	for i, pipeline := range guide.pipelines {
		targets, passes := "", i == 0 // one pull request is as fast as before, and one is not
		if !passes {
			targets = slow
		}
		s.write("benchmark.yaml", strings.Replace(cluster.RunYAML("x", targets, gated), "{name: x}", "{generateName: pr-}", 1))
		out, err := s.run(pipeline)
		if (err == nil) != passes || !strings.Contains(out, "measurements are slower than baseline release") {
			t.Errorf("pipeline %d: %v: %s", i, err, out)
		}
	}
}

// shell runs commands as somebody does who works in a namespace.
type shell struct {
	t           *testing.T
	ns, dir, at string
}

// newShell in a folder with a repository, with the plugin of kubectl in the path.
func newShell(t *testing.T, ns string) shell {
	t.Helper()
	s := shell{t: t, ns: ns, dir: t.TempDir(), at: t.TempDir()}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(s.at, "kubectl-assay"), "../../cmd/kubectl-assay").CombinedOutput(); err != nil {
		t.Fatalf("building the plugin: %v: %s", err, out)
	}
	config, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.at, "config"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := s.run("git init -q . && kubectl config set-context --current --namespace=" + ns); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

func (s shell) run(script string) (string, error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "bash", "-eo", "pipefail", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(s.at, "config"), "PATH="+s.at+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	s.t.Logf("%s\n%s", script, out)
	return string(out), err
}

func (s shell) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// tolerate a measurement, in the manifest of the baseline, as its author does.
func (s shell) tolerate(measurement string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, "baseline.yaml"))
	if err != nil {
		s.t.Fatal(err)
	}
	line := "name: " + measurement + "\n"
	text := strings.Replace(string(data), line, line+"    tolerance: "+tolerated+"\n", 1)
	if text == string(data) {
		s.t.Fatalf("the baseline does not have %s:\n%s", measurement, data)
	}
	s.write("baseline.yaml", text)
}

// await the end of a run, and what its gate says. Other work on this machine may disturb all trials of a
// run: then it is played again.
func (s shell) await(name, targets string, want metav1.ConditionStatus, reason string) *v1alpha1.BenchmarkRun {
	s.t.Helper()
	for try := 0; ; try++ {
		run := cluster.Apply(s.t, s.ns, cluster.RunYAML(name, targets, gated))
		got := cluster.AwaitRun(s.t, run, 5*time.Minute)
		valid := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionValid)
		if valid.Reason == v1alpha1.ReasonNoUsableTrial && try < 2 {
			s.t.Logf("run %s is played again: %s", name, valid.Message)
			if out, err := s.run("kubectl delete bmr " + name + " --wait"); err != nil {
				s.t.Fatalf("%v: %s", err, out)
			}
			continue
		}
		c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionPassed)
		if c == nil || c.Status != want || c.Reason != reason {
			s.t.Fatalf("run %s: Passed is %+v, want %s, %s; %s", name, c, want, reason, got.Status.Headline)
		}
		s.t.Logf("run %s: %s: %s", name, c.Reason, c.Message)
		if stalled := apimeta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionStalled); stalled != (want != metav1.ConditionTrue) {
			s.t.Errorf("run %s: stalled %t", name, stalled)
		}
		return got
	}
}

// guideOf has the commands of a page.
type guideOf struct {
	// shell are its scripts, and pipelines those in its pipelines.
	shell, pipelines []string
}

// readGuide with the scripts of GitHub Actions and of GitLab.
func readGuide(t *testing.T, path string) (out guideOf) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```(sh|yaml)\n(.*?)^```").FindAllStringSubmatch(string(data), -1) {
		if m[1] == "sh" {
			out.shell = append(out.shell, m[2])
			continue
		}
		var pipeline struct {
			Jobs map[string]struct {
				Steps []struct{ Run string }
			}
			Benchmark struct{ Script []string }
		}
		if err := yaml.Unmarshal([]byte(m[2]), &pipeline); err != nil {
			t.Fatal(err)
		}
		for _, step := range pipeline.Jobs["benchmark"].Steps {
			if step.Run != "" {
				out.pipelines = append(out.pipelines, step.Run)
			}
		}
		if script := pipeline.Benchmark.Script; len(script) > 0 {
			out.pipelines = append(out.pipelines, strings.Join(script, "\n"))
		}
	}
	if len(out.shell) != 3 || len(out.pipelines) != 2 {
		t.Fatalf("%d scripts and %d pipelines", len(out.shell), len(out.pipelines))
	}
	return out
}
