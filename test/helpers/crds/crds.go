// Package crds installs APIs of other projects into the API server of a test, and removes them.
package crds

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/assay-bench/assay/test/helpers/hang"
)

// API of another project.
type API struct {
	// Kind of its objects.
	Kind schema.GroupVersionKind
	// Variable of the environment with the path of its CRD, or of their folder if it has several.
	Variable string
	// Files in that folder.
	Files []string
	// installing: two tests at once would both create the CRDs.
	installing sync.Mutex
}

func (a *API) options(t testing.TB) envtest.CRDInstallOptions {
	t.Helper()
	path := os.Getenv(a.Variable)
	if path == "" {
		t.Fatalf("%s is not set: run these tests with `make envtest`, which fetches the CRDs", a.Variable)
	}
	paths := []string{path}
	if a.Files != nil {
		paths = nil
		for _, name := range a.Files {
			paths = append(paths, filepath.Join(path, name))
		}
	}
	return envtest.CRDInstallOptions{Paths: paths, ErrorIfPathMissing: true, MaxTime: hang.Limit}
}

// Install the API, and wait until it is served.
func (a *API) Install(t testing.TB, config *rest.Config) {
	t.Helper()
	a.installing.Lock()
	defer a.installing.Unlock()
	if _, err := envtest.InstallCRDs(config, a.options(t)); err != nil {
		t.Fatalf("installing the CRDs of %s: %v", a.Kind.Kind, err)
	}
}

// Remove the API, and wait until it is not served any more. No test beside this one uses it.
func (a *API) Remove(t testing.TB, config *rest.Config) {
	t.Helper()
	if err := envtest.UninstallCRDs(config, a.options(t)); err != nil {
		t.Fatalf("removing the CRDs of %s: %v", a.Kind.Kind, err)
	}
	api, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if _, err := api.ServerResourcesForGroupVersion(a.Kind.GroupVersion().String()); err != nil {
			return
		}
	}
	t.Fatalf("the API server still has %s", a.Kind.Kind)
}
