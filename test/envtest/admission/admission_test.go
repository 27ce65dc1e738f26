// Package admission asks a real API server, as users with different rights, for
// runs and for changes of runs, under the policies that the chart and the
// kustomization install.
package admission

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/hang"
)

const (
	root = "../../../"
	// policies are those of the chart; test/unit/chart compares them.
	policies = root + "config/admission/policies.yaml"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Main(m, &server))
}

// install creates the policies and the roles of the users, once for all tests, and waits
// until the API server applies all policies.
func install(t *testing.T) {
	t.Helper()
	for _, path := range []string{policies, root + "config/rbac/user_roles.yaml", root + "config/rbac/role.yaml"} {
		for _, o := range objectsOf(t, path) {
			if err := server.API.Create(t.Context(), o); err != nil && !apierrors.IsAlreadyExists(err) {
				t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
			}
		}
	}
	namespace := server.Namespace(t)
	user := grant(t, namespace, "early", "assay-edit")
	for _, forbidden := range []string{fields["spec.targets[].mysql.image"], fields["spec.targets[].external.credentials"], fields["spec.targets[].mysql.configFrom[]"]} {
		within(t, func() bool {
			return apierrors.IsForbidden(user.Create(t.Context(), parse(t, namespace, forbidden), client.DryRunAll))
		})
	}
}

func objectsOf(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []*unstructured.Unstructured
	for doc := range strings.SplitSeq("\n"+string(data), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			t.Fatal(err)
		}
		if u.GetKind() != "" {
			out = append(out, u)
		}
	}
	return out
}

func within(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never holds")
		}
	}
}

