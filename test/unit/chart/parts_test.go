package chart

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

var (
	partCluster = []string{"--set=part=Cluster,rbac.managers[0].namespace=team-a-assay", "--set=rbac.managers[1].namespace=team-b,rbac.managers[1].name=ours"}
	partTeam    = []string{"--set=part=Team,watchNamespaces={team-a,team-a-two}", "--namespace=team-a-assay"}
)

// The part Cluster has no object in a namespace, so that it brings no manager. The part Team has no other objects than those in the namespaces of
// the team.
func TestWhatThePartsInstall(t *testing.T) {
	cluster, team := mustHelm(t, partCluster...), mustHelm(t, partTeam...)
	var kinds []string
	for key := range cluster {
		kind, rest, _ := strings.Cut(key, " ")
		if !strings.HasPrefix(rest, "/") {
			t.Errorf("the part Cluster has %s", key)
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	want := []string{"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
	if diff := cmp.Diff(want, slices.Compact(kinds)); diff != "" {
		t.Errorf("kinds of the part Cluster (-want +got):\n%s", diff)
	}
	for key := range team {
		_, rest, _ := strings.Cut(key, " ")
		if namespace, _, _ := strings.Cut(rest, "/"); !slices.Contains([]string{"team-a", "team-a-two", "team-a-assay"}, namespace) {
			t.Errorf("the part Team has %s", key)
		}
	}
	// The manager is the one of the scope Namespaced.
	one := mustHelm(t, append(slices.Clone(partTeam), "--set=part=All,rbac.scope=Namespaced")...)
	const key = "Deployment team-a-assay/assay-manager"
	if one[key] == nil || string(one[key]) != string(team[key]) {
		t.Errorf("the manager (-one release +team):\n%s", cmp.Diff(string(one[key]), string(team[key])))
	}
}

// Together the parts have all that one release has, but for the Roles, in whose place the team binds a ClusterRole.
func TestThePartsAreTheWhole(t *testing.T) {
	whole := mustHelm(t, append(slices.Clone(partTeam), "--set=part=All,rbac.scope=Namespaced")...)
	parts := mustHelm(t, partCluster...)
	maps.Copy(parts, mustHelm(t, partTeam...))
	want := append(slices.Collect(maps.Keys(whole)), "ClusterRole /assay-manager-namespaces", "ClusterRole /assay-install")
	want = slices.DeleteFunc(want, func(key string) bool {
		return key == "Role team-a/assay-manager" || key == "Role team-a-two/assay-manager"
	})
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(parts))); diff != "" {
		t.Errorf("objects (-one release +parts):\n%s", diff)
	}
}

// A manager of a team has the rights that any manager has: those in the cluster from the administrator, by the names of ServiceAccounts, those in the
// namespaces from the team.
func TestRightsOfTeams(t *testing.T) {
	cluster, team := mustHelm(t, partCluster...), mustHelm(t, partTeam...)
	here, inNamespaces := find[rbacv1.ClusterRole](t, cluster, "ClusterRole /assay-manager"), find[rbacv1.ClusterRole](t, cluster, "ClusterRole /assay-manager-namespaces")
	if diff := cmp.Diff(permissions(wanted(t)...), permissions(slices.Concat(here.Rules, inNamespaces.Rules)...)); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	if one := find[rbacv1.ClusterRole](t, mustHelm(t, "--set=rbac.scope=Namespaced,watchNamespaces={a}"), "ClusterRole /assay-manager"); !cmp.Equal(one.Rules, here.Rules) {
		t.Errorf("permissions in the whole cluster (-one release +parts):\n%s", cmp.Diff(one.Rules, here.Rules))
	}
	subjects := []rbacv1.Subject{
		{Kind: "ServiceAccount", Namespace: "team-a-assay", Name: "assay-manager"}, {Kind: "ServiceAccount", Namespace: "team-b", Name: "ours"},
	}
	for _, name := range []string{"assay-manager", "assay-manager-metrics"} {
		binding := find[rbacv1.ClusterRoleBinding](t, cluster, "ClusterRoleBinding /"+name)
		if diff := cmp.Diff(subjects, binding.Subjects); diff != "" || binding.RoleRef.Name != name {
			t.Errorf("%s binds %s to (-want +got):\n%s", name, binding.RoleRef.Name, diff)
		}
	}
	for _, namespace := range []string{"team-a", "team-a-two"} {
		binding := find[rbacv1.RoleBinding](t, team, "RoleBinding "+namespace+"/assay-manager")
		want := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: inNamespaces.Name}
		if diff := cmp.Diff(want, binding.RoleRef); diff != "" || !cmp.Equal(binding.Subjects, subjects[:1]) {
			t.Errorf("%s: subjects %v, role (-want +got):\n%s", namespace, binding.Subjects, diff)
		}
	}
	bind := find[rbacv1.ClusterRole](t, cluster, "ClusterRole /assay-install")
	want := []rbacv1.PolicyRule{{
		APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles"}, ResourceNames: []string{inNamespaces.Name}, Verbs: []string{"bind"},
	}}
	if diff := cmp.Diff(want, bind.Rules); diff != "" {
		t.Errorf("what a team may bind (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"rbac.authorization.k8s.io/aggregate-to-admin=true"}, aggregation(bind.Labels)); diff != "" {
		t.Errorf("who may bind (-want +got):\n%s", diff)
	}
	bind = find[rbacv1.ClusterRole](t, mustHelm(t, "--set=part=Cluster,rbac.aggregate=false"), "ClusterRole /assay-install")
	if got := aggregation(bind.Labels); len(got) > 0 {
		t.Errorf("rbac.aggregate=false: %v", got)
	}
}
