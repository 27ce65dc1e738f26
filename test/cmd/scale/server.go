package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// server is a real API server.
type server struct {
	env    *envtest.Environment
	config *rest.Config
	scheme *runtime.Scheme
	// dir for files of this server and its manager.
	dir string
	// audited: who asked what is in the file audit.log.
	audited bool
}

// auditPolicy logs each request but watches and those of the server itself, and of a run that is created its
// name, which only its body has.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [watch]
- level: None
  users: ["system:apiserver"]
- level: Request
  verbs: [create]
  resources: [{group: assay.dev, resources: [benchmarkruns]}]
- level: Metadata
`

// startServer starts etcd and the API server, tuned for a machine that they share
// with all others.
func startServer(crds string, audited bool) (*server, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errors.New("KUBEBUILDER_ASSETS is not set: run `make bench-scale`, which builds kube-apiserver and etcd")
	}
	s := &server{scheme: runtime.NewScheme(), audited: audited, env: &envtest.Environment{CRDDirectoryPaths: []string{crds}, ErrorIfCRDPathMissing: true}}
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme)
	if err := add.AddToScheme(s.scheme); err != nil {
		return nil, fmt.Errorf("registering the API types: %w", err)
	}
	s.env.ControlPlane.Etcd = &envtest.Etcd{}
	// The disk is not what is measured here, and nothing has to outlive the bench.
	s.env.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true").Set("quota-backend-bytes", "8589934592").Set("snapshot-count", "100000")
	// Without the controller that would take the taint of a new node away again.
	s.env.ControlPlane.GetAPIServer().Configure().
		Append("disable-admission-plugins", "TaintNodesByCondition").Set("etcd-compaction-interval", "1m")
	s.env.ControlPlane.GetAPIServer().Configure().Set("enable-priority-and-fairness", "false").
		Set("max-requests-inflight", "0").Set("max-mutating-requests-inflight", "0")
	var err error
	if s.dir, err = os.MkdirTemp("", "bench-scale-"); err != nil {
		return nil, err
	}
	if audited {
		if err := os.WriteFile(s.file("audit.yaml"), []byte(auditPolicy), 0o600); err != nil {
			return nil, err
		}
		s.env.ControlPlane.GetAPIServer().Configure().Set("audit-policy-file", s.file("audit.yaml")).
			Set("audit-log-path", s.file(auditLog)).Set("audit-log-mode", "blocking")
	}
	// The API server needs most of the machine: memory is there, processors are not.
	// The manager is started without this.
	if err := os.Setenv("GOGC", "400"); err != nil {
		return nil, err
	}
	s.config, err = s.env.Start()
	_ = os.Unsetenv("GOGC")
	if err != nil {
		_ = os.RemoveAll(s.dir)
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	return s, nil
}

func (s *server) stop() {
	if err := s.env.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping the API server:", err)
	}
	_ = os.RemoveAll(s.dir)
}

// answers is an error when the API server does not say that it is ready.
func (s *server) answers() error {
	c := rest.CopyConfig(s.config)
	c.Timeout = 10 * time.Second
	client, err := rest.HTTPClientFor(c)
	if err != nil {
		return err
	}
	resp, err := client.Get(strings.TrimSuffix(c.Host, "/") + "/readyz")
	if err != nil {
		return fmt.Errorf("the API server is lost: %w", err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the API server is lost: it answers %s", resp.Status)
	}
	return nil
}

func (s *server) file(name string) string { return filepath.Join(s.dir, name) }
