// Package plugin runs commands of `kubectl assay` against a real API server: as users with the rights that the guide names
// and no others, and through every end that a run can have. Nobody but the tests writes a status here.
package plugin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/hang"
)

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.MainWithAudit(m, &server)) }

// as is the kubeconfig of a user in a namespace, of an API server at an address; empty for its own.
func as(t *testing.T, user, namespace, address string) string {
	t.Helper()
	if address == "" {
		address = server.Config.Host
	}
	tls := server.Config.TLSClientConfig
	config := clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: address, CertificateAuthorityData: tls.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: tls.CertData, ClientKeyData: tls.KeyData, Impersonate: user, ImpersonateGroups: []string{"system:authenticated"}}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u", Namespace: namespace}},
		CurrentContext: "x",
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// admin is a user who may do everything.
func admin(t *testing.T, namespace, address string) string {
	t.Helper()
	name := "admin-of-" + namespace
	bind(t, namespace, name, rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}})
	return as(t, name, namespace, address)
}

// bind a user to rules in a namespace, and wait until the API server knows.
func bind(t *testing.T, namespace, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: user}
	create(t, &rbacv1.Role{ObjectMeta: meta, Rules: rules})
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})
}

func create(t *testing.T, o client.Object) {
	t.Helper()
	if err := server.API.Create(t.Context(), o); err != nil {
		t.Fatalf("creating %T %s: %v", o, o.GetName(), err)
	}
}

func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never holds: %s", what)
		}
	}
}

// safe is a text that a command writes while a test reads it.
type safe struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write what a command says.
func (s *safe) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// String is what it has said so far.
func (s *safe) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// said is what a command ended with.
type said struct {
	code          int
	out, problems string
}

func (s said) String() string {
	return fmt.Sprintf("exit %d\n%s\n%s", s.code, s.out, s.problems)
}

// flat is prose as if nothing was wrapped.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// call a command with a kubeconfig, to its end.
func call(ctx context.Context, kubeconfig string, args ...string) said {
	var out, problems safe
	at := 1
	if args[0] == "__complete" { // what comes last is completed
		at = 2
	}
	code := cli.Run(ctx, slices.Concat(args[:at], []string{"--kubeconfig", kubeconfig}, args[at:]), cli.Streams{In: strings.NewReader(""), Out: &out, Problems: &problems})
	return said{code, out.String(), flat(problems.String())}
}

// manifest of a run in a file.
func manifest(t *testing.T, name, more string) string {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  targets: [{name: db, shape: {name: small}, mysql: {flavor: MySQL, version: "8.4"}}]
  clients: {shape: {name: small}}
  workload: {sysbench: {test: oltp_read_only}}
%s`, name, more)
	path := filepath.Join(t.TempDir(), name+".yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// conditions of a run as the manager writes them, such as Complete=True.
func conditions(t *testing.T, run *v1alpha1.BenchmarkRun, all ...string) {
	t.Helper()
	for _, text := range all {
		name, status, _ := strings.Cut(text, "=")
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{
			Type: name, Status: metav1.ConditionStatus(status), Reason: "Because", Message: "of " + name, LastTransitionTime: metav1.Now(),
		})
	}
	if err := server.API.Status().Update(t.Context(), run); err != nil {
		t.Fatalf("writing the status: %v", err)
	}
}
