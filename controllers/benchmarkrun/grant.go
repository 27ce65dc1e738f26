package benchmarkrun

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/resources"
)

// grant gives the client of one execution, and of no other, access to its trial
// and its result. The Role comes last: when it exists, so do the other objects.
func (r *Reconciler) grant(ctx context.Context, s *scope, c resources.Client) error {
	want := c.Role()
	have := &rbacv1.Role{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(want), have)
	if apierrors.IsNotFound(err) {
		for _, obj := range []client.Object{
			resources.ServiceAccount(s.run), resources.RoleBinding(s.run), resources.ClientDisruptionBudget(s.run), want,
		} {
			if _, err := r.ensure(ctx, s, obj); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading Role %s: %w", want.Name, err)
	}
	if equality.Semantic.DeepEqual(have.Rules, want.Rules) {
		return nil
	}
	have.Rules = want.Rules
	if err := r.Client.Update(ctx, have); err != nil {
		return fmt.Errorf("updating Role %s: %w", want.Name, err)
	}
	return nil
}
