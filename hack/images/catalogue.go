package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/engines"
)

const (
	// chartValues have the catalogue of servers.
	chartValues = "charts/assay/values.yaml"
	// builtNode begins the references of node images that hack/node-image made, because no registry answered.
	builtNode = "assay-node:"
)

// unreachable are the versions of the chart's catalogue, by their flavor, if no registry answered when the cluster was made:
// the nodes get no image of them then but one that is built here. None for any other cluster, and without one.
func (b builder) unreachable(ctx context.Context, cluster string) (map[string][]string, error) {
	out, err := b.engine.output(ctx, "ps", "--filter", "label=io.x-k8s.kind.cluster="+cluster, "--format", "{{.Image}}")
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(strings.Fields(out), func(image string) bool { return strings.HasPrefix(image, builtNode) }) {
		return nil, nil
	}
	return catalogue(chartValues)
}

// catalogue of a chart: its versions by their flavor, sorted.
func catalogue(path string) (map[string][]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var chart struct {
		Engines map[string]map[string]any `json:"engines"`
	}
	if err := yaml.Unmarshal(data, &chart); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all := map[string][]string{}
	for flavor, versions := range chart.Engines {
		if _, known := engines.Find(flavor); !known {
			return nil, fmt.Errorf("%s has the flavor %s, which no engine has", path, flavor)
		}
		all[flavor] = slices.Sorted(maps.Keys(versions))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no engines", path)
	}
	return all, nil
}
