package upgrade

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// A chart is replaced by that of this tree, and taken back, and replaced again, by Helm. No CRD is ever removed, each has
// the schema of the chart that is installed, and what was there is there, unchanged, and valid. What the docs say of a
// rollback is so: schedules and baselines stay, the earlier schema shows runs without the field that it does not know,
// and the field is back with the upgrade unless somebody wrote the run meanwhile.
func TestUpgradeAndRollback(t *testing.T) {
	old := earlierChart(t)
	h, ns := newHelm(t), server.Namespace(t)

	h.must("install", filepath.Join(old, "charts/assay"), "--create-namespace", "--set=replicas=2,leaderElection.enabled=true")
	first := established(t)
	checkSchemas(t, "installed", old)
	then := makeObjects(t, ns)

	h.must("upgrade", top+"/charts/assay", "--reset-then-reuse-values")
	second := established(t)
	checkSchemas(t, "upgraded", top)
	checkKept(t, first, second)
	checkObjects(t, then)
	checkValid(t, then)
	// What the administrator had set stays.
	if values := h.must("get values"); !strings.Contains(values, "replicas: 2") {
		t.Errorf("values after the upgrade: %s", values)
	}
	added, written := makeGated(t, ns, "gated"), makeGated(t, ns, "written")

	h.must("rollback", "1")
	checkSchemas(t, "rolled back", old)
	checkKept(t, second, established(t))
	checkObjects(t, then)
	gated := added.DeepCopy()
	unstructured.RemoveNestedField(gated.Object, "spec", "gate")
	checkObjects(t, []*unstructured.Unstructured{gated})
	if _, has, _ := unstructured.NestedMap(get(t, gated).Object, "spec", "gate"); has {
		t.Error("the earlier CRD shows a gate: docs/guide/operate.md says that it does not")
	}
	written = get(t, written)
	written.SetLabels(map[string]string{"written": "meanwhile"})
	if err := server.API.Update(t.Context(), written); err != nil {
		t.Fatal(err)
	}

	h.must("upgrade", top+"/charts/assay", "--reset-then-reuse-values")
	checkSchemas(t, "upgraded again", top)
	checkKept(t, second, established(t))
	checkObjects(t, append(then, added))
	if _, has, _ := unstructured.NestedMap(get(t, written).Object, "spec", "gate"); has {
		t.Error("a run that was written under the earlier CRD has its gate: docs/guide/operate.md says that it has not")
	}
}

// earlierChart is a tree with the chart of this one under an earlier version, whose runs have no spec.gate: what the
// first release is to a second one that adds a field. From the first tag on it is the chart of the last release.
func earlierChart(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	chart := filepath.Join(tree, "charts/assay")
	if err := os.CopyFS(chart, os.DirFS(top+"/charts/assay")); err != nil {
		t.Fatal(err)
	}
	about := filepath.Join(chart, "Chart.yaml")
	write(t, about, regexp.MustCompile(`(?m)^(version|appVersion): .*`).ReplaceAll(read(t, about), []byte("$1: 0.0.1")))
	file := filepath.Join(chart, "generated/crds/assay.dev_benchmarkruns.yaml")
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(read(t, file), &crd); err != nil {
		t.Fatal(err)
	}
	schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	spec := schema.Properties["spec"]
	if _, has := spec.Properties["gate"]; !has {
		t.Fatal("runs have no spec.gate: take another field")
	}
	delete(spec.Properties, "gate")
	spec.XValidations = slices.DeleteFunc(spec.XValidations, func(r apiextensionsv1.ValidationRule) bool { return strings.Contains(r.Rule, "self.gate") })
	schema.Properties["spec"] = spec
	data, err := yaml.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, data)
	return tree
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// established waits until the API server serves every CRD of Assay, and returns their UIDs.
func established(t *testing.T) map[string]string {
	t.Helper()
	for end := time.Now().Add(hang.Limit); ; time.Sleep(50 * time.Millisecond) {
		out, wait := map[string]string{}, ""
		for name, d := range definitions(t) {
			out[name] = string(d.UID)
			if !slices.ContainsFunc(d.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
				return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
			}) {
				wait = name
			}
		}
		if wait == "" && len(out) > 0 {
			return out
		}
		if time.Now().After(end) {
			t.Fatalf("not served: %q of %v", wait, out)
		}
	}
}

// checkSchemas compares the CRDs of the API server with those of a tree's chart. Those that the chart does
// not have are as they were.
func checkSchemas(t *testing.T, when, tree string) {
	t.Helper()
	is := definitions(t)
	for name, want := range chartDefinitions(t, tree) {
		if diff := cmp.Diff(want.Spec.Versions, is[name].Spec.Versions); diff != "" {
			t.Errorf("%s: the versions of %s (-chart +API server):\n%.2000s", when, name, diff)
		}
	}
}

// checkKept holds that no CRD was removed or made anew: with it would go all its objects.
func checkKept(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name, uid := range before {
		if after[name] != uid {
			t.Errorf("CRD %s had the UID %s, and has %q", name, uid, after[name])
		}
	}
}

