// Package gitops asks what GitOps controllers think of an object: Flux by kstatus, the library that
// it uses, and Argo CD by the script in config/gitops/argocd, run by the Lua that it has.
package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// Health of an object, as its two readers see it.
type Health struct {
	// Flux is what kstatus says: InProgress, Current, Failed or Terminating.
	Flux string
	// ArgoCD is what the script says: Progressing, Healthy, Degraded or Suspended.
	ArgoCD string
	// Message of kstatus.
	Message string
}

// agreed are the states that both readers may see at the same time. A suspended run is in progress
// for kstatus, a suspended schedule is current.
var agreed = map[string][]string{
	string(status.InProgressStatus):  {"Progressing", "Suspended"},
	string(status.CurrentStatus):     {"Healthy", "Suspended"},
	string(status.FailedStatus):      {"Degraded"},
	string(status.TerminatingStatus): {"Progressing"},
}

// Of an object, as the API server has it: its kind, name and namespace have to be set. The test fails
// if the two readers disagree.
func Of(t *testing.T, api client.Reader, object *unstructured.Unstructured) Health {
	t.Helper()
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatalf("reading %s %s: %v", object.GetKind(), object.GetName(), err)
	}
	h, err := Judge(object)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Judge an object with all its fields. That its two readers disagree is an error.
func Judge(object *unstructured.Unstructured) (Health, error) {
	name := object.GetKind() + " " + object.GetName()
	seen, err := status.Compute(object)
	if err != nil {
		return Health{}, fmt.Errorf("kstatus of %s: %w", name, err)
	}
	h := Health{Flux: string(seen.Status), Message: seen.Message}
	var message string
	if h.ArgoCD, message, err = argoCD(object); err != nil {
		return Health{}, fmt.Errorf("the health script of %s: %w", name, err)
	}
	if !slices.Contains(agreed[h.Flux], h.ArgoCD) {
		return h, fmt.Errorf("%s is %s (%s) for Flux and %s (%s) for Argo CD", name, h.Flux, h.Message, h.ArgoCD, message)
	}
	return h, nil
}

// argoCD runs the script of the object's kind as Argo CD does: with the base and table libraries
// and no others, within a second. Argo CD also gives it os.time and os.date, which this one has no
// use for. An object that is being deleted is not shown to the script.
func argoCD(object *unstructured.Unstructured) (state, message string, err error) {
	if object.GetDeletionTimestamp() != nil {
		return "Progressing", "Pending deletion", nil
	}
	scripts, err := Scripts()
	if err != nil {
		return "", "", err
	}
	gvk := object.GroupVersionKind()
	script, ok := scripts[gvk.Group+"_"+gvk.Kind]
	if !ok {
		return "", "", fmt.Errorf("%s has none", scriptsFile)
	}
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return "", "", err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), hang.Limit)
	defer cancel()
	l.SetContext(ctx)
	l.SetGlobal("obj", toLua(l, object.Object))
	if err := l.DoString(script); err != nil {
		return "", "", err
	}
	said, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return "", "", fmt.Errorf("it returned a %s, and no table", l.Get(-1).Type())
	}
	state = said.RawGetString("status").String()
	if !slices.Contains([]string{"Progressing", "Healthy", "Degraded", "Suspended"}, state) {
		return "", "", fmt.Errorf("%q is no health of Argo CD", state)
	}
	return state, said.RawGetString("message").String(), nil
}

// toLua makes a value of JSON one of Lua.
func toLua(l *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		list := l.CreateTable(len(v), 0)
		for _, item := range v {
			list.Append(toLua(l, item))
		}
		return list
	case map[string]any:
		table := l.CreateTable(0, len(v))
		for key, item := range v {
			table.RawSetString(key, toLua(l, item))
		}
		return table
	}
	return lua.LNil
}

// scriptsFile has the scripts, in the settings of Argo CD.
const scriptsFile = "config/gitops/argocd/argocd-cm.yaml"

// Scripts of health by GROUP_KIND, as Argo CD reads them from its ConfigMap.
func Scripts() (map[string]string, error) {
	_, self, _, _ := runtime.Caller(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(self), "..", "..", "..", scriptsFile))
	if err != nil {
		return nil, err
	}
	var settings corev1.ConfigMap
	if err := yaml.UnmarshalStrict(data, &settings); err != nil {
		return nil, fmt.Errorf("%s: %w", scriptsFile, err)
	}
	const prefix = "resource.customizations.health."
	scripts := map[string]string{}
	for key, script := range settings.Data {
		if len(key) <= len(prefix) || key[:len(prefix)] != prefix {
			return nil, fmt.Errorf("%s: %s is no key of a health check", scriptsFile, key)
		}
		scripts[key[len(prefix):]] = script
	}
	return scripts, nil
}

// Assay is an object of one of Assay's kinds, to ask for.
func Assay(kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}
