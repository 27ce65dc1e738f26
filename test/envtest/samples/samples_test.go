// Package samples shows every manifest that Assay ships or documents to a real
// API server: examples that are not accepted are no examples.
package samples

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/apiserver"
)

const root = "../../../"

var server apiserver.Server

func TestMain(m *testing.M) { os.Exit(apiserver.Main(m, &server)) }

// blocks are the YAML blocks of a Markdown page and of the chart's notes.
var blocks = regexp.MustCompile("(?ms)^ *```yaml\n(.*?)^ *```|^ *kubectl apply -f - <<'YAML'\n(.*?)^ *YAML$")

// manifests are the objects in a file, each with its place.
func manifests(t *testing.T, path string) map[string]*unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(data)}
	if !strings.HasSuffix(path, ".yaml") {
		texts = nil
		for _, m := range blocks.FindAllStringSubmatch(string(data), -1) {
			texts = append(texts, m[1]+m[2])
		}
	}
	out := map[string]*unstructured.Unstructured{}
	for i, text := range texts {
		for j, doc := range strings.Split("\n"+unindent(text), "\n---\n") {
			obj := map[string]any{}
			if err := yaml.UnmarshalStrict([]byte(doc), &obj); err != nil {
				t.Errorf("%s, block %d: %v in:\n%s", path, i+1, err, doc)
				continue
			}
			u := &unstructured.Unstructured{Object: obj}
			if u.GetKind() != "" && u.GetKind() != "Kustomization" && u.GetName() != "" {
				out[fmt.Sprintf("%s, block %d.%d: %s %s", strings.TrimPrefix(path, root), i+1, j+1, u.GetKind(), u.GetName())] = u
			}
		}
	}
	return out
}

// unindent removes the indentation of the first line from every line.
func unindent(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.ReplaceAll("\n"+text, "\n"+indent, "\n")
}

func TestManifestsAreAccepted(t *testing.T) {
	namespace := server.Namespace(t)
	found := 0
	for _, pattern := range []string{
		"config/samples/*.yaml", "config/samples/published/*/*.yaml", "docs/gallery/*.yaml", "README.md", "docs/*/*.md", "runners/*/README.md", "charts/assay/templates/NOTES.txt",
	} {
		paths, err := filepath.Glob(root + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			for name, obj := range manifests(t, path) {
				found++
				t.Run(name, func(t *testing.T) { accept(t, namespace, obj) })
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d manifests were found", found)
	}
}

// accept asks the API server without creating anything; unknown fields are errors.
func accept(t *testing.T, namespace string, obj *unstructured.Unstructured) {
	t.Helper()
	namespaced, err := server.API.IsObjectNamespaced(obj)
	if err != nil {
		t.Fatal(err)
	}
	if namespaced {
		obj.SetNamespace(namespace)
	}
	if err := server.API.Create(t.Context(), obj, client.DryRunAll); err != nil {
		t.Error(err)
	}
}
