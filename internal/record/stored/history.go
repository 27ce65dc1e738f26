package stored

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// History of a schedule, from its ConfigMap; why says in words why there is none. It fails when the ConfigMap cannot be read, or is not
// the history that the schedule remembers.
func History(ctx context.Context, api client.Reader, of *v1alpha1.BenchmarkSchedule) (past contract.History, why string, err error) {
	name := contract.HistoryName(of.Name, string(of.UID))
	cm := &corev1.ConfigMap{}
	err = api.Get(ctx, client.ObjectKey{Namespace: of.Namespace, Name: name}, cm)
	switch {
	case apierrors.IsNotFound(err):
		return past, missing(of.Status.History), nil
	case err != nil:
		return past, "", fmt.Errorf("reading ConfigMap %s: %w", name, err)
	case !history.IsOf(of, cm):
		return past, "ConfigMap " + name + " belongs to another object: it is not the history of this schedule.", nil
	}
	data := cm.BinaryData[contract.KeyHistory]
	past, err = history.Read(of, data)
	if errors.Is(err, history.ErrTampered) { // or it was written since the schedule was read
		now := &v1alpha1.BenchmarkSchedule{}
		if err := api.Get(ctx, client.ObjectKeyFromObject(of), now); err != nil {
			return past, "", fmt.Errorf("reading schedule %s again: %w", of.Name, err)
		}
		past, err = history.Read(now, data)
	}
	if err != nil {
		return past, "", fmt.Errorf("ConfigMap %s: %w", name, err)
	}
	return past, "", nil
}

// missing says why there is no history.
func missing(st *v1alpha1.HistoryStatus) string {
	runs := int32(0)
	if st != nil {
		runs = st.LostRunCount
	}
	if st != nil && st.SHA256 != "" { // the manager has not seen yet that it is gone
		runs += st.RunCount
	}
	if runs == 0 {
		return "There is no history yet: it begins when the first run has ended."
	}
	return fmt.Sprintf("There is no history: somebody deleted what was known of %d runs. A new one begins when the next run has ended.", runs)
}

// RetainedHistory is that of a schedule that was deleted, by the name of its ConfigMap. Nothing says any more whether it is what Assay
// wrote. It fails when the ConfigMap cannot be read, or is no history.
func RetainedHistory(ctx context.Context, api client.Reader, namespace, name string) (contract.History, error) {
	cm := &corev1.ConfigMap{}
	if err := api.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, cm); err != nil {
		return contract.History{}, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	past, err := history.Decode(cm.BinaryData[contract.KeyHistory])
	if err != nil {
		return past, fmt.Errorf("ConfigMap %s: %w", name, err)
	}
	return past, nil
}
