package stored

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// History of a schedule, from its ConfigMap; why says in words why there is none. It fails when the ConfigMap cannot be read, or is no
// history.
func History(ctx context.Context, api client.Reader, of *v1alpha1.BenchmarkSchedule) (past contract.History, why string, err error) {
	name := contract.HistoryName(of.Name)
	cm := &corev1.ConfigMap{}
	err = api.Get(ctx, client.ObjectKey{Namespace: of.Namespace, Name: name}, cm)
	switch {
	case apierrors.IsNotFound(err):
		return past, "There is no history yet: it begins when the first run has ended.", nil
	case err != nil:
		return past, "", fmt.Errorf("reading ConfigMap %s: %w", name, err)
	case !metav1.IsControlledBy(cm, of):
		return past, "ConfigMap " + name + " belongs to another object: it is not the history of this schedule.", nil
	}
	if past, err = history.Decode(cm.BinaryData[contract.KeyHistory]); err != nil {
		return past, "", fmt.Errorf("ConfigMap %s: %w", name, err)
	}
	return past, "", nil
}
