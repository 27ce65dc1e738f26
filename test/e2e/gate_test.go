package e2e

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// The life of a gate: a first run has nothing to compare with, and becomes the baseline. The same again
// passes, and kubectl wait sees it. With a fraction of the CPU it fails, and says what and since which
// baseline; GitOps controllers see it stalled, because its spec asks for that.
func TestGate(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := cluster.Namespace(t)
	const gate = "  design: {blocks: 3, warmup: 1s, duration: 4s}\n  gate: {baseline: oltp, threshold: 50%, health: Required}\n"
	passed := func(name, targets string, want metav1.ConditionStatus, reason string) *v1alpha1.BenchmarkRun {
		t.Helper()
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML(name, targets, gate)), 6*time.Minute)
		c := conditionOf(got, v1alpha1.ConditionPassed)
		if c == nil || c.Status != want || c.Reason != reason {
			t.Fatalf("run %s: Passed is %+v, want %s, %s; %s", name, c, want, reason, got.Status.Headline)
		}
		t.Logf("run %s: %s: %s", name, c.Reason, c.Message)
		if stalled := cluster.Condition(got, v1alpha1.ConditionStalled) != nil; stalled != (want != metav1.ConditionTrue) {
			t.Errorf("run %s: stalled %t", name, stalled)
		}
		return got
	}
	passed("first", "", metav1.ConditionUnknown, v1alpha1.ReasonBaselineNotFound)

	var manifest, problems bytes.Buffer
	if code := cli.Main([]string{"baseline", "promote", "first", "-n", ns, "--reason", "the first run", "--author", "e2e"}, &manifest, &problems); code != cli.ExitOK {
		t.Fatalf("promoting: %d: %s", code, problems.String())
	}
	t.Logf("a manifest of %d bytes", manifest.Len())
	b := &v1alpha1.BenchmarkBaseline{}
	if err := yaml.UnmarshalStrict(manifest.Bytes(), b); err != nil {
		t.Fatal(err)
	}
	if err := cluster.API.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}

	second := passed("second", "", metav1.ConditionTrue, v1alpha1.ReasonSucceeded)
	if g := second.Status.Gate; g.Baseline.UID != string(b.UID) || g.JudgedCount != 2 || g.MissingCount+g.NewCount != 0 {
		t.Errorf("judged: %+v", g)
	}
	if out, err := exec.Command("kubectl", "wait", "-n", ns, "bmr/second", "--for=condition=Passed", "--timeout=5s").CombinedOutput(); err != nil {
		t.Errorf("kubectl wait: %v: %s", err, out)
	}

	slow := strings.Replace(cluster.MariaDB, "{name: kind-target}", "{inline: {cpu: 150m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}", 1)
	third := passed("third", slow, metav1.ConditionFalse, v1alpha1.ReasonSlower)
	if c := conditionOf(third, v1alpha1.ConditionPassed); !strings.Contains(c.Message, "slower: mariadb throughput: ") || !strings.Contains(c.Message, "mariadb: target/cpus (") {
		t.Errorf("the message: %s", c.Message)
	}
}

// conditionOf a run, whatever its status is.
func conditionOf(run *v1alpha1.BenchmarkRun, kind string) *metav1.Condition {
	for i := range run.Status.Conditions {
		if c := &run.Status.Conditions[i]; c.Type == kind {
			return c
		}
	}
	return nil
}
