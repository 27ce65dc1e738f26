package benchmarkrun

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// seed of the run. A run whose plan was lost has that of the status; one that was never
// planned has none, and starts no tool.
func (s *scope) seed() int64 {
	switch st := s.run.Status.Plan; {
	case s.plan != nil:
		return s.plan.Seed
	case st != nil && st.Seed != nil:
		return *st.Seed
	}
	return 0
}

// sharesServer says whether another target of the run is on the same server, so that one
// finds what the other did. Servers that Assay provides are of one target each. External ones
// are the same when their host and port, or their JDBC URLs, are, without regard to case; the
// names of the machine itself count as one. What a name service would make of two names is not
// asked: it may answer otherwise tomorrow.
func sharesServer(targets []v1alpha1.Target, t v1alpha1.Target) bool {
	if t.External == nil {
		return false
	}
	for _, other := range targets {
		if other.Name != t.Name && other.External != nil && serverOf(other.External) == serverOf(t.External) {
			return true
		}
	}
	return false
}

// serverOf an external target, to be compared.
func serverOf(e *v1alpha1.ExternalTarget) string {
	if e.JDBC != nil {
		return strings.ToLower(e.JDBC.URL)
	}
	host := strings.TrimSuffix(strings.ToLower(e.Host), ".")
	if host == "127.0.0.1" || host == "::1" {
		host = "localhost"
	}
	return fmt.Sprintf("%s:%d", host, e.Port)
}
