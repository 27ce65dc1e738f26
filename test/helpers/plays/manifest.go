package plays

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/manifest"
)

// Manifest is the run of a manifest, as the API server completes it, and the texts of its ConfigMaps by their name. It fails for a manifest
// that does not have one run, and for one that the API server would refuse.
func Manifest(data []byte) (*v1alpha1.BenchmarkRun, map[string]map[string]string, error) {
	all, object, err := manifest.Objects(data)
	if err != nil {
		return nil, nil, err
	}
	texts := map[string]map[string]string{}
	for _, u := range all {
		var cm corev1.ConfigMap
		if u.GetKind() != "ConfigMap" {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &cm); err != nil {
			return nil, nil, err
		}
		texts[cm.Name] = cm.Data
	}
	run, err := manifest.Complete(object)
	return run, texts, err
}
