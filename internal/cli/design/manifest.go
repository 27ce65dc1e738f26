package design

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/manifest"
)

// runIn a file with one BenchmarkRun, with what is set in it (manifest.Sets), and all defaults. What the API server would refuse in its
// spec is an error.
func runIn(data []byte, sets ...string) (*v1alpha1.BenchmarkRun, error) {
	_, object, err := manifest.Objects(data)
	if err != nil {
		return nil, err
	}
	if err := manifest.Sets(sets).Apply(object); err != nil {
		return nil, err
	}
	if version := object.GetAPIVersion(); version != v1alpha1.GroupVersion.String() {
		return nil, fmt.Errorf("its apiVersion is %s, and this program knows %s", version, v1alpha1.GroupVersion)
	}
	run, err := manifest.Complete(object)
	if err != nil {
		return nil, err
	}
	if err := nameAllowed(run.Name, run.GenerateName); err != nil {
		return nil, err
	}
	if run.Name == "" {
		run.Name = run.GenerateName + "00000"
	}
	run.Spec.SetDefaults()
	return run, nil
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
