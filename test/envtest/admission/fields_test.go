package admission

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/drivers"
)

// fields of a spec that name a Secret or a ConfigMap, or bring something that runs, each with a
// spec that uses this field alone.
var fields = map[string]string{
	"spec.targets[].external.credentials":     `{targets: [{name: a, external: {host: h, credentials: {name: s}}}]}`,
	"spec.targets[].external.serviceRef":      `{targets: [{name: a, external: {serviceRef: {name: v}, credentials: {name: s}}}]}`,
	"spec.targets[].external.jdbc":            `{targets: [{name: a, external: {jdbc: {url: "jdbc:x:y", driver: a.B}, credentials: {name: s}}}]}`,
	"spec.workload.ycsb.urlParameters":        `{workload: {ycsb: {urlParameters: {a: b}}}}`,
	"spec.targets[].mysql.image":              `{targets: [{name: a, shape: {name: small}, mysql: {flavor: MySQL, image: i}}]}`,
	"spec.targets[].mysql.imagePullSecrets[]": `{targets: [{name: a, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4", imagePullSecrets: [{name: s}]}}]}`,
	"spec.targets[].mysql.configFrom[]":       `{targets: [{name: a, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4", configFrom: [{name: c}]}}]}`,
	"spec.targets[].published.configMap":      `{targets: [{name: b, published: {configMap: {name: c}, format: YCSB, source: s}}, {name: a, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4"}}]}`,
	"spec.targets[].shape.inline":             `{targets: [{name: a, shape: {inline: {cpu: 1, memory: 1Gi}}, mysql: {flavor: MySQL, version: "8.4"}}]}`,
	"spec.clients.shape.inline":               `{clients: {shape: {inline: {cpu: 1, memory: 1Gi}}}}`,
	"spec.workload.sysbench.script":           `{workload: {sysbench: {script: {configMap: {name: c}}}}}`,
	"spec.workload.sysbench.script.configMap": `{workload: {sysbench: {script: {configMap: {name: c}}}}}`,
	"spec.workload.ycsb.jvmOptions[]":         `{workload: {ycsb: {jvmOptions: [-Xmx1g]}}}`,
	"spec.workload.drivers.drivers[].options": `{workload: {drivers: {drivers: [{language: Java, name: mysql-connector-j, options: {queryInterceptors: a.B}}], benchmarks: [{operation: Do}]}}}`,
	"spec.workload.custom":                    `{workload: {custom: {image: i, run: {command: [x]}, format: Result}}}`,
	"spec.workload.custom.files":              `{workload: {custom: {image: i, run: {command: [x]}, format: Result, files: {name: c}}}}`,
	"spec.workload.custom.imagePullSecrets[]": `{workload: {custom: {image: i, run: {command: [x]}, format: Result, imagePullSecrets: [{name: s}]}}}`,
}

// brings are the fields that need the right to create pods; the others name an object.
var brings = regexp.MustCompile(`(image|inline|script|jvmOptions\[\]|jdbc|urlParameters|drivers\[\]\.options|custom)$`)

// suspicious are names of fields that may name an object, or bring something that runs.
var suspicious = regexp.MustCompile(`(?i)secret|configmap|configfrom|credential|certificate|image$|^inline$|command|script$|jvm|^jdbc$|^urlParameters$|^options$|plugin|file[s]?From|ref$|^custom$`)

// below are fields of those that are asked for, and what only looks alike: each with the reason.
var below = map[string]string{
	"spec.workload.sysbench.options":         "runners/sysbench refuses those that name files, programs or other databases",
	"spec.workload.custom.image":             "spec.workload.custom is asked for as a whole",
	"spec.workload.custom.prepare.command[]": "spec.workload.custom is asked for as a whole",
	"spec.workload.custom.run.command[]":     "spec.workload.custom is asked for as a whole",
	"spec.workload.custom.cleanup.command[]": "spec.workload.custom is asked for as a whole",
}

