package releases

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/test/helpers/lastrelease"
)

const (
	crd           = "config/crd/bases/assay.dev_benchmarkruns.yaml"
	journalSource = "internal/contract/journal.go"
)

// A manager of the last release that finds a run with fields of the spec that it does not know
// would carry out another experiment. So new fields need a new level of the reader.
func TestNewFieldsOfTheSpecNeedANewReader(t *testing.T) {
	name, _ := lastrelease.Name(t)
	tree := lastrelease.Tree(t, crd, journalSource)
	then := specFields(t, read(t, filepath.Join(tree, crd)))
	now := read(t, filepath.Join("../../..", crd))
	level := regexp.MustCompile(`const JournalReader = (\d+)`).FindSubmatch(read(t, filepath.Join(tree, journalSource)))
	if level == nil {
		t.Fatalf("%s of %s has no JournalReader", journalSource, name)
	}
	reader, err := strconv.Atoi(string(level[1]))
	if err != nil {
		t.Fatal(err)
	}
	var added []string
	for _, field := range slices.Sorted(maps.Keys(specFields(t, now))) {
		if !then[field] {
			added = append(added, field)
		}
	}
	if len(then) < 50 {
		t.Fatalf("the spec of %s has only the fields %v", name, then)
	}
	if len(added) > 0 && contract.JournalReader <= reader {
		t.Errorf("%s has the reader %d, and does not know %v: raise contract.JournalReader", name, reader, added)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// specFields are the paths of all fields in the spec of a CRD.
func specFields(t *testing.T, text []byte) map[string]bool {
	t.Helper()
	var def apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &def); err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	var walk func(path string, schema *apiextensionsv1.JSONSchemaProps)
	walk = func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		if schema == nil {
			return
		}
		for name, field := range schema.Properties {
			fields[path+"."+name] = true
			walk(path+"."+name, &field)
		}
		if schema.Items != nil {
			walk(path+"[]", schema.Items.Schema)
		}
		if schema.AdditionalProperties != nil {
			walk(path+"{}", schema.AdditionalProperties.Schema)
		}
	}
	spec := def.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	walk("spec", &spec)
	return fields
}
