package cli

import (
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

// sources of the runs that a command names: runs of the namespace that the user is in, and bundles by
// their paths. Bundles stay open until the program ends. Without a run of the cluster none is asked.
func sources(k *kube.Config, names []string) (out []stored.Source, err error) {
	var to kube.Cluster
	for _, name := range names {
		if bundle.IsPath(name) {
			b, err := bundle.Open(name)
			if err != nil {
				return nil, err
			}
			out = append(out, b)
			continue
		}
		if to.API == nil {
			if to, err = k.Cluster(); err != nil {
				return nil, err
			}
		}
		out = append(out, stored.InCluster(to.API, to.Key(name)))
	}
	return out, nil
}