// makeObjects: all samples, a baseline, and a run that has ended. They are returned as the API server has them.
func makeObjects(t *testing.T, ns string) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(top + "/config/samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	published, err := filepath.Glob(top + "/config/samples/published/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out []*unstructured.Unstructured
	kinds, made := map[string]int{}, map[string]bool{}
	for _, file := range slices.Concat(files, published, []string{"testdata/run.yaml", "testdata/baseline.yaml"}) {
		for _, doc := range documents(read(t, file)) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if o.GroupVersionKind().Group != "assay.dev" {
				continue
			}
			if _, gated, _ := unstructured.NestedMap(o.Object, "spec", "gate"); gated {
				continue // the earlier schema does not have it: makeGated makes such runs later
			}
			if made[key(o)] {
				continue // several manifests bring one shape
			}
			made[key(o)] = true
			kinds[o.GetKind()]++
			if o.GetKind() != "InstanceShape" {
				o.SetNamespace(ns)
			}
			status := o.Object["status"]
			create(t, o)
			if status != nil {
				o.Object["status"] = status
				if err := server.API.Status().Update(t.Context(), o); err != nil {
					t.Fatalf("%s: %v", key(o), err)
				}
			}
			out = append(out, get(t, o))
		}
	}
	if len(published) < 7 || kinds["BenchmarkRun"] < 10 || kinds["InstanceShape"] < 2 || kinds["BenchmarkSchedule"] < 1 || kinds["BenchmarkBaseline"] < 1 {
		t.Fatalf("the samples have %v", kinds)
	}
	return out
}

// makeGated is the run that has ended once more, with a gate.
func makeGated(t *testing.T, ns, name string) *unstructured.Unstructured {
	t.Helper()
	gated := object("BenchmarkRun", ns, name)
	gated.Object["spec"] = get(t, object("BenchmarkRun", ns, "run")).Object["spec"]
	if err := unstructured.SetNestedMap(gated.Object, map[string]any{"baseline": "release", "threshold": "25%"}, "spec", "gate"); err != nil {
		t.Fatal(err)
	}
	create(t, gated)
	return get(t, gated)
}

// create an object; a CRD that is new may take a moment to be served.
func create(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); ; time.Sleep(100 * time.Millisecond) {
		err := server.API.Create(t.Context(), o)
		if err == nil {
			return
		}
		// An API server takes a new schema a moment after it has the CRD.
		if time.Now().After(end) || apierrors.IsAlreadyExists(err) {
			t.Fatalf("creating %s: %v", key(o), err)
		}
	}
}

func object(kind, ns, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("assay.dev/v1alpha1")
	o.SetKind(kind)
	o.SetNamespace(ns)
	o.SetName(name)
	return o
}

func get(t *testing.T, o client.Object) *unstructured.Unstructured {
	t.Helper()
	out := object(o.GetObjectKind().GroupVersionKind().Kind, o.GetNamespace(), o.GetName())
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(o), out); err != nil {
		t.Fatalf("reading %s: %v", key(o), err)
	}
	return out
}

// checkObjects: each is there, nobody wrote it, and it lacks nothing. A default of a newer schema may be
// added to what is read.
func checkObjects(t *testing.T, before []*unstructured.Unstructured) {
	t.Helper()
	// The API server takes another schema a moment after it has the CRD.
	end := time.Now().Add(hang.Limit)
	for _, o := range before {
		for {
			now := get(t, o)
			if now.GetUID() != o.GetUID() || now.GetResourceVersion() != o.GetResourceVersion() {
				t.Errorf("%s was made anew, or written", key(o))
			}
			lost := lacks("", o.Object, now.Object)
			if len(lost) == 0 {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s has lost or changed %v", key(o), lost)
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// lacks are the paths of values that is does not have as was has them.
func lacks(path string, was, is any) []string {
	before, isMap := was.(map[string]any)
	if !isMap {
		list, isList := was.([]any)
		after, _ := is.([]any)
		if !isList || len(list) != len(after) {
			if reflect.DeepEqual(was, is) {
				return nil
			}
			return []string{path}
		}
		var out []string
		for i := range list {
			out = append(out, lacks(path+"[]", list[i], after[i])...)
		}
		return out
	}
	after, _ := is.(map[string]any)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if path+name != "metadata.managedFields" {
			out = append(out, lacks(path+name+".", before[name], after[name])...)
		}
	}
	return out
}

// checkValid: this tree's types know every field of the objects, and its API server takes each once more,
// with its status.
func checkValid(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		data, err := json.Marshal(get(t, o).Object)
		if err != nil {
			t.Fatal(err)
		}
		made, err := server.Scheme.New(o.GroupVersionKind())
		if err != nil {
			t.Fatal(err)
		}
		typed := made.(client.Object)
		if err := yaml.UnmarshalStrict(data, typed); err != nil {
			t.Errorf("%s: %v", key(o), err)
		}
		again := typed.DeepCopyObject().(client.Object)
		again.SetName("again-" + o.GetName())
		again.SetResourceVersion("")
		again.SetUID("")
		again.SetManagedFields(nil)
		again.SetCreationTimestamp(metav1.Time{})
		if err := server.API.Create(t.Context(), again, client.DryRunAll); err != nil {
			t.Errorf("%s as a new object: %v", key(o), err)
		}
		if err := server.API.Status().Update(t.Context(), typed, client.DryRunAll); err != nil {
			t.Errorf("the status of %s: %v", key(o), err)
		}
	}
}
