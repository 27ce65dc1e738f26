package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/assay-bench/assay/internal/ground/config"
)

const receivers = `--set-json=notifications.receivers=[
  {"name":"ci","url":"https://ci.example.com/assay?a=b","secret":"assay-ci","namespaces":["team-*"],"types":["gate.failed"]},
  {"name":"chat","secret":"assay-chat"},
  {"name":"bus","url":"http://bus.events.svc:8080","unsigned":true}]`

// The chart gives the manager its receivers, and the Secret of each where it looks for it.
func TestNotifications(t *testing.T) {
	o := mustHelm(t, receivers, "--set=notifications.source=https://cluster-1.example.com,notifications.giveUpAfter=1h")
	got := configOf(t, o).Notifications
	want := config.Default().Notifications
	want.Source, want.GiveUpAfter.Duration = "https://cluster-1.example.com", time.Hour
	want.Receivers = []config.Receiver{
		{Name: "ci", URL: "https://ci.example.com/assay?a=b", Credentials: "/etc/assay-notifications/ci", Namespaces: []string{"team-*"}, Types: []string{"gate.failed"}},
		{Name: "chat", Credentials: "/etc/assay-notifications/chat"},
		{Name: "bus", URL: "http://bus.events.svc:8080", Unsigned: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	pod := find[appsv1.Deployment](t, o, deployment).Spec.Template.Spec
	secrets := map[string]string{}
	for _, v := range pod.Volumes {
		if v.Secret != nil {
			secrets[v.Name] = v.Secret.SecretName
		}
	}
	mounted := map[string]string{}
	for _, m := range pod.Containers[0].VolumeMounts {
		if secret, is := secrets[m.Name]; is {
			mounted[m.MountPath] = secret
		}
	}
	if diff := cmp.Diff(map[string]string{"/etc/assay-notifications/ci": "assay-ci", "/etc/assay-notifications/chat": "assay-chat"}, mounted); diff != "" {
		t.Errorf("Secrets (-want +got):\n%s", diff)
	}
}

func TestNotificationRefusals(t *testing.T) {
	const one = `--set-json=notifications.receivers=[{"name":"ci","url":"https://ci.example.com","secret":"s"}]`
	many := `--set-json=notifications.receivers=[` + strings.Repeat(`{"name":"a","url":"https://a","secret":"s"},`, 16) + `{"name":"b","url":"https://a","secret":"s"}]`
	tests := map[string]struct{ set, want string }{
		"no name":                     {"--set-json=notifications.receivers=[{}]", "missing property 'name'"},
		"a name that is a path":       {"--set=notifications.receivers[0].name=../a", "/notifications/receivers/0/name"},
		"another scheme":              {"--set=notifications.receivers[0].url=file:///etc/passwd", "/notifications/receivers/0/url"},
		"a password":                  {"--set=notifications.receivers[0].url=https://a:b@c", "/notifications/receivers/0/url"},
		"no Secret":                   {"--set=notifications.receivers[0].secret=", "ci has no secret"},
		"no address":                  {`--set-json=notifications.receivers=[{"name":"ci","unsigned":true}]`, "ci has no url"},
		"an event that is none":       {"--set=notifications.receivers[0].types={run.begun}", "/notifications/receivers/0/types/0"},
		"a field that nobody knows":   {"--set=notifications.receivers[0].uri=a", "'uri' not allowed"},
		"a value that nobody knows":   {"--set=notifications.retries=3", "'retries' not allowed"},
		"a source that is no prefix":  {"--set=notifications.source=https://a/", "/notifications/source"},
		"too many":                    {many, "/notifications/receivers"},
		"egress that nobody said":     {"--set=networkPolicy.egress=Restricted", "needs notifications.egress"},
		"egress of a store, likewise": {"--set=networkPolicy.egress=Restricted,notifications.receivers=null,results.store.endpoint=https://s3,results.store.bucket=b,results.store.credentialsSecret=k", "needs results.store.egress"},
		"egress in another word":      {"--set=networkPolicy.egress=Closed", "/networkPolicy/egress"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := helm(t, one, tt.set)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("error %v, want one with %q; output:\n%.500s", err, tt.want, out)
			}
		})
	}
}

// A restricted manager reaches what it needs, and the receivers only where there are some.
func TestEgressOfTheManager(t *testing.T) {
	const rule = `--set-json=notifications.egress=[{"ports":[{"port":8443}]}]`
	ports := func(args ...string) string {
		o := mustHelm(t, append(args, "--set=networkPolicy.enabled=true")...)
		policy := find[networkingv1.NetworkPolicy](t, o, "NetworkPolicy assay-system/assay-manager").Spec
		if restricted := slices.Contains(policy.PolicyTypes, networkingv1.PolicyTypeEgress); !restricted {
			return "everything"
		}
		var out []string
		for _, e := range policy.Egress {
			for _, p := range e.Ports {
				out = append(out, p.Port.String())
			}
		}
		return fmt.Sprint(out)
	}
	restricted := "--set=networkPolicy.egress=Restricted"
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"by default":                 {nil, "everything"},
		"restricted":                 {[]string{restricted, rule}, "[53 53 443 6443]"},
		"restricted, with receivers": {[]string{restricted, rule, receivers}, "[53 53 443 6443 8443]"},
		"restricted, with a store":   {append([]string{restricted, `--set-json=results.store.egress=[{"ports":[{"port":7070}]}]`}, goodStore...), "[53 53 443 6443 7070]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ports(tt.args...); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
