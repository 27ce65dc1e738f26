// Package manifest reads the file that `plan` and `run` take: objects in YAML, one of which is a BenchmarkRun.
//
// In: a file, or standard input, and fields of targets that are set on the command line. Out: the objects, and the run as the API
// server would complete it. Refused: YAML that is none or that has a key twice, an object without a kind, another number of runs
// than one, and a field that is set of no target of the run.
package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// ReadFile of the user; "-" is standard input.
func ReadFile(file string, in io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(in)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	return data, nil
}

// Objects of a manifest in their order, and the one among them that is a run.
func Objects(data []byte) (all []*unstructured.Unstructured, run *unstructured.Unstructured, err error) {
	documents, runs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))), 0
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			document, err = yaml.YAMLToJSONStrict(document)
		}
		u := &unstructured.Unstructured{}
		if err == nil {
			err = utiljson.Unmarshal(document, &u.Object) // whole numbers stay whole: a seed has up to 19 digits
		}
		switch {
		case err != nil:
			return nil, nil, err
		case len(u.Object) == 0:
			continue
		case u.GetKind() == "" || u.GetAPIVersion() == "":
			return nil, nil, errors.New("an object has no apiVersion or no kind")
		case IsRun(u):
			run = u
			runs++
		}
		all = append(all, u)
	}
	if runs != 1 {
		return nil, nil, fmt.Errorf("it has %d objects of kind BenchmarkRun, and one is planned and followed: apply others with kubectl apply", runs)
	}
	return all, run, nil
}

// IsRun says whether an object is a BenchmarkRun, of whatever version.
func IsRun(u *unstructured.Unstructured) bool {
	return u.GroupVersionKind().GroupKind() == v1alpha1.GroupVersion.WithKind("BenchmarkRun").GroupKind()
}

// Complete a run as the API server would. It fails for what that would refuse, and names all fields that are wrong, where the server
// names the first one.
func Complete(u *unstructured.Unstructured) (*v1alpha1.BenchmarkRun, error) {
	if err := apischema.CheckTop(u.Object); err != nil {
		return nil, err
	}
	if u.Object["spec"] == nil {
		return nil, errors.New("it has no spec")
	}
	rules, err := apischema.ForSpec()
	if err != nil {
		return nil, err
	}
	spec, err := json.Marshal(u.Object["spec"])
	if err != nil {
		return nil, fmt.Errorf("its spec: %w", err)
	}
	if spec, err = rules.Complete(spec); err != nil {
		return nil, err
	}
	whole, err := json.Marshal(map[string]any{"metadata": u.Object["metadata"], "spec": json.RawMessage(spec)})
	if err != nil {
		return nil, err
	}
	run := &v1alpha1.BenchmarkRun{}
	return run, json.Unmarshal(whole, run)
}
