package cli

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

// sources of the runs that a command names: runs of the namespace that the user is in, and bundles by
// their paths. Bundles stay open until the program ends. Without a run of the cluster none is asked.
func (k *kubeconfig) sources(names []string) (out []stored.Source, err error) {
	var api client.Reader
	namespace := ""
	for _, name := range names {
		if bundle.IsPath(name) {
			b, err := bundle.Open(name)
			if err != nil {
				return nil, err
			}
			out = append(out, b)
			continue
		}
		if api == nil {
			if api, namespace, err = k.reader(); err != nil {
				return nil, err
			}
		}
		out = append(out, sourcesIn(api, namespace, []string{name})...)
	}
	return out, nil
}

// sourcesIn a namespace of a cluster.
func sourcesIn(api client.Reader, namespace string, names []string) (out []stored.Source) {
	for _, name := range names {
		out = append(out, stored.InCluster(api, client.ObjectKey{Namespace: namespace, Name: contract.RunName(name)}))
	}
	return out
}
