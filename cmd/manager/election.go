package main

import (
	"flag"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/assay-bench/assay/internal/cluster/election"
)

// electionFlags say how several managers agree on the one that works.
type electionFlags struct {
	on                  bool
	namespace, identity string
}

func (f *electionFlags) register() {
	flag.BoolVar(&f.on, "leader-elect", false, "let only one of several managers reconcile")
	flag.StringVar(&f.namespace, "leader-election-namespace", "", "namespace of the lease; empty for the pod's own")
	flag.StringVar(&f.identity, "leader-election-identity", "",
		"name and UID of the pod, so that a restarted manager renews its own lease; empty for one that is new with every process")
}

// apply sets the leader election of a manager.
func (f *electionFlags) apply(o *manager.Options, config *rest.Config) error {
	o.LeaderElection, o.LeaderElectionReleaseOnCancel = f.on, true
	o.LeaderElectionID, o.LeaderElectionNamespace = election.Name, f.namespace
	if !f.on || f.identity == "" {
		return nil
	}
	lock, err := election.New(config, f.namespace, f.identity)
	if err != nil {
		return err
	}
	o.LeaderElectionResourceLockInterface = lock
	return nil
}
