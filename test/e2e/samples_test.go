package e2e

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

const samples = "../../config/samples"

// notHere are the samples that this cluster cannot run, by their paths, and why.
var notHere = map[string]string{
	"kustomization.yaml":         "no object",
	"external.yaml":              "the address of a server is the user's",
	"external-existing.yaml":     "the same; TestExternalServer plays it against tables of another run",
	"external-managed.yaml":      "the address of a service is the user's; test/conformance.TestTheRightsOfThePageAreEnough plays its account",
	"external-informix.yaml":     "its server and its driver are the user's; runners/ycsb.TestRealDriversAreRefused plays the driver",
	"service-mariadb.yaml":       "its image is of a registry; TestDatabaseOfAnOperator plays it with a server of the catalogue",
	"service-oracle.yaml":        "the same",
	"service-percona.yaml":       "the same",
	"data-set.yaml":              "needs an object store; TestDataIsLoadedOnce is its story",
	"data-set-make.yaml":         "the same",
	"tpch.yaml":                  "two loads of scale factor 1 take longer than a sample may; TestTPCH is its story",
	"schedule.yaml":              "TestSchedule is its story",
	"retained-volume-again.yaml": "needs a run that has ended; TestAVolumeIsMeasuredOnAgain is its story",
	"volume-snapshot.yaml":       "no storage of the local cluster takes snapshots; controllers/benchmarkrun.TestVolumesAreMadeOfASnapshot plays one",
	"volume-snapshot-again.yaml": "the same",
	// TestPublishedDriverComparisons runs them, and looks at what they say.
	"drivers-node-small.yaml":   "a story of its own",
	"drivers-python-small.yaml": "a story of its own",
	"drivers-batch-small.yaml":  "a story of its own",
	// Published experiments at full size.
	"published/s1-ycsb/full.yaml":     "takes a day, on machines of a cloud, with servers of the user",
	"published/s1-ycsb/load.yaml":     "the same",
	"published/s1-ycsb/azure.yaml":    "the same",
	"published/s2-python/full.yaml":   "takes hours, on machines of a cloud",
	"published/s2-python/suite.yaml":  "its image is the user's",
	"published/s3-node/full.yaml":     "takes hours, on machines of a cloud",
	"published/s4-sweep/full.yaml":    "takes days, on machines of a cloud",
	"published/s4-sweep/latency.yaml": "takes hours, on machines of a cloud",
	// Its image cannot be made here.
	"published/s0-dotnet/full.yaml": "needs an archive from a machine with NuGet: make images DOTNET_HARNESS=FILE",
}

// replaced are images that the samples take from a registry, by the names of those
// that are built here.
var replaced = map[string]string{"docker.io/library/mariadb:11.8": "tool-mysqlslap"}

// Every sample that is meant for the local cluster runs as it stands.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	var paths []string
	for _, pattern := range []string{"*.yaml", "published/*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(samples, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no samples %s: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		name, err := filepath.Rel(samples, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			if why := notHere[filepath.ToSlash(name)]; why != "" {
				t.Skip(why)
			}
			runSample(t, path)
		})
	}
}

// runSample creates the objects of a file, and waits for its runs.
func runSample(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for image, name := range replaced {
		if bytes.Contains(data, []byte(image)) {
			data = bytes.ReplaceAll(data, []byte(image), []byte(localImage(t, name)))
		}
	}
	ns := cluster.Namespace(t)
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		obj := &unstructured.Unstructured{}
		if err := decoder.Decode(&obj.Object); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if obj.GetKind() == "" {
			continue
		}
		if obj.GetKind() != "InstanceShape" {
			obj.SetNamespace(ns)
		}
		// The shapes of the local cluster are there already.
		if err := cluster.API.Create(t.Context(), obj); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		if obj.GetKind() == "BenchmarkRun" {
			run := &v1alpha1.BenchmarkRun{}
			run.Name, run.Namespace = obj.GetName(), ns
			cluster.Complete(t, cluster.AwaitRun(t, run, 15*time.Minute))
		}
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
