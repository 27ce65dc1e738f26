package e2e

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// TestFlux plays config/gitops/flux with Flux's own kustomize-controller and a real Git server: a commit starts a run, and
// the Kustomization is ready when the run is complete. A commit that makes the run slower than the baseline in the same
// folder makes it unhealthy, and a revert healthy again, without another run. A commit that changes the run under its
// name is refused with our message.
func TestFlux(t *testing.T) {
	if testing.Short() {
		t.Skip("make e2e-gitops and e2e-full play it")
	}
	f := startFlux(t)
	files := f.example(t)

	first := f.commit(t, "a benchmark", files)
	run := f.awaitRun(t)
	if ready, message := f.ready(t, first); ready == "True" {
		t.Errorf("Flux calls %s ready, which has just begun: %s", run, message)
	}
	f.awaitReady(t, first)
	if complete := f.run(t, run); cluster.Condition(complete, v1alpha1.ConditionComplete) == nil {
		t.Errorf("Flux calls %s ready, which is %s", run, complete.Status.Phase)
	}

	gated := maps.Clone(files)
	gated["baseline.yaml"] = f.promote(t, run)
	gated["kustomization.yaml"] = strings.ReplaceAll(gated["kustomization.yaml"], "[run.yaml]", "[run.yaml, baseline.yaml]")
	gated["run.yaml"] += "  gate: {baseline: release, threshold: 60%, health: Required}\n"
	f.awaitReady(t, f.commit(t, "a gate", gated))
	same := f.awaitRun(t, run)
	passed := f.run(t, same)
	if c := cluster.Condition(passed, v1alpha1.ConditionPassed); c == nil {
		t.Errorf("Flux calls %s ready, which has not passed: %+v", same, passed.Status.Conditions)
	}

	slower := maps.Clone(gated)
	slower["run.yaml"] = strings.ReplaceAll(slower["run.yaml"], "shape: {name: kind-target}",
		"shape: {inline: {cpu: 150m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}")
	ready, message := f.await(t, f.commit(t, "a slower machine", slower), 10*time.Minute)
	slow := f.awaitRun(t, run, same)
	if want := "BenchmarkRun/" + f.ns + "/" + slow + " status: 'Failed'"; ready != "False" || !strings.Contains(message, want) {
		t.Errorf("after a commit that is slower the Kustomization is %s: %s, want False: %s", ready, message, want)
	}
	if m, want := cluster.Message(f.run(t, slow), v1alpha1.ConditionStalled), "slower: mariadb throughput: "; !strings.Contains(m, want) {
		t.Errorf("the run that made Flux unhealthy says %q, want %q", m, want)
	}

	f.awaitReady(t, f.commit(t, "revert", gated))
	if again := f.run(t, same); again.UID != passed.UID || !again.Status.CompletionTime.Equal(passed.Status.CompletionTime) || again.Generation != 1 {
		t.Errorf("the run was made again or changed: generation %d, ended %s, before %s", again.Generation, again.Status.CompletionTime, passed.Status.CompletionTime)
	}

	// Without the hash, a changed run has the name of the one that is there.
	_, hash, _ := strings.Cut(run, "-")
	changed := f.commit(t, "another number of threads under the same name", map[string]string{
		"run.yaml":           strings.ReplaceAll(files["run.yaml"], "threads: 2", "threads: 3"),
		"kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [run.yaml]\nnameSuffix: -" + hash + "\n",
	})
	ready, message = f.await(t, changed, time.Minute)
	if want := "workload cannot be changed: create a new BenchmarkRun with another name"; ready != "False" || !strings.Contains(message, want) {
		t.Errorf("after a change under the same name the Kustomization is %s: %s, want False: ... %s", ready, message, want)
	}
}

// promote a run to the baseline release, as a file for Git.
func (f *flux) promote(t *testing.T, run string) string {
	t.Helper()
	var manifest, problems bytes.Buffer
	args := []string{"baseline", "promote", run, "-n", f.ns, "--name", "release", "--reason", "the first run", "--author", "e2e"}
	if code := cli.Main(args, &manifest, &problems); code != cli.ExitOK {
		t.Fatalf("promoting: %d: %s", code, problems.String())
	}
	return manifest.String()
}

// example is the folder of the guide.
func (f *flux) example(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"run.yaml", "kustomization.yaml", "names.yaml"} {
		data, err := os.ReadFile(filepath.Join("../../config/gitops/flux/benchmarks", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	return files
}

// awaitRun waits for a run other than those that are known, and returns its name.
func (f *flux) awaitRun(t *testing.T, known ...string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		var runs v1alpha1.BenchmarkRunList
		if err := cluster.API.List(t.Context(), &runs, client.InNamespace(f.ns)); err != nil {
			t.Fatal(err)
		}
		for _, r := range runs.Items {
			if !slices.Contains(known, r.Name) {
				return r.Name
			}
		}
	}
	t.Fatalf("Flux has made no run\n%s", f.logs(t))
	return ""
}

func (f *flux) run(t *testing.T, name string) *v1alpha1.BenchmarkRun {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: f.ns, Name: name}, run); err != nil {
		t.Fatal(err)
	}
	return run
}

// awaitReady waits until Flux calls a revision ready.
func (f *flux) awaitReady(t *testing.T, revision string) {
	t.Helper()
	if ready, message := f.await(t, revision, 10*time.Minute); ready != "True" {
		t.Fatalf("the Kustomization is not ready, but %s: %s\n%s", ready, message, f.logs(t))
	}
}

// gone waits until an object is not there any more.
func gone(t *testing.T, object client.Object) {
	t.Helper()
	ctx := t.Context()
	if ctx.Err() != nil {
		ctx = background
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		err := cluster.API.Get(ctx, client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return
		}
	}
	t.Errorf("%s is still there", object.GetName())
}
