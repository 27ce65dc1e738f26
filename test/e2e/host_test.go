package e2e

import (
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
	host := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("host", "", shared+"  retain: Always\n")), 3*time.Minute)
	cluster.Complete(t, host)
	cluster.OpenDatabases(t, ns)
	address, _, _ = strings.Cut(host.Status.Targets[0].Address, ":")
	secret = &corev1.Secret{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName("host", "mariadb")}, secret); err != nil {
		t.Fatal(err)
	}
	dropTables(t, ns, address, secret)
	return address, secret
}
