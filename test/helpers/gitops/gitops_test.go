package gitops

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Argo CD has a health check for each of our kinds, the same one; and each kind has the default of the status by which an
// object that the manager has not seen is in progress.
func TestEachKindHasItsHealthCheck(t *testing.T) {
	scripts, err := Scripts()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(data, &crd); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		kind := crd.Spec.Group + "_" + crd.Spec.Names.Kind
		if scripts[kind] == "" {
			t.Errorf("%s has no health check for %s", scriptsFile, kind)
		}
		for _, version := range crd.Spec.Versions {
			status := version.Schema.OpenAPIV3Schema.Properties["status"]
			if status.Default == nil || string(status.Default.Raw) != `{"observedGeneration":-1}` {
				t.Errorf("%s: the status of %s has no default observedGeneration of -1", file, version.Name)
			}
		}
	}
	for kind, script := range scripts {
		if script != scripts["assay.dev_BenchmarkRun"] {
			t.Errorf("%s: the check for %s is another one than that for BenchmarkRun", scriptsFile, kind)
		}
	}
}

// comments are lines of YAML that say nothing to a program.
var comments = regexp.MustCompile(`(?m)^ *#.*\n`)

// The guide shows the files that the end-to-end test plays, without their comments.
func TestTheGuideShowsTheFiles(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/guide/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n# (config/[^\n]*)\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		shown++
		data, err := os.ReadFile(filepath.Join("../../..", block[1]))
		if err != nil {
			t.Fatal(err)
		}
		if file := comments.ReplaceAll(data, nil); !bytes.Contains(file, []byte(strings.TrimSpace(block[2]))) {
			t.Errorf("%s is not what the guide shows:\n%s", block[1], block[2])
		}
	}
	if shown != 4 {
		t.Errorf("the guide shows %d files, want 4", shown)
	}
}
