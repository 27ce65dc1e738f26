package contracts

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/writeup"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// What the manager stores for programs is a document of kubectl assay, in its schema.
func TestTheStoredSummaryIsInItsSchema(t *testing.T) {
	run := finished.New(t, finished.Options{})
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := writeup.Writer{API: fake.NewClientBuilder().WithScheme(scheme).WithObjects(run.Objects()...).Build(), Memory: 64 << 20, Measurements: 20000}
	tables, err := w.Tables(t.Context(), run.Object)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, "cli-run.v1.schema.json", []byte(tables[contract.KeyReportSummary])); err != nil {
		t.Errorf("%v\n%s", err, tables[contract.KeyReportSummary])
	}
}
