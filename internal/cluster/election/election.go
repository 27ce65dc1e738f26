// Package election makes the lease by which managers agree on the one that works. In: the API server, the name of the
// lease, and who this manager is. Out: a lock for the leader election of controller-runtime.
//
// The identity is that of the pod, not of the process as controller-runtime has it. A manager that was killed leaves
// its lease behind, and its successor in the same pod renews that lease at once instead of waiting until it expires.
// Two processes with one identity would both believe that they lead: the kubelet starts a container only after the one
// before has ended, and a pod that replaces another one has another UID. What the lease cannot promise, such as a last
// request of a killed manager that is still under way, the optimistic locks of the controllers do.
package election

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Name of the lease. The Role of the manager names it too.
const Name = "assay-manager"

// RequestTimeout bounds each request for the lease, so that one that hangs does not cost the
// leadership: half of the time within which controller-runtime has to renew it.
const RequestTimeout = 5 * time.Second

// namespaceFile is where the kubelet writes the namespace of a pod.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// New makes the lock of a manager. The identity must differ between pods and stay the same when a container of the pod
// is started again. An empty namespace means the one of this pod; outside of a pod that is an error.
func New(config *rest.Config, namespace, identity string) (resourcelock.Interface, error) {
	if identity == "" {
		return nil, errors.New("the leader election needs the identity of this manager")
	}
	if namespace == "" {
		data, err := os.ReadFile(namespaceFile)
		if err != nil {
			return nil, fmt.Errorf("finding the namespace of the lease: %w", err)
		}
		namespace = strings.TrimSpace(string(data))
	}
	config = rest.AddUserAgent(config, "leader-election")
	config.Timeout = RequestTimeout
	leases, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the leader election: %w", err)
	}
	// Without a recorder of events: the holder stands in the lease, and metrics count.
	return resourcelock.New(resourcelock.LeasesResourceLock, namespace, Name, nil, leases, resourcelock.ResourceLockConfig{Identity: identity})
}
