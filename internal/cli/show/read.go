package show

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/record/bundle"
)

// read a run: of the cluster by its name, or of a bundle by its path, which needs no cluster.
func read(ctx context.Context, config *kube.Config, name string) (*v1alpha1.BenchmarkRun, error) {
	if bundle.IsPath(name) {
		b, err := bundle.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = b.Close() }() // it was only read
		return b.Run(ctx)
	}
	to, err := config.Cluster()
	if err != nil {
		return nil, err
	}
	return runOf(ctx, to, name)
}
