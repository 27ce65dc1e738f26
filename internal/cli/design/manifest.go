package design

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// manifest is the part of an object that decides what it is.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name         string            `json:"name"`
		GenerateName string            `json:"generateName"`
		Namespace    string            `json:"namespace"`
		Labels       map[string]string `json:"labels"`
		Annotations  map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec json.RawMessage `json:"spec"`
}

// runIn a file with one BenchmarkRun, with all defaults. What the API server would refuse in its spec is an error.
func runIn(data []byte) (*v1alpha1.BenchmarkRun, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	var found []manifest
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var m manifest
		if err := yaml.Unmarshal(document, &m); err != nil {
			return nil, err
		}
		if schema.FromAPIVersionAndKind(m.APIVersion, m.Kind).GroupKind() == v1alpha1.GroupVersion.WithKind("BenchmarkRun").GroupKind() {
			var top map[string]any
			if err := yaml.Unmarshal(document, &top); err != nil {
				return nil, err
			}
			if err := apischema.CheckTop(top); err != nil {
				return nil, err
			}
			found = append(found, m)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("it has %d objects of kind BenchmarkRun, and one is planned", len(found))
	}
	return complete(found[0])
}

// runNames and prefixes are those that the API server accepts.
var (
	runNames = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	prefixes = regexp.MustCompile(`^[a-z][-a-z0-9]{0,57}$`)
)

func nameAllowed(name, generateName string) error {
	switch {
	case name == "" && generateName == "":
		return errors.New("it has no metadata.name")
	case name != "" && !runNames.MatchString(name):
		return fmt.Errorf("metadata.name: %q must begin with a letter, hold only lower-case letters, digits and '-', and have at most 63 characters", name)
	case name == "" && !prefixes.MatchString(generateName):
		return fmt.Errorf("metadata.generateName: %q must begin with a letter, hold only lower-case letters, digits and '-', and have at most 58 characters", generateName)
	}
	return nil
}

// nameOrPrefix refuses what is neither the name of a run nor, with a hyphen at its end, a prefix of one.
func nameOrPrefix(text string) error {
	if strings.HasSuffix(text, "-") {
		return nameAllowed("", text)
	}
	return nameAllowed(text, "")
}

// complete what the API server would, and check what it would.
func complete(m manifest) (*v1alpha1.BenchmarkRun, error) {
	if m.APIVersion != v1alpha1.GroupVersion.String() {
		return nil, fmt.Errorf("its apiVersion is %s, and this program knows %s", m.APIVersion, v1alpha1.GroupVersion)
	}
	if len(m.Spec) == 0 {
		return nil, errors.New("it has no spec")
	}
	rules, err := apischema.ForSpec()
	if err != nil {
		return nil, err
	}
	spec, err := rules.Complete(m.Spec)
	if err != nil {
		return nil, err
	}
	run := &v1alpha1.BenchmarkRun{}
	if err := json.Unmarshal(spec, &run.Spec); err != nil {
		return nil, err
	}
	if err := nameAllowed(m.Metadata.Name, m.Metadata.GenerateName); err != nil {
		return nil, err
	}
	run.Namespace, run.Labels, run.Annotations = m.Metadata.Namespace, m.Metadata.Labels, m.Metadata.Annotations
	if run.Name = m.Metadata.Name; run.Name == "" {
		run.Name = m.Metadata.GenerateName + "00000"
	}
	run.Spec.SetDefaults()
	return run, nil
}
