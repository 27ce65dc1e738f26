package election_test

import (
	"context"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/internal/election"
	"github.com/assay-bench/assay/test/helpers/apiserver"
)

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.Main(m, &server)) }

// lease is short, so that waiting for it does not take the 15 s of production.
const lease = 6 * time.Second

// process is a manager that takes part in the election until it is killed.
type process struct {
	elected <-chan struct{}
	kill    func()
}

func start(t *testing.T, namespace, identity string) process {
	t.Helper()
	lock, err := election.New(server.Config, namespace, identity)
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(server.Config, manager.Options{
		Scheme: server.Scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionResourceLockInterface: lock,
		LeaseDuration: new(lease), RenewDeadline: new(lease / 2), RetryPeriod: new(time.Second),
		// Without ReleaseOnCancel: who is killed releases nothing.
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = mgr.Start(ctx) // who is killed complains of the lost lease
	}()
	p := process{elected: mgr.Elected(), kill: func() { cancel(); <-ended }}
	t.Cleanup(p.kill)
	return p
}

// await returns how long the process took until it led.
func await(t *testing.T, p process) time.Duration {
	t.Helper()
	began := time.Now()
	select {
	case <-p.elected:
	case <-time.After(4 * lease):
		t.Fatal("the manager does not lead")
	}
	return time.Since(began)
}

// A killed manager that starts again in its pod goes on at once; one of another pod waits until
// the lease has expired.
func TestKilledManagerRenewsItsOwnLease(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	first := start(t, ns, "pod_1")
	await(t, first)
	first.kill()

	again := start(t, ns, "pod_1")
	same := await(t, again)
	again.kill()

	other := await(t, start(t, ns, "pod_2"))
	if same > lease/3 {
		t.Errorf("the restarted manager led after %s, with a lease of %s", same, lease)
	}
	if other < lease/2 || other < 3*same {
		t.Errorf("a manager of another pod led after %s, the restarted one after %s: the lease did not hold", other, same)
	}
	t.Logf("restarted in its pod: %s; in another pod: %s; lease %s", same, other, lease)
}

// While one manager leads, one of another pod does not, although the first one was restarted
// meanwhile; and a restart is no change of the leader.
func TestOneManagerLeads(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	first := start(t, ns, "pod_1")
	await(t, first)
	standby := start(t, ns, "pod_2")
	for range 2 {
		first.kill()
		first = start(t, ns, "pod_1")
		await(t, first)
	}
	select {
	case <-standby.elected:
		t.Error("two managers lead")
	case <-time.After(lease + lease/2):
	}
	if got := holder(t, ns); got.HolderIdentity != "pod_1" || got.LeaderTransitions != 0 {
		t.Errorf("the lease says %+v, want pod_1 and no transition", got)
	}
}

func holder(t *testing.T, namespace string) *resourcelock.LeaderElectionRecord {
	t.Helper()
	lock, err := election.New(server.Config, namespace, "reader")
	if err != nil {
		t.Fatal(err)
	}
	record, _, err := lock.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestRefusals(t *testing.T) {
	if _, err := election.New(server.Config, "ns", ""); err == nil {
		t.Error("a manager without an identity takes part")
	}
	if _, err := election.New(server.Config, "", "pod_1"); err == nil {
		t.Error("outside of a pod, a namespace was found")
	}
}
