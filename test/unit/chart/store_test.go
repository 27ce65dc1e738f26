package chart

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// Values of a store that works.
var goodStore = []string{"--set=results.store.endpoint=https://s3.example.com,results.store.bucket=results,results.store.credentialsSecret=keys"}

// The chart gives the manager its store: the configuration, which the manager takes, and the
// Secret where it looks for it.
func TestStore(t *testing.T) {
	o := mustHelm(t, append(goodStore, "--set=results.store.prefix=a/b", "--set-json=results.store.egress=[{\"ports\":[{\"port\":7070}]}]")...)
	s := configOf(t, o).Results.Store
	if s.Endpoint != "https://s3.example.com" || s.Bucket != "results" || s.Prefix != "a/b" || len(s.Egress) != 1 {
		t.Errorf("the store is %+v", s)
	}
	pod := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec
	mounted := map[string]string{}
	for _, m := range pod.Containers[0].VolumeMounts {
		mounted[m.Name] = m.MountPath
	}
	for _, v := range pod.Volumes {
		if v.Secret != nil && v.Secret.SecretName == "keys" && mounted[v.Name] == s.Credentials {
			return
		}
	}
	t.Errorf("the Secret is not at %s: %+v", s.Credentials, pod.Volumes)
}

func TestStoreRefusals(t *testing.T) {
	tests := map[string]struct{ set, want string }{
		"no server":                    {"endpoint=", "results.store.endpoint is missing"},
		"no bucket":                    {"bucket=", "results.store.bucket is missing"},
		"no Secret":                    {"credentialsSecret=", "results.store.credentialsSecret is missing"},
		"no scheme":                    {"endpoint=s3.example.com", "/results/store/endpoint"},
		"another scheme":               {"endpoint=s3://results", "/results/store/endpoint"},
		"a path":                       {"endpoint=https://example.com/s3", "/results/store/endpoint"},
		"a query":                      {"endpoint=https://example.com?a=b", "/results/store/endpoint"},
		"a password":                   {"endpoint=https://a:b@example.com", "/results/store/endpoint"},
		"a bucket that is a path":      {"bucket=a/b", "/results/store/bucket"},
		"no region":                    {"region=", "/results/store/region"},
		"a prefix that leaves":         {"prefix=a/../b", "/results/store/prefix"},
		"a prefix with a slash behind": {"prefix=a/", "/results/store/prefix"},
		"a cluster that is a path":     {"cluster=a/b", "/results/store/cluster"},
		"a size that is none":          {"over=much", "/results/store/over"},
		"objects without a size":       {"maxObject=much", "/results/store/maxObject"},
		"a style that is none":         {"pathStyle=maybe", "/results/store/pathStyle"},
		"a value that nobody knows":    {"buckets=a", "'buckets' not allowed"},
		"a rule that is none":          {"egress[0].form=a", "'form' not allowed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := helm(t, append(goodStore, "--set-string=results.store."+tt.set)...)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("error %v, want one with %q; output:\n%.500s", err, tt.want, out)
			}
		})
	}
}
