package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// gated is the design and the gate of the runs of the story.
const gated = "  design: {blocks: 6, warmup: 1s, duration: 3s}\n  gate: {baseline: release, also: [{name: last-week}], threshold: 50%, health: Required}\n"

// tolerated is what the author of the baseline allows the latency: a percentile of some seconds on a shared
// machine varies by more than a throughput does. With a fraction of the CPU it is many times as long.
const tolerated = "400%"

// The life of a gate, by the commands of the guide as they stand there: a first run has nothing to
// compare with, and becomes the baseline. The same again passes. With a fraction
// of the CPU a run fails, and says what, against which baseline, and what else differs. GitOps controllers
// see what has not passed as stalled, because the spec asks for that.
func TestGate(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	guide := pages.Open(t, "../..", "docs/guide/gate.md", s.Shell)

	s.await("nightly-1", "", metav1.ConditionUnknown, v1alpha1.ReasonBaselineNotFound)
	guide.Next() // promotes
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
	for guide.Left() > 0 {
		guide.Next()
	}
	third := s.await("nightly-3", strings.Replace(cluster.MariaDB, quick, slow, 1), metav1.ConditionFalse, v1alpha1.ReasonSlower)
	message := apimeta.FindStatusCondition(third.Status.Conditions, v1alpha1.ConditionPassed).Message
	if !strings.Contains(message, "slower: mariadb throughput: ") || !strings.Contains(message, "mariadb: target/cpus (") || !strings.Contains(message, "slower than baseline last-week") {
		t.Errorf("the message: %s", message)
	}
	if !strings.Contains(message, "latency.percentile{p=95}: ") || !strings.Contains(message, "and 400 % is allowed") {
		t.Errorf("the tolerance of the latency: %s", message)
	}
}

// quick and slow are shapes of a target: one with a fraction of the CPU of the other.
const (
	quick = "{name: kind-target}"
	slow  = "{inline: {cpu: 150m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}"
)

// shell runs commands as somebody does who works in a namespace.
type shell struct {
	pages.Shell
	t  *testing.T
	ns string
}

// newShell in a folder with a repository, with the plugin of kubectl in the path.
func newShell(t *testing.T, ns string) shell {
	t.Helper()
	at := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(at, "kubectl-assay"), "../../cmd/kubectl-assay").CombinedOutput(); err != nil {
		t.Fatalf("building the plugin: %v: %s", err, out)
	}
	config, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "config"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	tools, err := filepath.Abs("../../bin")
	if err != nil {
		t.Fatal(err)
	}
	s := shell{t: t, ns: ns, Shell: pages.Shell{Dir: t.TempDir(), Env: []string{
		"KUBECONFIG=" + filepath.Join(at, "config"), "PATH=" + at + ":" + os.Getenv("PATH") + ":" + tools,
		"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	}}}
	if out, err := s.run("git init -q --initial-branch=main . && kubectl config set-context --current --namespace=" + ns); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

func (s shell) run(script string) (string, error) {
	s.t.Helper()
	return s.Run(s.t, script)
}

func (s shell) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// tolerate a measurement, in the manifest of the baseline, as its author does.
func (s shell) tolerate(measurement string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Dir, "baseline.yaml"))
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

// await the end of a run of targets, and what its gate says.
func (s shell) await(name, targets string, want metav1.ConditionStatus, reason string) *v1alpha1.BenchmarkRun {
	s.t.Helper()
	return s.awaitRun(name, cluster.RunYAML(name, targets, gated), want, reason)
}

// awaitRun of a manifest. Other work on this machine may disturb all trials of a run: then it is played again.
func (s shell) awaitRun(name, manifest string, want metav1.ConditionStatus, reason string) *v1alpha1.BenchmarkRun {
	s.t.Helper()
	for try := 0; ; try++ {
		run := cluster.Apply(s.t, s.ns, manifest)
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