// grant binds a new user to ClusterRoles in a namespace, and is the API as that user. A name
// with colons is taken as it is: a ServiceAccount.
func grant(t *testing.T, namespace, user string, roles ...string) client.Client {
	t.Helper()
	if !strings.Contains(user, ":") {
		user += "-" + namespace
	}
	for _, role := range roles {
		b := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "b-"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		}
		if err := server.API.Create(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	config := rest.CopyConfig(server.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	api, err := client.New(config, client.Options{Scheme: server.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	if len(roles) > 0 { // The authorizer learns of a binding after a moment.
		within(t, func() bool {
			return api.Create(t.Context(), parse(t, namespace, plain), client.DryRunAll) == nil
		})
	}
	return client.WithFieldValidation(api, metav1.FieldValidationStrict)
}

// edit are the roles behind the ClusterRole edit, which no controller puts together here.
var edit = []string{"assay-edit", "system:aggregate-to-view", "system:aggregate-to-edit"}

// allow gives a user one right: to the objects of the names, or to all.
func allow(t *testing.T, namespace, user, resource, verb string, names ...string) {
	t.Helper()
	allowIn(t, "", namespace, user, resource, verb, names...)
}

// allowIn is allow for a resource of another API group.
func allowIn(t *testing.T, group, namespace, user, resource, verb string, names ...string) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: user + "-" + resource}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user + "-" + namespace}},
	}
	for _, o := range []client.Object{role, binding} {
		if err := server.API.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// plain is a run that names and brings nothing of its own.
const plain = "{}"

// base is the spec of a run where a test gives nothing else.
const base = `{targets: [{name: db, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4"}}], clients: {shape: {name: small}}, workload: {sysbench: {test: oltp_read_only}}}`

// parse is a run with the fields of the spec given as YAML.
func parse(t *testing.T, namespace, spec string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkRun"}}
	u.SetNamespace(namespace)
	u.SetGenerateName("run-")
	all := map[string]any{}
	for _, text := range []string{base, spec} {
		var some map[string]any
		if err := yaml.Unmarshal([]byte(text), &some); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for k, v := range some {
			all[k] = v
		}
	}
	u.Object["spec"] = all
	return u
}

func TestRightsOfTheCreator(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	weak := grant(t, ns, "weak", "assay-edit")
	// Each of these lacks one right only.
	reader := grant(t, ns, "reader", "assay-edit")
	allow(t, ns, "reader", "secrets", "get")
	allow(t, ns, "reader", "configmaps", "get")
	starter := grant(t, ns, "starter", "assay-edit")
	allow(t, ns, "starter", "pods", "create")
	namer := grant(t, ns, "namer", "assay-edit")
	allow(t, ns, "namer", "secrets", "get")
	allow(t, ns, "namer", "pods", "list")
	able := map[string]client.Client{
		"who may edit the namespace": grant(t, ns, "editor", edit...),
		"GitOps":                     grant(t, ns, "system:serviceaccount:flux-system:kustomize-controller", "cluster-admin"),
	}
	for field, spec := range fields {
		t.Run(field, func(t *testing.T) {
			user, lacks := starter, "starter-"+ns+" may not get "
			if brings.MatchString(field) {
				user, lacks = reader, "reader-"+ns+" may not create pods "
			}
			if strings.HasSuffix(field, "serviceRef") {
				user, lacks = namer, "namer-"+ns+" may not get Service "
			}
			path := strings.TrimSuffix(strings.ReplaceAll(field, "targets[]", "targets[0]"), "[]")
			err := user.Create(t.Context(), parse(t, ns, spec), client.DryRunAll)
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), path+": "+lacks) {
				t.Errorf("without the right: %v; want a refusal with %q", err, path+": "+lacks)
			}
			if err := weak.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); !apierrors.IsForbidden(err) {
				t.Errorf("without any right: %v; want a refusal", err)
			}
			for name, api := range able {
				if err := api.Create(t.Context(), parse(t, ns, spec), client.DryRunAll); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// Who may get an object by its name may name it, and no other.
func TestRightsToSingleObjects(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	user := grant(t, ns, "user", "assay-edit")
	allow(t, ns, "user", "secrets", "get", "mine")
	allow(t, ns, "user", "configmaps", "get", "mine")
	for _, text := range []string{
		`{targets: [{name: a, external: {host: h, credentials: {name: %[1]s}}}, {name: b, external: {host: h, credentials: {name: mine}}}]}`,
		`{targets: [{name: a, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4", configFrom: [{name: mine}, {name: %[1]s}]}}]}`,
	} {
		within(t, func() bool {
			return user.Create(t.Context(), parse(t, ns, fmt.Sprintf(text, "mine")), client.DryRunAll) == nil
		})
		err := user.Create(t.Context(), parse(t, ns, fmt.Sprintf(text, "yours")), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), `"yours" in namespace `+ns) {
			t.Errorf("%v, want a refusal that names yours", err)
		}
	}
}

// The most that a run can name. Without a right to all objects of a kind, each name costs a
// check, and the API server allows less than 28 of them.
func TestTheMostThatARunCanName(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	var names []string
	for i := range most {
		names = append(names, fmt.Sprint("n-", i))
	}
	user, editor := grant(t, ns, "user", "assay-edit"), grant(t, ns, "editor", edit...)
	allow(t, ns, "user", "secrets", "get", names...)
	allow(t, ns, "user", "configmaps", "get", names...)
	for what, tc := range map[string]struct{ secrets, configMaps int }{
		"as many Secrets as may be checked":    {most, 0},
		"as many ConfigMaps as may be checked": {0, most},
		"as many of both":                      {most, most},
		"more Secrets":                         {most + 1, 0},
		"more ConfigMaps":                      {0, most + 1},
		"as many as the API allows":            {64, 128},
	} {
		spec := parse(t, ns, eightTargets(tc.secrets, tc.configMaps))
		if err := editor.Create(t.Context(), spec.DeepCopy(), client.DryRunAll); err != nil {
			t.Errorf("%s, by who may get all: %v", what, err)
		}
		if tc.secrets <= most && tc.configMaps <= most {
			within(t, func() bool {
				err := user.Create(t.Context(), spec.DeepCopy(), client.DryRunAll)
				if err != nil && strings.Contains(err.Error(), "cost") {
					t.Errorf("%s: %v", what, err)
				}
				return t.Failed() || err == nil
			})
			continue
		}
		err := user.Create(t.Context(), spec.DeepCopy(), client.DryRunAll)
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), fmt.Sprintf("more than %d need the right to get all", most)) {
			t.Errorf("%s: %v, want a refusal with the limit", what, err)
		}
	}
}

// most is the number of names in the policies.
const most = 20

