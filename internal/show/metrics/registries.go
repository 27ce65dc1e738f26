package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/cluster/registry"
	"github.com/assay-bench/assay/internal/ground/config"
)

// Of registries that are asked for tags, since the manager started.
var registryRequests = counter("assay_registry_requests_total", "registry outcome",
	"Number of times that the manager asked a registry which digest a tag has: answered, refused (an error of HTTP), "+
		"unreachable, failed (such as for its credentials), or postponed (too many images at once, so that it was not asked). "+
		"Remembered answers are not counted.")

// CountRegistries that the configuration names, in a registry of metrics. What it returns counts one outcome. Every
// outcome is there from the start, so that the first of its kind is an increase too.
func CountRegistries(c config.Registries, in prometheus.Registerer) (func(host string, o registry.Outcome), error) {
	asked := vector(registryRequests)
	for _, r := range c.Ask {
		for _, o := range registry.Outcomes() {
			asked.WithLabelValues(r.Host, string(o))
		}
	}
	return func(host string, o registry.Outcome) { asked.WithLabelValues(host, string(o)).Inc() }, in.Register(asked)
}
