package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// resources that the API has, by their kinds.
var resources = map[string]string{
	"BenchmarkRun": "benchmarkruns", "BenchmarkSchedule": "benchmarkschedules", "BenchmarkBaseline": "benchmarkbaselines", "ConfigMap": "configmaps",
}

// kubeconfig of an API server that has these objects in its only namespace, that of the first one, for reading. A request
// that is not for reading fails the test.
func kubeconfig(t *testing.T, objects ...client.Object) string {
	t.Helper()
	var mux http.ServeMux
	namespace := objects[0].GetNamespace()
	lists := map[string][]client.Object{}
	for _, o := range objects {
		kind := kindOf(o)
		o.GetObjectKind().SetGroupVersionKind(kind)
		at := pathOf(kind.GroupVersion()) + "/namespaces/" + namespace + "/" + resources[kind.Kind]
		lists[at] = append(lists[at], o)
		mux.HandleFunc("GET "+at+"/"+o.GetName(), answer(o))
	}
	for kind, resource := range resources {
		version := v1alpha1.GroupVersion
		if kind == "ConfigMap" {
			version = schema.GroupVersion{Version: "v1"}
		}
		at := pathOf(version) + "/namespaces/" + namespace + "/" + resource
		mux.HandleFunc("GET "+at, answer(map[string]any{"apiVersion": version.String(), "kind": kind + "List", "metadata": map[string]any{}, "items": append([]client.Object{}, lists[at]...)}))
	}
	var assay, core []metav1.APIResource
	for kind, name := range resources {
		r := metav1.APIResource{Name: name, Kind: kind, Namespaced: true, Verbs: metav1.Verbs{"get", "list"}}
		if kind == "ConfigMap" {
			core = append(core, r)
		} else {
			assay = append(assay, r)
		}
	}
	group := v1alpha1.GroupVersion
	mux.HandleFunc("GET /api", answer(metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}))
	known := metav1.GroupVersionForDiscovery{GroupVersion: group.String(), Version: group.Version}
	mux.HandleFunc("GET /apis", answer(metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{{Name: group.Group, Versions: []metav1.GroupVersionForDiscovery{known}, PreferredVersion: known}}}))
	mux.HandleFunc("GET /api/v1", answer(metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "v1", APIResources: core}))
	mux.HandleFunc("GET /apis/"+group.String(), answer(metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: group.String(), APIResources: assay}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("the command writes: %s %s", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusNotFound)
		answer(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: "not found: " + r.URL.Path})(w, r)
	})
	server := httptest.NewServer(&mux)
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL}
	config.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", Namespace: namespace}
	config.CurrentContext = "c"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func kindOf(o client.Object) schema.GroupVersionKind {
	switch o.(type) {
	case *v1alpha1.BenchmarkRun:
		return v1alpha1.GroupVersion.WithKind("BenchmarkRun")
	case *v1alpha1.BenchmarkSchedule:
		return v1alpha1.GroupVersion.WithKind("BenchmarkSchedule")
	case *v1alpha1.BenchmarkBaseline:
		return v1alpha1.GroupVersion.WithKind("BenchmarkBaseline")
	}
	return schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
}

func pathOf(v schema.GroupVersion) string {
	if v.Group == "" {
		return "/api/" + v.Version
	}
	return "/apis/" + strings.Join([]string{v.Group, v.Version}, "/")
}

// changing guards the objects of an API server: a test may change them.
var changing sync.Mutex

func answer(object any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		changing.Lock()
		defer changing.Unlock()
		_ = json.NewEncoder(w).Encode(object) // whoever asked may be gone
	}
}
