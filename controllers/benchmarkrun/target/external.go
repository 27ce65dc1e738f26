package target

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// ExternalAddress is where clients of a run in this namespace connect to a server that Assay does not provide.
func ExternalAddress(namespace string, e v1alpha1.ExternalTarget) string {
	if e.JDBC != nil {
		return e.JDBC.URL
	}
	return fmt.Sprintf("%s:%d", e.HostIn(namespace), e.Port)
}

// SharesServer says whether another target of the run is on the same server, so that one
// finds what the other did. Servers that Assay provides are of one target each.
func SharesServer(targets []v1alpha1.Target, t v1alpha1.Target) bool {
	return t.External != nil && slices.ContainsFunc(targets, func(other v1alpha1.Target) bool {
		return other.Name != t.Name && other.External != nil && other.External.Server() == t.External.Server()
	})
}