// TestEveryReferenceIsAsked walks the types of the API: a field that names an object, or brings
// something that runs, has to stand in fields, where TestRightsOfTheCreator tries it.
func TestEveryReferenceIsAsked(t *testing.T) {
	var found []string
	walk(reflect.TypeFor[v1alpha1.BenchmarkRunSpec](), "spec", &found)
	var want []string
	for field := range fields {
		want = append(want, field)
	}
	found = slices.DeleteFunc(found, func(f string) bool { return below[f] != "" })
	slices.Sort(want)
	slices.Sort(found)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("fields that name an object or bring something that runs (-asked about +of the API):\n%s", diff)
	}
}

// walk collects the paths of the suspicious fields, and of all fields of types for references.
func walk(typ reflect.Type, path string, found *[]string) {
	switch typ.Kind() {
	case reflect.Pointer:
		walk(typ.Elem(), path, found)
	case reflect.Slice:
		walk(typ.Elem(), path+"[]", found)
	case reflect.Struct:
		name := path[strings.LastIndex(path, ".")+1:]
		if isReference(typ) || suspicious.MatchString(strings.TrimSuffix(name, "[]")) {
			*found = append(*found, path)
		}
		if !strings.HasPrefix(typ.PkgPath(), "github.com/assay-bench/") {
			return
		}
		for field := range typ.Fields() {
			json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			walk(field.Type, path+"."+json, found)
		}
	default:
		if name := path[strings.LastIndex(path, ".")+1:]; suspicious.MatchString(strings.TrimSuffix(name, "[]")) {
			*found = append(*found, path)
		}
	}
}

// isReference says whether a type only names an object.
func isReference(typ reflect.Type) bool {
	name := typ.Name()
	return strings.HasSuffix(name, "Reference") || strings.HasSuffix(name, "Selector") || strings.HasSuffix(name, "Files") || strings.HasSuffix(name, "Source")
}

// Without a shape the manager chooses one, on any node: that takes the right that an inline shape does.
func TestShapesThatAreLeftOut(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	weak, able := grant(t, ns, "weak", "assay-edit"), grant(t, ns, "able", "assay-edit")
	allow(t, ns, "able", "pods", "create")
	for field, spec := range map[string]string{
		"spec.clients.shape":    `{clients: {}}`,
		"spec.targets[0].shape": `{targets: [{name: db, mysql: {flavor: MySQL, version: "8.4"}}]}`,
	} {
		if err := weak.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v, want a refusal that names it", field, err)
		}
		if err := able.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); err != nil {
			t.Errorf("%s, with the right to create pods: %v", field, err)
		}
	}
}

// Nodes are ordered by the right of the manager: an inline shape that does needs that right of whoever writes it.
func TestNodesThatAreRequested(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	weak, able := grant(t, ns, "weak", "assay-edit"), grant(t, ns, "able", "assay-edit")
	for _, user := range []string{"weak", "able"} {
		allow(t, ns, user, "pods", "create")
	}
	allowIn(t, "autoscaling.x-k8s.io", ns, "able", "provisioningrequests", "create")
	const shape = `{inline: {cpu: 1, memory: 1Gi, nodes: Provisioned, provisioningClass: a.b}}`
	for field, spec := range map[string]string{
		"spec.clients.shape.inline.provisioningClass":   `{clients: {shape: ` + shape + `}}`,
		"spec.targets[].shape.inline.provisioningClass": `{targets: [{name: db, shape: ` + shape + `, mysql: {flavor: MySQL, version: "8.4"}}]}`,
	} {
		err := weak.Create(t.Context(), parse(t, ns, spec), client.DryRunAll)
		if want := field + ": weak-" + ns + " may not create provisioningrequests in namespace " + ns; !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err := able.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); err != nil {
			t.Errorf("%s, with the right to create provisioningrequests: %v", field, err)
		}
		plain := strings.Replace(spec, ", provisioningClass: a.b", "", 1)
		if err := weak.Create(t.Context(), parse(t, ns, plain), client.DryRunAll); err != nil {
			t.Errorf("without a class: %v", err)
		}
	}
}

