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
// and its result. The RoleBinding comes last: when it exists, so do the other
// objects. (The API server refuses a RoleBinding before its Role anyway, unless
// the manager may bind any Role.)
func (r *Reconciler) grant(ctx context.Context, s *scope, c resources.Client) error {
	binding := resources.RoleBinding(s.run)
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(binding), &rbacv1.RoleBinding{})
	if apierrors.IsNotFound(err) {
		for _, obj := range []client.Object{
			resources.ServiceAccount(s.run), resources.ClientDisruptionBudget(s.run), c.Role(), binding,
		} {
			if _, err := r.ensure(ctx, s, obj); err != nil {
				return err
			}
		}
	} else if err != nil {
		return fmt.Errorf("reading RoleBinding %s: %w", binding.Name, err)
	}
	return r.point(ctx, c.Role())
}

// point makes the Role of a run's clients name the execution that begins.
func (r *Reconciler) point(ctx context.Context, want *rbacv1.Role) error {
	have := &rbacv1.Role{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(want), have); err != nil {
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
