package cli

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/stored"
)

// sources of the runs that a command names, in the namespace that the user is in.
func (k *kubeconfig) sources(names []string) ([]stored.Source, error) {
	api, namespace, err := k.reader()
	if err != nil {
		return nil, err
	}
	return sourcesIn(api, namespace, names), nil
}

// sourcesIn a namespace of a cluster.
func sourcesIn(api client.Reader, namespace string, names []string) (out []stored.Source) {
	for _, name := range names {
		out = append(out, stored.InCluster(api, client.ObjectKey{Namespace: namespace, Name: name}))
	}
	return out
}
