package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// liar is a tool that says too much. Every attack ends in another way.
const liar = `
exec > out.json
printf '{"version":"assay.dev/custom-result/v1","tool":"liar",'
case $(attack) in
  many)
    printf '"measurements":['
    yes '{"name":"a","unit":"b"},' | head -n 1399999 | tr -d '\n'
    printf '{"name":"a","unit":"b"}]}' ;;
  words)
    printf '"failure":"'
    yes 'the tool says so. ' | head -c 2097152 | tr -d '\n'
    printf '"}' ;;
esac`

// What a tool prints ends its own trial with a reason, and neither the manager nor a normal run
// notices: the manager is not restarted, and the run beside it takes the time that it takes alone.
// The same with every other kind of object is in test/hostile, without a cluster.
func TestHostileTools(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns, calm := cluster.Namespace(t), cluster.Namespace(t)
	restarts := managerPod(t).Status.ContainerStatuses[0].RestartCount
	alone := timed(t, calm, "alone")
	text := cluster.RunYAML("liar", "", `
  matrix: [{name: attack, values: [many, words]}]
  design: {blocks: 1, warmup: 0s, duration: 10s, onTrialFailure: Continue}
  exclusive: false
`)
	text = strings.Replace(text, "{sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}", fmt.Sprintf(
		"{custom: {image: %q, run: {command: [sh, -c, %q]}, parameters: {attack: many}, threads: 1, format: Result, output: out.json}}",
		localImage(t, "mariadb:10.11"), liar), 1)
	run := cluster.Apply(t, ns, text)
	fourLargeRuns(t, ns)
	beside := timed(t, calm, "beside")
	got := cluster.AwaitRun(t, run, 10*time.Minute)
	failedWith(t, got, v1alpha1.ReasonAllTrialsFailed)
	ends := map[string]string{"many": string(contract.ReasonResultTooLarge), "words": string(contract.ReasonToolFailed)}
	for _, trial := range got.Status.Trials {
		attack := trial.Parameters["attack"].StrVal
		if trial.Reason != ends[attack] || len(trial.Message) > contract.MaxMessage {
			t.Errorf("%s ended with %q (%d bytes: %.200s), want %q", attack, trial.Reason, len(trial.Message), trial.Message, ends[attack])
		}
		delete(ends, attack)
	}
	if len(ends) > 0 {
		t.Errorf("attacks without a trial: %v", ends)
	}
	t.Logf("a normal run took %s alone, and %s beside them", alone, beside)
	if beside > 2*alone+30*time.Second {
		t.Errorf("a normal run took %s beside the hostile ones, and %s alone", beside, alone)
	}
	if now := managerPod(t).Status.ContainerStatuses[0].RestartCount; now != restarts {
		t.Errorf("the manager was restarted %d times", now-restarts)
	}
}

// timed runs a normal run, which shares its nodes.
func timed(t *testing.T, ns, name string) time.Duration {
	t.Helper()
	begin := time.Now()
	cluster.Complete(t, cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML(name, "", shared)), 5*time.Minute))
	return time.Since(begin).Round(time.Second)
}

// fourLargeRuns are suspended, with as many cells and parameters as the API server takes; the
// operator refuses them. Those of a megabyte the API server refuses itself.
func fourLargeRuns(t *testing.T, ns string) {
	t.Helper()
	for i := range 4 {
		for _, length := range []int{64 << 10, 4096} {
			var values, parameters []string
			for axis, n := range []int{20, 9, 9, 9} {
				var each []string
				for v := range n {
					each = append(each, fmt.Sprint(v))
				}
				values = append(values, fmt.Sprintf("{name: a%d, values: [%s]}", axis, strings.Join(each, ", ")))
				parameters = append(parameters, fmt.Sprintf("a%d: '0'", axis))
			}
			for p := range 16 {
				parameters = append(parameters, fmt.Sprintf("big%d: %s", p, strings.Repeat("x", length)))
			}
			text := cluster.RunYAML(fmt.Sprintf("large-%d", i), "", fmt.Sprintf(
				"  suspend: true\n  matrix: [%s]\n  design: {blocks: 1, warmup: 0s, duration: 1s}\n", strings.Join(values, ", ")))
			text = strings.Replace(text, "{sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}", fmt.Sprintf(
				"{custom: {image: tool, run: {command: [tool]}, format: Result, parameters: {%s}}}", strings.Join(parameters, ", ")), 1)
			applyLarge(t, ns, text, length > 4096)
		}
	}
}

// applyLarge creates a run, which the API server has to refuse, or else the operator.
func applyLarge(t *testing.T, ns, text string, refused bool) {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), object); err != nil {
		t.Fatal(err)
	}
	object.SetNamespace(ns)
	switch err := cluster.API.Create(t.Context(), object); {
	case refused && !apierrors.IsInvalid(err):
		t.Errorf("a megabyte of parameters: %v", err)
	case !refused && err != nil:
		t.Error(err)
	case !refused:
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: object.GetName()}}
		failedWith(t, cluster.AwaitRun(t, run, time.Minute), v1alpha1.ReasonTooManyTrials)
	}
}
