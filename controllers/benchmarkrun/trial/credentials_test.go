package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"
)

// Of the Secret of an external target the clients get the documented keys, whatever else is in
// it.
func TestAnExternalSecretIsNotMountedWhole(t *testing.T) {
	c := newCluster()
	c.in.Run.Spec.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{
		Host: "h", Port: 3306, Credentials: corev1.LocalObjectReference{Name: "cloud-db"},
	}}
	got := map[string]bool{}
	for _, v := range clients(c.in, c.e, "", "image", runner.Pods{}).Job().Spec.Template.Spec.Volumes {
		if v.Secret != nil {
			t.Errorf("volume %s is the Secret %+v", v.Name, v.Secret)
		}
		if v.Projected == nil || v.Name == "token" {
			continue
		}
		for _, source := range v.Projected.Sources {
			if source.Secret.Name != "cloud-db" || len(source.Secret.Items) == 0 {
				t.Errorf("%+v", source.Secret)
			}
			for _, item := range source.Secret.Items {
				got[item.Key] = *source.Secret.Optional
			}
		}
	}
	want := map[string]bool{"username": false, "password": false, "ca.crt": true, "tls.crt": true, "tls.key": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys, and whether they are optional (-want +got):\n%s", diff)
	}
}
