package upgrade

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/lastrelease"
)

// The chart of the last release is replaced by that of this tree, and taken back, and replaced again, by
// Helm. No CRD is ever removed, each has the schema of the chart that is installed, and what was there is
// there, unchanged, and valid. What the docs say of a rollback is so: schedules and baselines stay, the
// last release shows runs without the fields that it does not know, and they are back with the upgrade
// unless somebody wrote the run meanwhile.
func TestUpgradeFromTheLastRelease(t *testing.T) {
	tag, _ := lastrelease.Name(t)
	old := lastrelease.Tree(t, "charts", "config")
	h, ns := newHelm(t), server.Namespace(t)

	h.must("install", filepath.Join(old, "charts/assay"), "--create-namespace", "--set=replicas=2,leaderElection.enabled=true")
	first := established(t)
	checkSchemas(t, "installed "+tag, old)
	then := makeObjects(t, old, ns)

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
	added, written := makeNew(t, ns), makeGated(t, ns, "written")

	h.must("rollback", "1")
	checkSchemas(t, "rolled back", old)
	checkKept(t, second, established(t))
	checkObjects(t, then)
	gated := added[0].DeepCopy()
	unstructured.RemoveNestedField(gated.Object, "spec", "gate")
	unstructured.RemoveNestedField(gated.Object, "status") // it has a default only, which is not stored
	checkObjects(t, append([]*unstructured.Unstructured{gated}, added[1:]...))
	if _, has, _ := unstructured.NestedMap(get(t, gated).Object, "spec", "gate"); has {
		t.Errorf("the CRD of %s shows a gate: docs/guide/operate.md says that it does not", tag)
	}
	written = get(t, written)
	written.SetLabels(map[string]string{"written": "meanwhile"})
	if err := server.API.Update(t.Context(), written); err != nil {
		t.Fatal(err)
	}
	if n := policies(t); n > 0 {
		t.Errorf("%d policies of admission stay, for fields that %s does not know", n, tag)
	}

	// It takes the defaults of the old chart, and has none for what is new.
	if out, err := h.try("upgrade", top+"/charts/assay", "--reuse-values"); err == nil {
		t.Errorf("an upgrade with --reuse-values was not refused: docs/guide/operate.md says that it is\n%s", out)
	}
	h.must("upgrade", top+"/charts/assay", "--reset-then-reuse-values")
	checkSchemas(t, "upgraded again", top)
	checkKept(t, second, established(t))
	checkObjects(t, append(then, added...))
	if _, has, _ := unstructured.NestedMap(get(t, written).Object, "spec", "gate"); has {
		t.Errorf("a run that was written under %s has its gate: docs/guide/operate.md says that it has not", tag)
	}
}

// established waits until the API server serves every CRD of Assay, and returns their UIDs.
func established(t *testing.T) map[string]string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
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

// makeObjects of the last release: all its samples, and a run that has ended. They are returned as the API
// server has them.
func makeObjects(t *testing.T, tree, ns string) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tree, "config/samples/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*unstructured.Unstructured
	kinds := map[string]int{}
	for _, file := range append(files, "testdata/run.yaml") {
		for _, doc := range documents(read(t, file)) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if o.GroupVersionKind().Group != "assay.dev" {
				continue
			}
			kinds[o.GetKind()]++
			if o.GetKind() == "BenchmarkRun" {
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
	if kinds["BenchmarkRun"] < 10 || kinds["InstanceShape"] < 2 {
		t.Fatalf("the last release has %v", kinds)
	}
	return out
}

// makeNew objects, of fields and kinds that the last release does not have: a run with a gate first.
func makeNew(t *testing.T, ns string) []*unstructured.Unstructured {
	t.Helper()
	out := []*unstructured.Unstructured{makeGated(t, ns, "gated")}
	for _, file := range []string{top + "/config/samples/schedule.yaml", "testdata/baseline.yaml"} {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(read(t, file), &o.Object); err != nil {
			t.Fatal(err)
		}
		o.SetNamespace(ns)
		create(t, o)
		out = append(out, get(t, o))
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
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
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
	end := time.Now().Add(10 * time.Second)
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

// announced is what this tree refuses in new objects, and the last release took: each is in CHANGELOG.md.
// Objects that exist keep it.
var announced = regexp.MustCompile(`is invalid: \[?spec.targets\[0\].external.tls: .* use tls: Required with ca.crt in the Secret, or say insecureSkipVerify`)

// checkValid: this tree's types know every field of the objects, and its API server takes each once more,
// with its status.
func checkValid(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		data, err := json.Marshal(get(t, o).Object)
		if err != nil {
			t.Fatal(err)
		}
		var typed client.Object = &v1alpha1.BenchmarkRun{}
		if o.GetKind() == "InstanceShape" {
			typed = &v1alpha1.InstanceShape{}
		}
		if err := yaml.UnmarshalStrict(data, typed); err != nil {
			t.Errorf("%s: %v", key(o), err)
		}
		again := typed.DeepCopyObject().(client.Object)
		again.SetName("again-" + o.GetName())
		again.SetResourceVersion("")
		again.SetUID("")
		again.SetManagedFields(nil)
		again.SetCreationTimestamp(metav1.Time{})
		if err := server.API.Create(t.Context(), again, client.DryRunAll); err != nil && !announced.MatchString(err.Error()) {
			t.Errorf("%s as a new object: %v", key(o), err)
		}
		if err := server.API.Status().Update(t.Context(), typed, client.DryRunAll); err != nil {
			t.Errorf("the status of %s: %v", key(o), err)
		}
	}
}

// policies of admission that belong to Assay.
func policies(t *testing.T) int {
	t.Helper()
	if err := admissionv1.AddToScheme(server.Scheme); err != nil {
		t.Fatal(err)
	}
	var list admissionv1.ValidatingAdmissionPolicyList
	if err := server.API.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}
