package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// TestFlux plays config/gitops/flux with Flux's own kustomize-controller and a real Git server: a commit starts a run, and
// the Kustomization is ready when the run is complete. A commit whose run fails makes it unhealthy, and a revert
// healthy again, without another run. A commit that changes the run under its name is refused with our message.
func TestFlux(t *testing.T) {
	if testing.Short() {
		t.Skip("make e2e-gitops and e2e-full play it")
	}
	t.Parallel()
	f := startFlux(t)
	files := f.example(t)

	good := f.commit(t, "a benchmark", files)
	run := f.awaitRun(t, "")
	if ready, message := f.ready(t, good); ready == "True" {
		t.Errorf("Flux calls %s ready, which has just begun: %s", run, message)
	}
	if ready, message := f.await(t, good, 10*time.Minute); ready != "True" {
		t.Fatalf("the Kustomization is not ready, but %s: %s\n%s", ready, message, f.logs(t))
	}
	complete := f.run(t, run)
	if cluster.Condition(complete, v1alpha1.ConditionComplete) == nil {
		t.Errorf("Flux calls %s ready, which is %s", run, complete.Status.Phase)
	}

	failing := map[string]string{}
	for name, text := range files {
		failing[name] = strings.ReplaceAll(text, `version: "10.11"`, `version: "99.9"`)
	}
	bad := f.commit(t, "a version that nobody has", failing)
	ready, message := f.await(t, bad, 2*time.Minute)
	failed := f.awaitRun(t, run)
	if want := "BenchmarkRun/" + f.ns + "/" + failed + " status: 'Failed'"; ready != "False" || !strings.Contains(message, want) {
		t.Errorf("after a bad commit the Kustomization is %s: %s, want False: %s", ready, message, want)
	}
	if m := cluster.Message(f.run(t, failed), v1alpha1.ConditionStalled); !strings.Contains(m, "99.9") {
		t.Errorf("the run that failed does not say why: %s", m)
	}

	reverted := f.commit(t, "revert", files)
	if ready, message := f.await(t, reverted, time.Minute); ready != "True" {
		t.Errorf("after the revert the Kustomization is %s: %s", ready, message)
	}
	if again := f.run(t, run); again.UID != complete.UID || !again.Status.CompletionTime.Equal(complete.Status.CompletionTime) || again.Generation != 1 {
		t.Errorf("the run of the first commit was made again or changed: generation %d, ended %s, before %s", again.Generation, again.Status.CompletionTime, complete.Status.CompletionTime)
	}

	// Without the hash, a changed run has the name of the one that is there.
	_, hash, _ := strings.Cut(run, "-")
	changed := f.commit(t, "another number of threads under the same name", map[string]string{
		"run.yaml":           strings.ReplaceAll(files["run.yaml"], "threads: 2", "threads: 3"),
		"kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [run.yaml]\nnameSuffix: -" + hash + "\n",
	})
	ready, message = f.await(t, changed, time.Minute)
	if want := "workload cannot be changed"; ready != "False" || !strings.Contains(message, want) {
		t.Errorf("after a change under the same name the Kustomization is %s: %s, want False: ... %s", ready, message, want)
	}
}

// example is the folder of the guide, with pods that share the nodes with other stories.
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
	files["run.yaml"] = cluster.Beside(files["run.yaml"])
	return files
}

// awaitRun waits for a run other than the one that is known, and returns its name.
func (f *flux) awaitRun(t *testing.T, known string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		var runs v1alpha1.BenchmarkRunList
		if err := cluster.API.List(t.Context(), &runs, client.InNamespace(f.ns)); err != nil {
			t.Fatal(err)
		}
		for _, r := range runs.Items {
			if r.Name != known {
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
