package stored

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/record/integrity"
)

// Source hands over the objects of one run.
type Source interface {
	// Run is the BenchmarkRun. The caller owns it.
	Run(ctx context.Context) (*v1alpha1.BenchmarkRun, error)
	// ConfigMap of the run's namespace; nil for one that is not there. The caller owns it, and
	// compares its owner.
	ConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error)
	// String names the run for people, such as "BenchmarkRun ns/name".
	String() string
}

// InCluster is the source of a run in a cluster. It needs `get` of BenchmarkRuns and ConfigMaps
// in the namespace of the run.
func InCluster(api client.Reader, key client.ObjectKey) Source { return inCluster{api, key} }

type inCluster struct {
	api client.Reader
	key client.ObjectKey
}

// String is the run with its namespace.
func (c inCluster) String() string { return "BenchmarkRun " + c.key.String() }

// Run reads the object.
func (c inCluster) Run(ctx context.Context) (*v1alpha1.BenchmarkRun, error) {
	run := &v1alpha1.BenchmarkRun{}
	err := c.api.Get(ctx, c.key, run)
	if apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) { // which is the answer of a cluster without the kind
		return nil, fmt.Errorf("there is no BenchmarkRun %s in namespace %s: kubectl assay get lists those that exist, and -n names another namespace: %w", c.key.Name, c.key.Namespace, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", c, err)
	}
	return run, nil
}

// ConfigMap reads one.
func (c inCluster) ConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	cm := &corev1.ConfigMap{}
	err := c.api.Get(ctx, client.ObjectKey{Namespace: c.key.Namespace, Name: name}, cm)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // Source: nil for one that is not there
	}
	if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	return cm, nil
}

// Reduced is a source that leaves something out on purpose.
type Reduced interface {
	// LeavesOut says whether it leaves out a key of what a client delivered.
	LeavesOut(configMap, key string) bool
}

// Verify compares all that a run has stored with the digests in its records and in its status. Object
// reads objects of the object store; nil compares none. What a Reduced source leaves out is counted. It fails when something cannot be read.
func Verify(ctx context.Context, from Source, run *v1alpha1.BenchmarkRun, object integrity.ObjectDigest) (integrity.Report, error) {
	scope := integrity.Scope{Object: object}
	if reduced, is := from.(Reduced); is {
		scope.LeavesOut = reduced.LeavesOut
	}
	return integrity.Run(run, func(name string) (*corev1.ConfigMap, error) { return from.ConfigMap(ctx, name) }, scope)
}
