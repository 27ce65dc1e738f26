package engines

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What is in the catalogue only to repeat published numbers is there, is marked so where an administrator reads it, and no sample takes
// it: neither such a server nor Connector/J 8.0.26.
func TestNothingOldIsADefault(t *testing.T) {
	values, err := os.ReadFile("../charts/assay/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		Engines map[string]map[string]any
	}
	if err := yaml.Unmarshal(values, &chart); err != nil {
		t.Fatal(err)
	}
	old := []string{regexp.QuoteMeta("mysql-connector-j") + `\b[^\n]*\b8\.0\.26`}
	for _, e := range All() {
		for version := range e.ForRepetitions {
			if _, is := chart.Engines[e.Flavor][version]; !is {
				t.Errorf("%s %s is not in the catalogue", e.Flavor, version)
			}
			if !strings.Contains(string(values), "    # Only to repeat published numbers: it has had no security updates since October 2023.\n    \""+version+"\": ") {
				t.Errorf("the catalogue does not say of %s %s that it is only for repetitions", e.Flavor, version)
			}
			old = append(old, `flavor: `+e.Flavor+`\b[^}]*version: ["']?`+regexp.QuoteMeta(version)+`["']?\b`, e.Flavor+":"+regexp.QuoteMeta(version)+`\b`)
		}
	}
	if len(old) < 3 {
		t.Fatal("no version is for repetitions any more: this test checks nothing")
	}
	old = append(old, `driverVersion: ["']?8\.0\.26`)
	samples, err := filepath.Glob("../config/samples/*.yaml")
	if err != nil || len(samples) < 10 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	published, err := filepath.Glob("../config/samples/published/*/*.yaml")
	if err != nil || len(published) == 0 {
		t.Fatalf("no published samples: %v", err)
	}
	for _, file := range append(append(samples, published...), "../README.md", "../docs/man/kubectl-assay-new.1", "../docs/reference/commands.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range old {
			if found := regexp.MustCompile(pattern).Find(text); found != nil {
				t.Errorf("%s takes what is there only to repeat published numbers: %s", file, found)
			}
		}
	}
	if sample := "mysql: {flavor: MySQL, version: \"5.7\"}"; !regexp.MustCompile(old[1]).MatchString(sample) && !regexp.MustCompile(old[2]).MatchString(sample) {
		t.Errorf("%s is not found by %v", sample, old)
	}
}
