package main

import (
	"context"
	"fmt"
	"path"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/assay-bench/assay/controllers/benchmarkrun"
	"github.com/assay-bench/assay/controllers/runreport"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/store/s3"
	"github.com/assay-bench/assay/internal/show/metrics"
)

// probeStore is how often the manager that is elected asks the object store whether it answers.
const probeStore = time.Minute

// objects is an object store, for all controllers.
type objects interface {
	benchmarkrun.ObjectStore
	runreport.ObjectStore
}

// objectStore of the configuration; nil for none.
func objectStore(mgr ctrl.Manager, cfg config.Store) (objects, error) {
	if !cfg.Configured() {
		return nil, nil
	}
	c, err := s3.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the object store (results.store): %w", err)
	}
	counted, err := metrics.CountRequests(c, registry.Registry)
	if err != nil {
		return nil, fmt.Errorf("registering the metrics of the object store: %w", err)
	}
	// Runs have their objects below the name of a namespace, so that this one is nobody's.
	key := path.Join(cfg.Prefix, cfg.Cluster, "reachable")
	err = mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		counted.Probe(ctx, key, probeStore, ctrl.Log.WithName("store"))
		return nil
	}))
	if err != nil {
		return nil, fmt.Errorf("registering the probe of the object store: %w", err)
	}
	return counted, nil
}
