package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// hostDatabase is a server that stands for one of somebody else's: another run, called host, has left it, without tables. Out: where
// it is, and the Secret of an account.
func hostDatabase(t *testing.T, ns string) (address string, secret *corev1.Secret) {
	t.Helper()
	return hostSchemas(t, ns, "assay")
}

// hostSchemas is hostDatabase with the schemas of so many tenants.
func hostSchemas(t *testing.T, ns string, schemas ...string) (address string, secret *corev1.Secret) {
	t.Helper()
	text := shared + "  retain: Always\n"
	if len(schemas) > 1 {
		text += fmt.Sprintf("  tenants: %d\n", len(schemas))
	}
	host := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("host", "", text)), 3*time.Minute)
	cluster.Complete(t, host)
	cluster.OpenDatabases(t, ns)
	address, _, _ = strings.Cut(host.Status.Targets[0].Address, ":")
	secret = &corev1.Secret{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName("host", "mariadb")}, secret); err != nil {
		t.Fatal(err)
	}
	for _, schema := range schemas {
		dropTables(t, ns, address, schema, secret)
	}
	return address, secret
}
