package target

import (
	"fmt"
	"slices"
	"strings"

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
// finds what the other did. Servers that Assay provides are of one target each. External ones
// are the same when their host and port, their Service and port, or their JDBC URLs, are, without
// regard to case; the names of the machine itself count as one. What a name service would make of two names is not
// asked: it may answer otherwise tomorrow.
func SharesServer(targets []v1alpha1.Target, t v1alpha1.Target) bool {
	return t.External != nil && slices.ContainsFunc(targets, func(other v1alpha1.Target) bool {
		return other.Name != t.Name && other.External != nil && serverOf(other.External) == serverOf(t.External)
	})
}

// serverOf an external target, to be compared.
func serverOf(e *v1alpha1.ExternalTarget) string {
	if e.JDBC != nil {
		return strings.ToLower(e.JDBC.URL)
	}
	if e.ServiceRef != nil {
		return fmt.Sprintf("service/%s:%d", e.ServiceRef.Name, e.Port)
	}
	host := strings.TrimSuffix(strings.ToLower(e.Host), ".")
	if host == "127.0.0.1" || host == "::1" {
		host = "localhost"
	}
	return fmt.Sprintf("%s:%d", host, e.Port)
}
