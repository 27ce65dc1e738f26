package apiserver

import (
	"reflect"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Aggregate gives the ClusterRoles that are made of others, such as admin, the rules of those. In a cluster a controller does that, whenever one
// of them changes.
func (s *Server) Aggregate(t testing.TB) {
	t.Helper()
	// Some are made of others that are made of others: admin of edit, and edit of view.
	for changed := true; changed; {
		changed = false
		var roles rbacv1.ClusterRoleList
		if err := s.API.List(t.Context(), &roles); err != nil {
			t.Fatal(err)
		}
		for i := range roles.Items {
			role := &roles.Items[i]
			if role.AggregationRule == nil {
				continue
			}
			rules, err := rulesOf(role, roles.Items)
			if err != nil {
				t.Fatal(err)
			}
			if len(rules) == 0 || reflect.DeepEqual(rules, role.Rules) {
				continue
			}
			role.Rules, changed = rules, true
			if err := s.API.Update(t.Context(), role); err != nil {
				t.Fatalf("putting the ClusterRole %s together: %v", role.Name, err)
			}
		}
	}
}

// rulesOf all roles that a role is made of.
func rulesOf(role *rbacv1.ClusterRole, all []rbacv1.ClusterRole) ([]rbacv1.PolicyRule, error) {
	var rules []rbacv1.PolicyRule
	for _, selector := range role.AggregationRule.ClusterRoleSelectors {
		selects, err := metav1.LabelSelectorAsSelector(&selector)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.Name != role.Name && selects.Matches(labels.Set(other.Labels)) {
				rules = append(rules, other.Rules...)
			}
		}
	}
	return rules, nil
}
