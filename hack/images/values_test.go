package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/engines"
)

func TestValues(t *testing.T) {
	all := []image{
		{Name: "manager", Tag: "assay-manager:11"}, {Name: "agent", Tag: "assay-agent:22"},
		{Name: "runner-sysbench", Tag: "assay-runner-sysbench:33"}, {Name: "runner-ycsb", Tag: "assay-runner-ycsb:44"},
		{Name: "mysql", Series: "9.7", Tag: "assay-mysql:9.7-55"}, {Name: "mysql", Series: "9.10", Tag: "assay-mysql:9.10-66"},
		{Name: "tidb", Series: "8.5", Tag: "assay-tidb:8.5-77"},
	}
	chosen := []image{all[0], all[1], all[2], all[4]}
	here := available(all, chosen, []string{"assay-mysql:9.10-66", "assay-tidb:8.5-old"})
	want := `# Written by hack/images.sh: the images that were built here and loaded into the nodes.
image: {repository: docker.io/library/assay-manager, tag: "11", pullPolicy: IfNotPresent}
agent: {image: "docker.io/library/assay-agent:22"}
runners:
  sysbench: {image: "docker.io/library/assay-runner-sysbench:33"}
engines:
  MySQL: {"9.7": {image: "docker.io/library/assay-mysql:9.7-55"}, "9.10": {image: "docker.io/library/assay-mysql:9.10-66"}}
` + flavorsBut("MySQL") + `# Off the nodes that are measured: there the manager would be a second workload.
nodeSelector: {node-role.kubernetes.io/control-plane: ""}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
`
	if diff := cmp.Diff(want, values(all, here, nil)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	want = `manager docker.io/library/assay-manager:11
agent docker.io/library/assay-agent:22
runner-sysbench docker.io/library/assay-runner-sysbench:33
mysql:9.7 docker.io/library/assay-mysql:9.7-55
mysql:9.10 docker.io/library/assay-mysql:9.10-66
`
	if diff := cmp.Diff(want, list(here)); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

// flavorsBut one: lines of those without an image.
func flavorsBut(flavor string) (lines string) {
	for _, f := range engines.Flavors() {
		if f != flavor {
			lines += "  " + f + ": {}\n"
		}
	}
	return lines
}

// Where no registry answers, the catalogue has what is built here and nothing else: a run that names another version is refused
// at once.
func TestValuesWithoutARegistry(t *testing.T) {
	all := []image{{Name: "manager", Tag: "assay-manager:1"}, {Name: "mysql", Series: "9.7", Tag: "assay-mysql:9.7-5"}}
	text := values(all, all, map[string][]string{"MySQL": {"8.4", "9.7"}, "Percona": {"8.0"}})
	var got struct {
		Engines map[string]map[string]any `json:"engines"`
	}
	if err := yaml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{}
	for _, flavor := range engines.Flavors() {
		want[flavor] = map[string]any{}
	}
	want["MySQL"] = map[string]any{"9.7": map[string]any{"image": "docker.io/library/assay-mysql:9.7-5"}, "8.4": nil}
	want["Percona"] = map[string]any{"8.0": nil}
	if diff := cmp.Diff(want, got.Engines); diff != "" {
		t.Errorf("engines (-want +got):\n%s", diff)
	}
}

// Every version of the chart's catalogue is known, so that each one without an image can leave it.
func TestCatalogue(t *testing.T) {
	all, err := catalogue("../../" + chartValues)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(all["MySQL"], "8.4") || len(all["Percona"]) == 0 {
		t.Errorf("the catalogue: %v", all)
	}
}
