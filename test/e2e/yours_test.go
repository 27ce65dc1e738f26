package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// disturbedRuns deletes the runs of which no trial counts. What another run left for the story is in host.
const disturbedRuns = `kubectl get bmr -o json |
  jq -r '.items[] | select(.metadata.name != "host" and any(.status.conditions[]?; .type == "Valid" and .reason == "NoUsableTrial")) | .metadata.name' |
  xargs -r kubectl delete bmr --wait`

// again says whether the machine disturbed a run, and deletes it, so that the same name can be measured again. Runs that are well
// stay: later commands compare with them.
func (s shell) again(output string) bool {
	s.t.Helper()
	if !disturbed(output) {
		return false
	}
	if out, err := s.run(disturbedRuns); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	return true
}

// The page about verdicts, as it is written: its numbers are those of another play. It wants a machine without other work.
func TestReadAVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	config, err := filepath.Abs("../../config")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(config, filepath.Join(s.Dir, "config")); err != nil {
		t.Fatal(err)
	}
	page := pages.Open(t, "../..", "docs/guide/read-a-verdict.md", s.Shell).Retry(s.again)
	for page.Left() > 0 {
		page.Next()
	}
}

// The page about a database of one's own, as it is written, with a server that another run has left.
func TestYourDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	host := cluster.AwaitRun(t, cluster.Apply(t, s.ns, cluster.RunYAML("host", "", short+"  retain: Always\n  exclusive: false\n")), 3*time.Minute)
	cluster.Complete(t, host)
	cluster.OpenDatabases(t, s.ns)
	address, _, _ := strings.Cut(host.Status.Targets[0].Address, ":")
	secret := &corev1.Secret{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: s.ns, Name: contract.TargetName("host", "mariadb")}, secret); err != nil {
		t.Fatal(err)
	}
	dropTables(t, s.ns, address, secret)
	page := pages.Open(t, "../..", "docs/guide/your-database.md", s.Shell).Retry(s.again).
		Replace("db.example.com", address).Replace("username=bench", "username="+string(secret.Data["username"])).
		Replace("password=change-me", "password="+string(secret.Data["password"])).
		Replace("  deadline:", "  exclusive: false\n  deadline:") // the server is on a node that the run may use
	for page.Left() > 0 {
		page.Next()
	}
}
