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

	"github.com/assay-bench/assay/internal/cluster/election"
	"github.com/assay-bench/assay/test/helpers/apiserver"
	"github.com/assay-bench/assay/test/helpers/hang"
)

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.Main(m, &server)) }

const (
	// lease is that of production: a busy API server has 10 s for a renewal.
	lease = 15 * time.Second
	// endless is a lease that ends in no test.
	endless = time.Hour
)

// process is a manager that takes part in the election until it is killed.
type process struct {
	elected <-chan struct{}
	kill    func()
}

func start(t *testing.T, namespace, identity string, lease time.Duration) process {
	t.Helper()
	lock, err := election.New(server.Config, namespace, identity)
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(server.Config, manager.Options{
		Scheme: server.Scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionResourceLockInterface: lock,
		LeaseDuration: new(lease), RenewDeadline: new(lease * 2 / 3), RetryPeriod: new(time.Second),
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

// await that a process leads.
func await(t *testing.T, p process) {
	t.Helper()
	select {
	case <-p.elected:
	case <-time.After(hang.Limit):
		t.Fatal("the manager does not lead")
	}
}

// A killed manager that starts again in its pod does not wait for the end of the lease.
func TestKilledManagerRenewsItsOwnLease(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	for range 2 {
		p := start(t, ns, "pod_1", endless)
		await(t, p)
		p.kill()
	}
}

// A manager of another pod waits until the lease has expired.
func TestAnotherManagerWaitsForTheLease(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	first := start(t, ns, "pod_1", lease)
	await(t, first)
	first.kill()
	began := time.Now()
	await(t, start(t, ns, "pod_2", lease))
	if took := time.Since(began); took < lease/2 {
		t.Errorf("a manager of another pod led after %s: the lease of %s did not hold", took, lease)
	}
}

// While one manager leads, one of another pod does not, although the first one was restarted
// meanwhile; and a restart is no change of the leader.
func TestOneManagerLeads(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	first := start(t, ns, "pod_1", lease)
	await(t, first)
	standby := start(t, ns, "pod_2", lease)
	for range 2 {
		first.kill()
		first = start(t, ns, "pod_1", lease)
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
