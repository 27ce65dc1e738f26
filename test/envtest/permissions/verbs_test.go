package permissions

import (
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/apiserver"
)

// managerRules are the rules of a document of the chart, if it is a role of the manager. Those
// for users are named by what they may do.
func managerRules(t *testing.T, release, kind string, doc []byte) []rbacv1.PolicyRule {
	t.Helper()
	var role rbacv1.ClusterRole // a Role has the same rules
	if kind != "ClusterRole" && kind != "Role" {
		return nil
	}
	if err := yaml.Unmarshal(doc, &role); err != nil {
		t.Fatal(err)
	}
	if name := strings.TrimPrefix(role.Name, release); !strings.HasPrefix(name, "-manager") {
		return nil
	}
	return role.Rules
}

// notSeen are the verbs that no call shows, with what needs them.
var notSeen = map[string]string{
	"assay.dev/benchmarkruns/finalizers update": "owner references that block a deletion, where the admission plugin " +
		"OwnerReferencesPermissionEnforcement is on, as it is in this test: without the verb no run gets any further",
	"assay.dev/benchmarkschedules/finalizers update": "the same, for the runs of schedules",
	"manager.assay.dev/benchmarkruns create":         "no call: the policies ask for it (test/envtest/admission.TestOwnersOfRuns)",
	"events.k8s.io/events patch":                     "an event that is repeated becomes a series after some minutes",
	"/nodes get":                                     "only the API server knows whether a node that the cache lacks is gone",
	"apps/statefulsets get": "whose an object is that a Create came upon: " +
		"controllers/benchmarkrun.TestForeignObjectsOfEveryKindAreLeftAlone",
	"batch/jobs get": "the same",
	// The metrics are off in this test.
	"authentication.k8s.io/tokenreviews create":        "who asks for metrics: TestMetricsAreForThoseWhoMayReadThem",
	"authorization.k8s.io/subjectaccessreviews create": "the same",
}

// checkVerbs: the manager has called with each verb that it was granted. That each call was
// granted, the API server has seen to.
func checkVerbs(t *testing.T, s settings) {
	t.Helper()
	calls, err := server.CallsOf(s.user)
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) < 20 {
		t.Fatalf("the log of the API server has only the calls %v", calls)
	}
	var unused []string
	for _, rule := range s.rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					name := group + "/" + resource + " " + verb
					called := calls[apiserver.Call{Resource: group + "/" + resource, Verb: verb}]
					if verb == "list" {
						// What is watched is listed first, where the server does not stream lists.
						called = called || calls[apiserver.Call{Resource: group + "/" + resource, Verb: "watch"}]
					}
					if notSeen[name] == "" && !called {
						unused = append(unused, name)
					}
				}
			}
		}
	}
	slices.Sort(unused)
	if unused = slices.Compact(unused); len(unused) > 0 {
		t.Errorf("the manager was granted what it never does: %q", unused)
	}
}
