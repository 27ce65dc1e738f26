package benchmarkrun

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/config"
	"github.com/assay-bench/assay/internal/resources"
)

// podsOf is what the pods of runs may use: what is configured, and for clients the object store
// that they bring their results to.
func podsOf(c config.Config) config.Pods {
	pods := c.Pods
	if !c.Results.Store.Configured() {
		return pods
	}
	host, port := serverOf(c.Results.Store.Endpoint)
	pods.Network.Clients = append(slices.Clone(pods.Network.Clients), resources.ToAddress(host, port))
	return pods
}

// serverOf is the host and the port of an URL. The port is 0, which stands for any, if the URL
// is none: the configuration was checked before.
func serverOf(endpoint string) (string, int32) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", 0
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return u.Hostname(), int32(n)
	}
	if u.Scheme == "http" {
		return u.Hostname(), 80
	}
	return u.Hostname(), 443
}
