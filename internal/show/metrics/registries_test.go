package metrics

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assay-bench/assay/internal/cluster/registry"
	"github.com/assay-bench/assay/internal/ground/config"
)

func TestRequestsToRegistries(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	count, err := CountRegistries(config.Registries{Ask: []config.Registry{{Host: "registry.example"}}}, r)
	if err != nil {
		t.Fatal(err)
	}
	count("registry.example", registry.Refused)
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, all)
	for _, line := range []string{`{outcome="refused",registry="registry.example"} 1`, `{outcome="answered",registry="registry.example"} 0`} {
		if !strings.Contains(got, registryRequests.Name+line+"\n") {
			t.Errorf("no line %s in\n%s", line, got)
		}
	}
}
