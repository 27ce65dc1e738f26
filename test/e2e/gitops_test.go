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
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// TestFlux plays config/gitops/flux with Flux's own kustomize-controller and a real Git server: a commit starts a run, and
// the Kustomization is ready when the run is complete. A commit whose run fails makes it unhealthy, and a revert
// healthy again, without another run. A commit that changes the run under its name is refused with our message.
func TestFlux(t *testing.T) {
	if testing.Short() {
		t.Skip("make e2e-gitops and e2e-full play it")
	}
	f := startFlux(t)
	files := f.example(t)

	good := f.commit(t, "a benchmark", files)
	run := f.awaitRun(t)
	if ready, message := f.ready(t, good); ready == "True" {
		t.Errorf("Flux calls %s ready, which has just begun: %s", run, message)
	}
	f.awaitReady(t, good)
	complete := f.run(t, run)
	if cluster.Condition(complete, v1alpha1.ConditionComplete) == nil {
		t.Errorf("Flux calls %s ready, which is %s", run, complete.Status.Phase)
	}

	bad := maps.Clone(files)
	bad["run.yaml"] = strings.ReplaceAll(bad["run.yaml"], `version: "10.11"`, `version: "99.9"`)
	f.awaitUnhealthy(t, f.commit(t, "a version that nobody has", bad), "99.9", run)

	f.awaitReady(t, f.commit(t, "revert", files))
	f.unchanged(t, complete)

	// Without the hash, a changed run has the name of the one that is there.
	_, hash, _ := strings.Cut(run, "-")
	changed := f.commit(t, "another number of threads under the same name", map[string]string{
		"run.yaml":           strings.ReplaceAll(files["run.yaml"], "threads: 2", "threads: 3"),
		"kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [run.yaml]\nnameSuffix: -" + hash + "\n",
	})
	ready, message := f.await(t, changed, time.Minute)
	if want := "workload cannot be changed: create a new BenchmarkRun with another name"; ready != "False" || !strings.Contains(message, want) {
		t.Errorf("after a change under the same name the Kustomization is %s: %s, want False: ... %s", ready, message, want)
	}
}

// TestFluxSeesAGate: the baseline is a file beside the run. A commit that leaves the run as fast as it was is ready, one
// that makes it slower is unhealthy, and a revert is ready again, without another run. It wants a machine without
// other work, because disturbed trials have no numbers.
func TestFluxSeesAGate(t *testing.T) {
	if testing.Short() {
		t.Skip("make e2e-gitops and e2e-full play it")
	}
	f := startFlux(t)
	files := f.example(t)
	f.awaitReady(t, f.commit(t, "a benchmark", files))
	first := f.awaitRun(t)

	gated := maps.Clone(files)
	gated["baseline.yaml"] = f.promote(t, first)
	gated["kustomization.yaml"] = strings.ReplaceAll(gated["kustomization.yaml"], "[run.yaml]", "[run.yaml, baseline.yaml]")
	gated["run.yaml"] += "  gate: {baseline: release, threshold: 60%, health: Required}\n"
	f.awaitReady(t, f.commit(t, "a gate", gated))
	same := f.awaitRun(t, first)
	passed := f.run(t, same)
	if cluster.Condition(passed, v1alpha1.ConditionPassed) == nil {
		t.Errorf("Flux calls %s ready, which has not passed: %+v", same, passed.Status.Conditions)
	}

	slower := maps.Clone(gated)
	slower["run.yaml"] = strings.ReplaceAll(slower["run.yaml"], "shape: {name: kind-target}",
		"shape: {inline: {cpu: 150m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}")
	f.awaitUnhealthy(t, f.commit(t, "a slower machine", slower), "slower: mariadb throughput: ", first, same)

	f.awaitReady(t, f.commit(t, "revert", gated))
	f.unchanged(t, passed)
}

// awaitUnhealthy waits until Flux calls a revision unhealthy, because of a run that is new, and whose message has the words.
func (f *flux) awaitUnhealthy(t *testing.T, revision, words string, known ...string) {
	t.Helper()
	ready, message := f.await(t, revision, 10*time.Minute)
	run := f.awaitRun(t, known...)
	if want := "BenchmarkRun/" + f.ns + "/" + run + " status: 'Failed'"; ready != "False" || !strings.Contains(message, want) {
		t.Errorf("the Kustomization is %s: %s, want False: %s", ready, message, want)
	}
	if m := cluster.Message(f.run(t, run), v1alpha1.ConditionStalled); !strings.Contains(m, words) {
		t.Errorf("the run that made Flux unhealthy says %q, want %q", m, words)
	}
}

// unchanged is a run that was neither made again nor changed.
func (f *flux) unchanged(t *testing.T, before *v1alpha1.BenchmarkRun) {
	t.Helper()
	after := f.run(t, before.Name)
	if after.UID != before.UID || !after.Status.CompletionTime.Equal(before.Status.CompletionTime) || after.Generation != 1 {
		t.Errorf("the run was made again or changed: generation %d, ended %s, before %s", after.Generation, after.Status.CompletionTime, before.Status.CompletionTime)
	}
}

// promote a run to the baseline release, as a file for Git.
func (f *flux) promote(t *testing.T, run string) string {
	t.Helper()
	var manifest, problems bytes.Buffer
	args := []string{"baseline", "promote", run, "-n", f.ns, "--name", "release", "--reason", "the first run", "--author", "e2e"}
	if code := cli.Main(args, &manifest, &problems); code != exit.OK {
		t.Fatalf("promoting: %d: %s", code, problems.String())
	}
	return manifest.String()
}

// example is the folder of the guide, with the shapes of the local cluster.
func (f *flux) example(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"run.yaml", "kustomization.yaml", "names.yaml"} {
		data, err := os.ReadFile(filepath.Join("../../config/gitops/flux/benchmarks", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
		for _, s := range shapes {
			files[name] = strings.ReplaceAll(files[name], s.written, s.here)
		}
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
