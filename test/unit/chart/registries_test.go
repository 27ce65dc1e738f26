package chart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/assay-bench/assay/internal/ground/config"
)

const registries = `--set-json=registries.ask=[{"host":"docker.io","hosts":["auth.docker.io"]},{"host":"registry.example.com:5000","secret":"login"},{"host":"local","plainHTTP":true}]`

// The chart names no registry, and gives the manager those of the administrator, with the Secret of each.
func TestRegistries(t *testing.T) {
	if got := configOf(t, mustHelm(t)).Registries; len(got.Ask) != 0 {
		t.Errorf("by default it asks %+v", got)
	}
	const rule = `--set-json=registries.egress=[{"ports":[{"port":5000}]}]`
	o := mustHelm(t, registries, rule, "--set=networkPolicy.enabled=true,networkPolicy.egress=Restricted,registries.timeout=7s")
	want := config.Default().Registries
	want.Timeout.Duration = 7e9
	want.Ask = []config.Registry{
		{Host: "docker.io", Hosts: []string{"auth.docker.io"}},
		{Host: "registry.example.com:5000", Credentials: "/etc/assay-registries/1"},
		{Host: "local", PlainHTTP: true},
	}
	if diff := cmp.Diff(want, configOf(t, o).Registries); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	pod, found := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec, ""
	for _, m := range pod.Containers[0].VolumeMounts {
		for _, v := range pod.Volumes {
			if v.Name == m.Name && v.Secret != nil && strings.HasPrefix(m.MountPath, "/etc/assay-registries/") {
				found += m.MountPath + " " + v.Secret.SecretName
			}
		}
	}
	if found != "/etc/assay-registries/1 login" {
		t.Errorf("Secrets: %q", found)
	}
	policy := find[networkingv1.NetworkPolicy](t, o, "NetworkPolicy assay-system/assay-manager").Spec
	if last := policy.Egress[len(policy.Egress)-1].Ports; len(last) != 1 || last[0].Port.IntValue() != 5000 {
		t.Errorf("egress: %+v", policy.Egress)
	}
}

func TestRegistryRefusals(t *testing.T) {
	for name, tt := range map[string]struct{ set, want string }{
		"an address":                {"--set=registries.ask[0].host=https://a", "/registries/ask/0/host"},
		"no host":                   {"--set-json=registries.ask=[{}]", "missing property 'host'"},
		"a field that nobody knows": {"--set=registries.ask[0].insecure=true", "'insecure' not allowed"},
		"another address of tokens": {"--set=registries.ask[0].hosts={a/b}", "/registries/ask/0/hosts/0"},
		"too many":                  {`--set-json=registries.ask=[` + strings.Repeat(`{"host":"a"},`, 16) + `{"host":"b"}]`, "/registries/ask"},
		"egress that nobody said":   {"--set=networkPolicy.egress=Restricted", "needs registries.egress"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := helm(t, registries, tt.set)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("error %v, want one with %q; output:\n%.500s", err, tt.want, out)
			}
		})
	}
}