// eightTargets name so many different objects in turn; at most 8 Secrets and 16 ConfigMaps each.
func eightTargets(secrets, configMaps int) string {
	names := func(target, all int) string {
		var out []string
		for i := target; i < all; i += 8 {
			out = append(out, fmt.Sprintf("{name: n-%d}", i))
		}
		return strings.Join(out, ", ")
	}
	var targets []string
	for i := range 8 {
		targets = append(targets, fmt.Sprintf(`{name: t%d, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4", imagePullSecrets: [%s], configFrom: [%s]}}`,
			i, names(i, secrets), names(i, configMaps)))
	}
	return "{targets: [" + strings.Join(targets, ", ") + "]}"
}

// A large spec does not use the budget up in which the API server compares it with the old one.
func TestALargeRunCanBeChanged(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	editor := grant(t, ns, "editor", edit...)
	var settings []string
	for i := range 200 {
		settings = append(settings, fmt.Sprintf("s%d: %s", i, strings.Repeat("x", 4000)))
	}
	run := parse(t, ns, `{targets: [{name: a, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4", config: {`+strings.Join(settings, ", ")+`}}}]}`)
	if err := editor.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"metadata": {"labels": {"a": "b"}}}`, `{"spec": {"suspend": true}}`, `{"spec": {"suspend": false}}`} {
		if err := editor.Patch(t.Context(), run.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(text))); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What was asked once is not asked again, but who resumes a run is asked as if they had made it.
func TestUpdates(t *testing.T) {
	install(t)
	ns := server.Namespace(t)
	weak, editor := grant(t, ns, "weak", "assay-edit"), grant(t, ns, "editor", edit...)
	manager := grant(t, ns, "system:serviceaccount:assay-system:assay-manager")
	allowManager(t, ns, "system:serviceaccount:assay-system:assay-manager")
	const spec = `{suspend: true, targets: [{name: a, external: {host: h, credentials: {name: s}}}, {name: b, shape: {inline: {cpu: 1, memory: 1Gi}}, mysql: {flavor: MySQL, image: i}}]}`
	run := parse(t, ns, spec)
	if err := weak.Create(t.Context(), run.DeepCopy()); !apierrors.IsForbidden(err) {
		t.Fatalf("a suspended run without rights: %v", err)
	}
	if err := editor.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	patch := func(api client.Client, patch string) error {
		return api.Patch(t.Context(), run.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))
	}
	for what, text := range map[string]string{
		"a label": `{"metadata": {"labels": {"a": "b"}}}`, "the priority": `{"spec": {"priority": 7}}`,
		"what stays": `{"spec": {"retain": "Always", "ttlSecondsAfterFinished": 5}}`, "suspending what is suspended": `{"spec": {"suspend": true}}`,
	} {
		if err := patch(weak, text); err != nil {
			t.Errorf("%s, without rights to what the run names: %v", what, err)
		}
	}
	if err := patch(manager, `{"metadata": {"annotations": {"assay.dev/spec-hash": "x"}}}`); err != nil {
		t.Errorf("the manager marks a run: %v", err)
	}
	written := run.DeepCopy()
	if err := editor.Get(t.Context(), client.ObjectKeyFromObject(run), written); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(written.Object, "Pending", "status", "phase"); err != nil {
		t.Fatal(err)
	}
	if err := manager.Status().Update(t.Context(), written); err != nil {
		t.Errorf("the manager writes a status: %v", err)
	}
	for _, text := range []string{`{"spec": {"suspend": false}}`, `{"spec": {"suspend": null}}`} {
		if err := patch(weak, text); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "may not") {
			t.Errorf("%s without rights: %v, want a refusal", text, err)
		}
	}
	if err := patch(editor, `{"spec": {"suspend": false}}`); err != nil {
		t.Errorf("resuming with rights: %v", err)
	}
	if err := patch(weak, `{"spec": {"suspend": true}}`); err != nil {
		t.Errorf("suspending without rights: %v", err)
	}
}

// allowManager binds the manager's own role.
func allowManager(t *testing.T, namespace, user string) {
	t.Helper()
	b := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "assay-manager-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "assay-manager"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if err := server.API.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	manager := rest.CopyConfig(server.Config)
	manager.Impersonate = rest.ImpersonationConfig{UserName: user}
	api, err := client.New(manager, client.Options{Scheme: server.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	within(t, func() bool {
		return api.List(context.Background(), &corev1.ConfigMapList{}, client.InNamespace(namespace)) == nil
	})
}
