package e2e

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

const samples = "../../config/samples"

// Every sample is played: as it stands, or on its stage.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	files := map[string]bool{}
	for _, pattern := range []string{"*.yaml", "published/*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(samples, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no samples %s: %v", pattern, err)
		}
		for _, path := range found {
			file, err := filepath.Rel(samples, path)
			if err != nil {
				t.Fatal(err)
			}
			file = filepath.ToSlash(file)
			files[file] = true
			t.Run(file, func(t *testing.T) {
				if on := stages[file]; on != nil {
					on(t, file)
					return
				}
				readSample(t, file).complete(t)
			})
		}
	}
	for file := range stages {
		if !files[file] {
			t.Errorf("there is a stage for %s, and no such sample", file)
		}
	}
}

// sampleFile is a file of config/samples in a namespace. Each of its runs ends within the limit.
type sampleFile struct {
	file, text, ns string
	limit          time.Duration
}

// played are the samples that were played to their end in this process, by their files. No two stories that play any are parallel.
var played = map[string]bool{}

// readSample for a namespace of its own.
func readSample(t *testing.T, file string) *sampleFile {
	t.Helper()
	return readSampleIn(t, file, cluster.Namespace(t))
}

// readSampleIn a namespace that is there.
func readSampleIn(t *testing.T, file, ns string) *sampleFile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(samples, file))
	if err != nil {
		t.Fatal(err)
	}
	return &sampleFile{file, string(data), ns, 15 * time.Minute}
}

// instead of what the file has it gets what can be had here: pairs of texts.
func (s *sampleFile) instead(t *testing.T, pairs ...string) *sampleFile {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(s.text, pairs[i]) {
			t.Fatalf("%s does not have %q any more", s.file, pairs[i])
		}
		s.text = strings.ReplaceAll(s.text, pairs[i], pairs[i+1])
	}
	return s
}

// complete plays the sample. Each of its runs has to be complete and valid; the last one is returned.
func (s *sampleFile) complete(t *testing.T) *v1alpha1.BenchmarkRun {
	t.Helper()
	return s.play(t, cluster.Complete)
}

// play creates the objects of the file, and awaits the end of each run, which is looked at.
func (s *sampleFile) play(t *testing.T, look func(testing.TB, *v1alpha1.BenchmarkRun)) (last *v1alpha1.BenchmarkRun) {
	t.Helper()
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(s.text), 4096)
	for {
		obj := &unstructured.Unstructured{}
		if err := decoder.Decode(&obj.Object); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if obj.GetKind() == "" {
			continue
		}
		s.create(t, obj)
		if obj.GetKind() == "BenchmarkRun" {
			run := &v1alpha1.BenchmarkRun{}
			run.Name, run.Namespace = obj.GetName(), s.ns
			last = cluster.AwaitRun(t, run, s.limit)
			look(t, last)
		}
	}
	if last == nil {
		t.Fatalf("%s has no run", s.file)
	}
	played[s.file] = true
	return last
}

// create an object of the file. Shapes are of the cluster, and those of config/samples/shapes.yaml are there already.
func (s *sampleFile) create(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	var created client.Object = obj
	switch obj.GetKind() {
	case "InstanceShape":
		if err := cluster.API.Create(t.Context(), obj); err == nil {
			t.Cleanup(func() {
				if err := cluster.API.Delete(context.Background(), obj); err != nil {
					t.Errorf("deleting shape %s: %v", obj.GetName(), err)
				}
			})
		} else if !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		return
	case "StatefulSet":
		created = ofTheCatalogue(t, obj)
	}
	created.SetNamespace(s.ns)
	if err := cluster.API.Create(t.Context(), created); err != nil {
		t.Fatalf("creating %s %s: %v", obj.GetKind(), obj.GetName(), err)
	}
}

// localImage is the reference of an image that make images-full has built.
func localImage(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../out/images.txt")
	if err != nil {
		t.Fatalf("make images-full writes the list of images: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if image, reference, ok := strings.Cut(strings.TrimSpace(line), " "); ok && image == name {
			return reference
		}
	}
	t.Fatalf("the image %s was not built: make images-full", name)
	return ""
}
