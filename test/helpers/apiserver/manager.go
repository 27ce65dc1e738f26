package apiserver

import (
	"context"
	"sync"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/internal/cluster/cached"
)

// patience is how long a manager may take to end before it is taken for one that hangs.
const patience = time.Minute

// Manager runs the controllers that add registers, with a cache of one namespace and without metrics of its own, until
// the test or the returned function ends it.
func (s *Server) Manager(t testing.TB, namespace string, add func(ctrl.Manager) error) (end func()) {
	t.Helper()
	mgr, err := ctrl.NewManager(s.Config, manager.Options{
		Scheme: s.Scheme, Cache: cached.Options(namespace), Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := add(mgr); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the manager: %v", err)
			}
		case <-time.After(patience):
			t.Errorf("the manager did not end within %s", patience)
		}
	})
	t.Cleanup(end)
	return end
}
