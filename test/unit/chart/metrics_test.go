package chart

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// The port, the protocol, the rights and what Prometheus is told belong together.
func TestMetrics(t *testing.T) {
	type facts struct {
		Args, Roles []string
		Port        int32
		Monitor     string
	}
	tests := map[string]struct {
		args []string
		want facts
	}{
		"by default": {nil, facts{
			[]string{"--metrics-bind-address=:8443", "--metrics-secure=true", "--metrics-runs=200", "--metrics-series-per-run=100"},
			[]string{"ClusterRole /assay-manager-metrics", "ClusterRole /assay-metrics-reader"}, 8443, "honorLabels: true|scheme: https|insecureSkipVerify: true",
		}},
		"with a certificate": {[]string{"--set=metrics.certificate.secret=own"}, facts{
			[]string{"--metrics-bind-address=:8443", "--metrics-secure=true", "--metrics-runs=200", "--metrics-series-per-run=100", "--metrics-cert-dir=/etc/assay-metrics"},
			[]string{"ClusterRole /assay-manager-metrics", "ClusterRole /assay-metrics-reader"}, 8443,
			"scheme: https|serverName: assay-manager-metrics.assay-system.svc|name: own, key: ca.crt",
		}},
		"to everybody": {[]string{"--set=metrics.secure=false"}, facts{
			[]string{"--metrics-bind-address=:8080", "--metrics-secure=false", "--metrics-runs=200", "--metrics-series-per-run=100"}, nil, 8080, "port: metrics|honorLabels: true",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := mustHelm(t, append(tt.args, "--set=metrics.serviceMonitor.enabled=true")...)
			spec := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec
			got := facts{Port: find[corev1.Service](t, o, "Service assay-system/assay-manager-metrics").Spec.Ports[0].Port, Monitor: tt.want.Monitor}
			for _, arg := range spec.Containers[0].Args {
				if strings.HasPrefix(arg, "--metrics-") {
					got.Args = append(got.Args, arg)
				}
			}
			for _, key := range o.keys("ClusterRole") {
				if strings.Contains(key, "metrics") {
					got.Roles = append(got.Roles, key)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := spec.Containers[0].Ports[0].ContainerPort; got != tt.want.Port {
				t.Errorf("the container listens on %d", got)
			}
			monitor := string(o["ServiceMonitor assay-system/assay-manager"])
			for part := range strings.SplitSeq(tt.want.Monitor, "|") {
				if !strings.Contains(monitor, part) {
					t.Errorf("the ServiceMonitor lacks %q:\n%s", part, monitor)
				}
			}
			if secure := strings.Contains(monitor, "bearerTokenFile"); secure != (tt.want.Port == 8443) {
				t.Errorf("a token for Prometheus: %v", secure)
			}
			mounted := slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == "own" })
			if mounted != slices.Contains(got.Args, "--metrics-cert-dir=/etc/assay-metrics") {
				t.Errorf("the certificate is mounted: %v", mounted)
			}
		})
	}
}
