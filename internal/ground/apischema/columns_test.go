package apischema

import (
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/config/crd"
)

// kubectl get shows why a run failed without -o wide: its verdict and result are empty then.
func TestTheReasonOfAFailureIsShown(t *testing.T) {
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd.BenchmarkRuns, &definition); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(definition.Spec.Versions[0].AdditionalPrinterColumns, func(c apiextensionsv1.CustomResourceColumnDefinition) bool {
		return c.Name == "Reason" && c.Priority == 0
	}) {
		t.Error("no column has the reason")
	}
}
