package benchmarkrun

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// manifestFile is a file with a run, as a user writes it.
func manifestFile(t *testing.T, run *v1alpha1.BenchmarkRun) string {
	t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
	if err != nil {
		t.Fatal(err)
	}
	delete(object, "status")
	meta := object["metadata"].(map[string]any)
	delete(meta, "namespace") // it is that of the kubeconfig
	delete(meta, "creationTimestamp")
	object["apiVersion"], object["kind"] = v1alpha1.GroupVersion.String(), "BenchmarkRun"
	data, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// printed is what a command has printed.
type printed struct {
	code          int
	out, problems string
}

func assay(ctx context.Context, args ...string) printed {
	var out, problems bytes.Buffer
	code := cli.Run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Problems: &problems})
	return printed{code, out.String(), problems.String()}
}

// `kubectl assay run` applies a manifest, follows the run, and ends with the exit code of what became of it.
func TestRunCommandEndsWithTheOutcome(t *testing.T) {
	t.Parallel()
	behind := func(baseline string) func(*v1alpha1.BenchmarkRun) {
		return func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Gate = &v1alpha1.Gate{Baseline: baseline, Threshold: "25%", Fail: []v1alpha1.GateFailure{v1alpha1.FailSlower}, Health: v1alpha1.HealthIgnored}
		}
	}
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		client kubelet.Client
		code   int
		// word is the outcome, says is in the output for people.
		word, says string
	}{
		"complete":         {func(*v1alpha1.BenchmarkRun) {}, delivers(always(99)), exit.OK, "Measured", "throughput"},
		"passed":           {behind("release"), delivers(always(99)), exit.OK, "GatePassed", "0 of 1 measurements are slower"},
		"refused":          {func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.Version = "1.0" }, delivers(always(99)), exit.Failed, "Failed", "VersionNotInCatalogue"},
		"a trial fails":    {func(*v1alpha1.BenchmarkRun) {}, failsAt(1), exit.Failed, "Failed", "ToolFailed"},
		"no trial counts":  {func(*v1alpha1.BenchmarkRun) {}, contradicts(t), exit.Invalid, "Invalid", "INVALID no number of this run can be relied on: NoUsableTrial"},
		"slower":           {behind("release"), delivers(always(70)), exit.Gate, "GateFailed", "30 % worse"},
		"without baseline": {behind("nothing"), delivers(always(99)), exit.Inconclusive, "GateNotJudged", "BaselineNotFound"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: tt.client})
			if err := server.API.Create(t.Context(), expecting(ns, "release")); err != nil {
				t.Fatal(err)
			}
			config, file := server.Kubeconfig(t, "", ns), manifestFile(t, newRun(t, ns, tt.change))
			got := assay(t.Context(), "run", "-f", file, "--kubeconfig", config, "--interval", "50ms")
			if got.code != tt.code || !strings.Contains(got.out, tt.says) {
				t.Fatalf("run ended with %d, want %d with %q:\n%s%s", got.code, tt.code, tt.says, got.out, got.problems)
			}
			// Who follows it afterwards learns the same, also as a document.
			again := assay(t.Context(), "watch", "run", "--kubeconfig", config, "-o", "json")
			var doc readout.Run
			if err := json.Unmarshal([]byte(again.out), &doc); err != nil || again.code != tt.code || doc.ExitCode != tt.code || doc.Outcome != tt.word || doc.Version != readout.RunVersion {
				t.Errorf("watch ended with %d, outcome %s (%d), error %v:\n%s%s", again.code, doc.Outcome, doc.ExitCode, err, again.out, again.problems)
			}
			isAsPlanned(t, ns, file)
			if get := assay(t.Context(), "get", "--kubeconfig", config); get.code != exit.OK || !strings.Contains(get.out, tt.word) {
				t.Errorf("get ended with %d: %s%s", get.code, get.out, get.problems)
			}
		})
	}
}

func failsAt(index int) kubelet.Client {
	return func(trial contract.Trial) *contract.Result {
		res := delivers(always(100))(trial)
		if isTrial(trial, index) {
			return fails(res, contract.ReasonToolFailed, "no")
		}
		return res
	}
}

// contradicts itself: the tool reports errors that it was told not to ignore, in every trial.
func contradicts(t *testing.T) kubelet.Client {
	good := goodClient(t)
	return func(trial contract.Trial) *contract.Result {
		res := good(trial)
		for i := range res.Measurements {
			if res.Measurements[i].Name == contract.NameThroughput {
				res.Measurements[i].Value = new(1e9)
			}
		}
		return res
	}
}

