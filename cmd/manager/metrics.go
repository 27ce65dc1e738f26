package main

import (
	"flag"

	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-bench/assay/internal/scrape"
)

// metricsFlags say where the metrics are served, and to whom.
type metricsFlags struct {
	address, certificates string
	secure                bool
}

func (f *metricsFlags) register() {
	flag.StringVar(&f.address, "metrics-bind-address", ":8443", "address of the Prometheus metrics; 0 to turn them off")
	flag.BoolVar(&f.secure, "metrics-secure", true, "serve the metrics over HTTPS, to those whom the API server allows to get /metrics")
	flag.StringVar(&f.certificates, "metrics-cert-dir", "", "directory with tls.crt and tls.key for the metrics; empty for a self-signed certificate")
}

func (f metricsFlags) options() metricsserver.Options {
	o := metricsserver.Options{BindAddress: f.address}
	if f.secure {
		o.SecureServing, o.FilterProvider, o.CertDir = true, scrape.Filter, f.certificates
	}
	return o
}
