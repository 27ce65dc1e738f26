// Command manager runs Assay's controllers. It only wires: flags, cache, lists.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"

	// The image of the manager has no roots of its own, which a public object store needs.
	_ "golang.org/x/crypto/x509roots/fallback"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkbaseline"
	"github.com/assay-bench/assay/controllers/benchmarkrun"
	"github.com/assay-bench/assay/controllers/instanceshape"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/cluster/cached"
	"github.com/assay-bench/assay/internal/cluster/podlog"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/runners"
)

type flags struct {
	config, namespaces, probes string
	metrics                    metricsFlags
	election                   electionFlags
	workers                    int
	qps                        float64
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "check" {
		os.Exit(checkMain(os.Args[2:]))
	}
	var f flags
	flag.StringVar(&f.config, "config", "/etc/assay/config.yaml", "the operator's configuration: images and timeouts")
	flag.StringVar(&f.namespaces, "namespaces", "", "namespaces to watch, separated by commas; empty for all")
	f.metrics.register()
	flag.StringVar(&f.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz")
	f.election.register()
	flag.IntVar(&f.workers, "workers", 4, "number of runs that are reconciled in parallel")
	flag.Float64Var(&f.qps, "kube-api-qps", 200, "requests per second to the API server, on average; twice as many at a time")
	flag.Parse()

	log := logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, nil))
	ctrl.SetLogger(log)
	if err := run(f); err != nil {
		log.Error(err, "the manager ends")
		os.Exit(1)
	}
}

func run(f flags) error {
	if err := limitMemory(); err != nil {
		return err
	}
	cfg, err := config.Load(f.config)
	if err != nil {
		return err
	}
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	rest, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	// A proxy of the environment is for registries, receivers and object stores.
	rest.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	// The API server's own fairness protects it; the default of 20 would slow down
	// a manager of many runs.
	rest.QPS, rest.Burst = float32(f.qps), int(2*f.qps)
	options := manager.Options{
		Scheme:                 scheme,
		Cache:                  cached.Options(f.namespaces),
		Metrics:                f.metrics.options(),
		HealthProbeBindAddress: f.probes,
	}
	if err := f.election.apply(&options, rest); err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(rest, options)
	if err != nil {
		return fmt.Errorf("making the manager: %w", err)
	}
	if err := addControllers(mgr, cfg, f); err != nil {
		return err
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

func addControllers(mgr ctrl.Manager, cfg config.Config, f flags) error {
	logs, err := podlog.New(mgr.GetConfig())
	if err != nil {
		return err
	}
	objects, err := objectStore(mgr, cfg.Results.Store)
	if err != nil {
		return err
	}
	runs := &benchmarkrun.Reconciler{
		Store:  objects,
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("assay"), Config: cfg,
		Engine: engines.Find, Runner: runners.Find, Logs: benchmarkrun.LogReader(logs), Queue: queue.NewLedger(), Workers: f.workers,
	}
	return errors.Join(
		register(mgr, "BenchmarkRuns", runs),
		addReports(mgr, cfg, runs, objects),
		addSchedules(mgr, cfg, runs),
		addNotifications(mgr, cfg.Notifications),
		addMetrics(mgr, runs, f.metrics.bounds, ctrl.Log.WithName("metrics")),
		register(mgr, "InstanceShapes", &instanceshape.Reconciler{Client: mgr.GetClient()}),
		register(mgr, "BenchmarkBaselines", &benchmarkbaseline.Reconciler{
			Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{},
		}),
	)
}

// register the controller of some objects.
func register(mgr ctrl.Manager, of string, r interface{ SetupWithManager(ctrl.Manager) error }) error {
	if err := r.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("registering the controller of %s: %w", of, err)
	}
	return nil
}

// newScheme has only the kinds that the manager uses, because every further group costs
// memory.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(
		v1alpha1.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, rbacv1.AddToScheme,
		networkingv1.AddToScheme, discoveryv1.AddToScheme, policyv1.AddToScheme, eventsv1.AddToScheme, coordinationv1.AddToScheme,
	)
	if err := add.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the API types: %w", err)
	}
	return scheme, nil
}