// Ctrl-C ends the command and not the run; a run that was started before is said to be none of this command; and what
// cannot be followed is an error that says what to do.
func TestFollowingEndsWithoutTheRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	held, open := gatedClient(t, delivers(always(9)))
	var begun diary
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: begun.of(held)})
	config := server.Kubeconfig(t, "", ns)
	file := manifestFile(t, newRun(t, ns))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var ended sync.WaitGroup
	var got printed
	ended.Go(func() { got = assay(ctx, "run", "-f", file, "--kubeconfig", config, "--interval", "50ms") })
	run := newRun(t, ns)
	// Before the client is at work, a pass may have seen its pod without a node, and said so.
	await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool {
		measured := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionMeasured)
		return len(begun.phase(contract.PhaseRun)) > 0 && measured.Reason == v1alpha1.ReasonProgressing
	})
	interrupt()
	ended.Wait()
	if got.code != exit.Interrupted || !strings.Contains(got.problems, "kubectl assay watch run -n "+ns) {
		t.Errorf("interrupted: %+v", got)
	}
	// The first timeout that is long enough for a read of the run.
	var late printed
	limit := time.Second
	for ; limit < hang.Limit && !strings.Contains(late.problems, "Measuring 0/3 trials"); limit *= 2 {
		late = assay(t.Context(), "watch", "run", "--kubeconfig", config, "--interval", "50ms", "--timeout", limit.String())
	}
	if late.code != exit.Problem || !strings.Contains(late.problems, "has not ended within "+(limit/2).String()) || !strings.Contains(late.problems, "Measuring 0/3 trials") {
		t.Errorf("after its timeout: %+v", late)
	}
	if why := assay(t.Context(), "why", "run", "--kubeconfig", config); why.code != exit.OK || !strings.Contains(why.out, "Measured: Progressing") || !strings.Contains(why.out, "who acts: nobody") {
		t.Errorf("why: %+v", why)
	}
	if names := assay(t.Context(), "__complete", "--kubeconfig", config, "watch", ""); names.code != exit.OK || !strings.HasPrefix(names.out, "run\tMeasuring\n:4") {
		t.Errorf("completion of a name: %+v", names)
	}
	allowReader(t, ns, "reader")
	if why := assay(t.Context(), "why", "run", "--kubeconfig", server.Kubeconfig(t, "reader", ns)); why.code != exit.OK || !strings.Contains(why.out, "pods: not known: pods is forbidden") {
		t.Errorf("why, without the right to list pods: %+v", why)
	}
	if logs := assay(t.Context(), "logs", "run", "--kubeconfig", config); logs.code != exit.Problem || !strings.Contains(logs.problems, "reading the log of pod run-trial-00000-") {
		t.Errorf("logs of a pod that only this test plays: %+v", logs)
	}
	other := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 4 })
	const another = "create a new BenchmarkRun with another name"
	if got := assay(t.Context(), "run", "-f", manifestFile(t, other), "--kubeconfig", config); got.code != exit.Problem || !strings.Contains(got.problems, another) {
		t.Errorf("another spec of the name: %+v", got)
	}
	open()
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if again := assay(t.Context(), "run", "-f", file, "--kubeconfig", config); again.code != exit.Problem || !strings.Contains(again.problems, "nothing was started") {
		t.Errorf("once more: %+v", again)
	}
	for what, tt := range map[string]struct {
		args []string
		says string
	}{
		"a run that is not there":    {[]string{"watch", "nothing"}, "kubectl assay get lists those that exist"},
		"nothing to run":             {[]string{"run"}, "missing: --filename"},
		"a file that is not there":   {[]string{"run", "-f", "nothing.yaml"}, "no such file"},
		"a format that is none":      {[]string{"watch", "run", "-o", "xml"}, "use table, json or yaml"},
		"a command that is none":     {[]string{"execute"}, `there is no command "execute"`},
		"a measurement that is none": {[]string{"get", "run", "-m", "x"}, `no number of "x"`},
	} {
		if got := assay(t.Context(), append(tt.args, "--kubeconfig", config)...); got.code != exit.Problem || !strings.Contains(oneLine(got.problems), tt.says) {
			t.Errorf("%s: %+v, want %q", what, got, tt.says)
		}
	}
	var runs readout.Runs
	list := assay(t.Context(), "get", "--kubeconfig", config, "-o", "yaml")
	if err := yaml.Unmarshal([]byte(list.out), &runs); err != nil || len(runs.Runs) != 1 || runs.Runs[0].Valid != string(metav1.ConditionTrue) {
		t.Errorf("%v: %+v", err, list)
	}
}

// isAsPlanned says whether a run that was accepted is what `plan` said of its manifest before, without a cluster.
func isAsPlanned(t *testing.T, ns, file string) {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "run"}, run); err != nil {
		t.Fatal(err)
	}
	accepted := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
	if accepted.Status != metav1.ConditionTrue {
		return // refused for what only the cluster knows
	}
	said := assay(t.Context(), "plan", "-f", file, "-o", "json", "--kubeconfig", "/nowhere")
	var doc output.Plan
	if err := json.Unmarshal([]byte(said.out), &doc); err != nil || said.code != exit.OK {
		t.Fatalf("%v: %+v", err, said)
	}
	st := run.Status
	if doc.SHA256 != st.Plan.SHA256 || doc.Seed != *st.Plan.Seed || doc.Message != accepted.Message || doc.Bytes != st.Results.BudgetBytes {
		t.Errorf("planned: %s, seed %d, %d bytes, %q; it is %s, seed %d, %d bytes, %q",
			doc.SHA256, doc.Seed, doc.Bytes, doc.Message, st.Plan.SHA256, *st.Plan.Seed, st.Results.BudgetBytes, accepted.Message)
	}
}