// A volume of a VolumeSnapshot, and a VolumeSnapshot of a volume, are made by the right of the manager: they need that right of whoever asks.
func TestVolumeSnapshotsNeedRights(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	weak, able := grant(t, ns, "weak", "assay-edit"), grant(t, ns, "able", "assay-edit")
	allow(t, ns, "able", "persistentvolumeclaims", "create")
	allowIn(t, "snapshot.storage.k8s.io", ns, "able", "volumesnapshots", "create")
	for field, resource := range map[string]string{"fromSnapshot": "persistentvolumeclaims", "snapshot": "volumesnapshots"} {
		spec := `{targets: [{name: db, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4", storage: {` + field + `: {name: s}}}}]}`
		err := weak.Create(t.Context(), parse(t, ns, spec), client.DryRunAll)
		want := "spec.targets[].mysql.storage." + field + ": weak-" + ns + " may not create " + resource + " in namespace " + ns
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err := able.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); err != nil {
			t.Errorf("%s, with the right to create %s: %v", field, resource, err)
		}
		if err := weak.Create(t.Context(), parse(t, ns, strings.Replace(spec, field+": {name: s}", "retain: true", 1)), client.DryRunAll); err != nil {
			t.Errorf("without a VolumeSnapshot: %v", err)
		}
	}
}

// A harmless option of a driver needs no right, and with a value that ends it in an URL it does.
func TestValuesOfDriverOptions(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	weak := grant(t, ns, "weak", "assay-edit")
	spec := func(value string) string {
		return `{workload: {drivers: {drivers: [{language: Java, name: mariadb-java-client, options: {socketTimeout: "` + value + `"}}], benchmarks: [{operation: Do}]}}}`
	}
	if err := weak.Create(t.Context(), parse(t, ns, spec("1000")), client.DryRunAll); err != nil {
		t.Errorf("a harmless option: %v", err)
	}
	// As many drivers and options as there may be, with values as long as harmless ones are: the policy has the budget for them.
	one := harmlessOptions(t, "Java/mysql-connector-j")
	if err := weak.Create(t.Context(), parse(t, ns, `{workload: {drivers: {drivers: [`+strings.Join(slices.Repeat([]string{one}, 32), ", ")+`], benchmarks: [{operation: Do}]}}}`), client.DryRunAll); err != nil {
		t.Errorf("the most harmless options that there may be: %v", err)
	}
	for _, value := range []string{"1000&allowLocalInfile=true", "1?a", "1#", "a=b", "%26a"} {
		if err := weak.Create(t.Context(), parse(t, ns, spec(value)), client.DryRunAll); !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v, want a refusal", value, err)
		}
	}
}

// harmlessOptions is a driver of LANGUAGE/NAME with all options that need no right.
func harmlessOptions(t *testing.T, driver string) string {
	t.Helper()
	list := regexp.MustCompile(`'` + driver + `': \['([^\]]+)'\]`).FindStringSubmatch(drivers.HarmlessOptions())
	if list == nil {
		t.Fatalf("%s has no options", driver)
	}
	var options []string
	for option := range strings.SplitSeq(list[1], "', '") {
		options = append(options, option+`: "`+strings.Repeat("9", 64)+`"`)
	}
	language, name, _ := strings.Cut(driver, "/")
	return fmt.Sprintf("{language: %s, name: %s, options: {%s}}", language, name, strings.Join(options, ", "))
}

// The status of a run shows the pods behind a Service, so that its creator has to be allowed to list them.
func TestWhoNamesAServiceMayListPods(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	getter, lister := grant(t, ns, "getter", "assay-edit"), grant(t, ns, "lister", "assay-edit")
	for _, user := range []string{"getter", "lister"} {
		allow(t, ns, user, "secrets", "get")
		allow(t, ns, user, "services", "get", "v")
	}
	allow(t, ns, "lister", "pods", "list")
	spec := fields["spec.targets[].external.serviceRef"]
	want := "spec.targets[0].external.serviceRef: getter-" + ns + " may not list pods in namespace " + ns
	if err := getter.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("without the right to list pods: %v, want %q", err, want)
	}
	within(t, func() bool { return lister.Create(t.Context(), parse(t, ns, spec), client.DryRunAll) == nil })
	other := strings.Replace(spec, "serviceRef: {name: v}", "serviceRef: {name: w}", 1)
	if err := lister.Create(t.Context(), parse(t, ns, other), client.DryRunAll); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `may not get Service "w"`) {
		t.Errorf("another Service: %v", err)
	}
}
