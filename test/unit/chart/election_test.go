package chart

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// The identity of a manager is that of its pod: it outlives the process, and no other pod has it.
func TestElectionIdentityIsThePod(t *testing.T) {
	for name, o := range map[string]objects{"chart": mustHelm(t), "kustomize": mustKustomize(t, "config/default")} {
		c := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec.Containers[0]
		if want := "--leader-election-identity=$(POD_NAME)_$(POD_UID)"; !slices.Contains(c.Args, want) {
			t.Errorf("%s: no argument %s in %q", name, want, c.Args)
		}
		fields := map[string]string{}
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil {
				fields[e.Name] = e.ValueFrom.FieldRef.FieldPath
			}
		}
		if fields["POD_UID"] != "metadata.uid" || fields["POD_NAME"] != "metadata.name" {
			t.Errorf("%s: the environment has %v", name, fields)
		}
	}
}
