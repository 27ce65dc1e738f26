// Package apiserver starts a real API server (envtest) with Assay's CRDs for the
// tests of one package.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/inputs"
)

// Server is a running API server.
type Server struct {
	Config *rest.Config
	Scheme *kruntime.Scheme
	// API reads and writes without a cache, and refuses unknown fields, as kubectl
	// does.
	API client.WithWatch
	// auditLog is the file of the calls; empty without one.
	auditLog string
}

// strict refuses unknown fields; a watch has none to refuse.
type strict struct {
	client.Client
	watcher client.WithWatch
}

// Watch is that of the client without validation.
func (s strict) Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	return s.watcher.Watch(ctx, list, opts...)
}

// Main runs the tests of a package with an API server, for TestMain.
func Main(m *testing.M, s *Server) int { return run(m, s, "") }

// MainWithAudit is Main with an API server that logs its calls, for CallsOf.
func MainWithAudit(m *testing.M, s *Server) int {
	dir, err := os.MkdirTemp("", "assay-audit-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a folder for the audit log:", err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder that stays harms nobody
	return run(m, s, dir)
}

// MainBare is Main with an API server that has no CRDs of Assay.
func MainBare(m *testing.M, s *Server) int { return runWith(m, s, "", &envtest.Environment{}) }

// run the tests; with a folder, calls are logged there.
func run(m *testing.M, s *Server, audit string) int {
	return runWith(m, s, audit, &envtest.Environment{CRDDirectoryPaths: []string{definitions()}, ErrorIfCRDPathMissing: true})
}

func runWith(m *testing.M, s *Server, audit string, env *envtest.Environment) int {
	if os.Getenv(assets) == "" {
		fmt.Fprintln(os.Stderr, "KUBEBUILDER_ASSETS is not set: run these tests with `make envtest`, which builds kube-apiserver and etcd")
		return 1
	}
	env.ControlPlaneStartTimeout, env.ControlPlaneStopTimeout, env.CRDInstallOptions.MaxTime = hang.Limit, hang.Limit, hang.Limit
	log := ""
	if audit != "" {
		var err error
		if log, err = withAudit(env, audit); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	// A garbage collection for each doubling takes a quarter of the time of a server with a small heap.
	cfg, err := startWith(env, "GOGC", "400")
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting the API server:", err)
		return 1
	}
	defer func() {
		if err := env.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the API server:", err)
		}
	}()
	cfg.QPS, cfg.Burst = 500, 1000
	scheme := kruntime.NewScheme()
	add := kruntime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme,
		rbacv1.AddToScheme, networkingv1.AddToScheme, discoveryv1.AddToScheme, policyv1.AddToScheme, eventsv1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		fmt.Fprintln(os.Stderr, "registering the API types:", err)
		return 1
	}
	api, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a client:", err)
		return 1
	}
	*s = Server{Config: cfg, Scheme: scheme, API: strict{client.WithFieldValidation(api, metav1.FieldValidationStrict), api}, auditLog: log}
	return m.Run()
}

// assets is the variable with the folder of the server's programs.
const assets = "KUBEBUILDER_ASSETS"

// definitions is the folder of the CRDs.
func definitions() string {
	_, self, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(self), "..", "..", "..", "config", "crd", "bases")
}

// Inputs tells Go that a test depends on the programs and the CRDs of the server.
func (s *Server) Inputs(t testing.TB) {
	t.Helper()
	_, _ = os.LookupEnv(assets) // to have asked is enough
	inputs.Read(t, definitions())
}

// startWith starts API server and etcd with a variable that the programs of the tests do not get.
func startWith(env *envtest.Environment, name, value string) (*rest.Config, error) {
	before, was := os.LookupEnv(name)
	if err := os.Setenv(name, value); err != nil {
		return nil, err
	}
	cfg, err := env.Start()
	if was {
		return cfg, errors.Join(err, os.Setenv(name, before))
	}
	return cfg, errors.Join(err, os.Unsetenv(name))
}

// Namespace creates a namespace of its own for a test.
func (s *Server) Namespace(t *testing.T) string {
	t.Helper()
	s.Inputs(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "t-"}}
	if err := s.API.Create(t.Context(), ns); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	return ns.Name
}
