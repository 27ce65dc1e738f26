package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// Three scenarios of sysbench at three numbers of threads on MySQL 9.7, which refuses
// connections without TLS.
func TestSysbenchWithTLSRequired(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	target := strings.Replace(cluster.MySQL, `version: "9.7",`, `version: "9.7", tls: Required,`, 1)
	run := cluster.Apply(t, ns, cluster.RunYAML("tls", target, short+`
  matrix:
  - {name: test, values: [oltp_read_only, oltp_write_only, oltp_read_write]}
  - {name: threads, values: [1, 2, 4]}
`))
	got := cluster.AwaitRun(t, run, 15*time.Minute)
	cluster.Complete(t, got)
	if len(got.Status.Targets) != 1 || got.Status.Targets[0].TLS == nil || !strings.HasPrefix(got.Status.Targets[0].TLS.Version, "TLSv1") {
		t.Errorf("no session of the target was encrypted: %+v", got.Status.Targets)
	}
	if got.Status.Progress.Done != 9 {
		t.Errorf("%d trials, want three scenarios at three numbers of threads", got.Status.Progress.Done)
	}
	for _, trial := range got.Status.Trials {
		res := storedResult(t, ns, trial.Result)
		if res.Server == nil || res.Server.Cipher == "" || res.Server.Variables["require_secure_transport"] != "ON" {
			t.Errorf("trial %d was not measured over TLS: %+v", trial.Index, trial)
		}
		if res.Server != nil && res.Server.StatusDelta["Ssl_finished_accepts"] < 1 {
			t.Errorf("trial %d: the server counted no TLS handshake", trial.Index)
		}
	}
}

// Servers of which each is asked for over TLS, one at a time on one node. The one that
// only prefers it has it too, but takes others as well.
func TestTLSOfEveryServer(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	tests := []struct{ name, mysql, required string }{
		{"mysql80", `flavor: MySQL, version: "8.0", tls: Required`, "ON"},
		{"maria1011", `flavor: MariaDB, version: "10.11", tls: Required`, "ON"},
		{"maria118", `flavor: MariaDB, version: "11.8", tls: Required`, "ON"},
		{"preferred", `flavor: MariaDB, version: "11.8", tls: Preferred`, "OFF"},
	}
	var targets []string
	for _, tt := range tests {
		targets = append(targets, fmt.Sprintf("  - {name: %s, shape: {name: kind-target}, mysql: {%s, storage: {size: 1Gi}}}", tt.name, tt.mysql))
	}
	ns := cluster.Namespace(t)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("tls-all", strings.Join(targets, "\n"),
		"  design: {blocks: 1, warmup: 0s, duration: 2s, idleTargets: Stopped}\n")), 15*time.Minute)
	cluster.Complete(t, got)
	if len(got.Status.Trials) != len(tests) {
		t.Fatalf("%d trials, want one of each server", len(got.Status.Trials))
	}
	for _, trial := range got.Status.Trials {
		i := slices.IndexFunc(got.Status.Targets, func(s v1alpha1.TargetStatus) bool { return s.Name == trial.Target })
		target, tt := got.Status.Targets[i], tests[i]
		if target.TLS == nil || !strings.HasPrefix(target.TLS.Version, "TLSv1.") {
			t.Errorf("target %s: a session has %+v", tt.name, target.TLS)
		}
		res := storedResult(t, ns, trial.Result)
		if res.Server == nil || res.Server.Cipher == "" || res.Server.Variables["require_secure_transport"] != tt.required {
			t.Errorf("target %s was not measured over TLS, or is no server that wants %s: %+v", tt.name, tt.required, res.Trial)
			continue
		}
		// Beside those of the agent there is one for each of the two threads.
		if n := res.Server.StatusDelta["Ssl_finished_accepts"]; n < 2 {
			t.Errorf("target %s: the server counted %v TLS handshakes", tt.name, n)
		}
		t.Logf("%s: %s, %v handshakes", target.ServerVersion, target.TLS, res.Server.StatusDelta["Ssl_finished_accepts"])
	}
}

// The build of MySQL 5.7 that can be had knows TLS 1.1 at most.
func TestTLSThatAServerHasNotEndsTyped(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	target := `  - {name: mysql57, shape: {name: kind-target}, mysql: {flavor: MySQL, version: "5.7", tls: Required, storage: {size: 1Gi}}}`
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("tls57", target, short)), 5*time.Minute)
	failedWith(t, got, string(contract.ReasonInitialisationFailed))
	if text := cluster.Message(got, v1alpha1.ConditionFailed); !strings.Contains(text, "not over TLS 1.2 or later") || !strings.Contains(text, "tls: Disabled") {
		t.Errorf("the message does not say what is wrong and what would be right: %s", text)
	}
}

// A server of somebody else's has no TLS: where it is only preferred, the trial is measured
// without, and says so.
func TestTLSPreferredOnAServerWithout(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	address, secret := hostDatabase(t, ns)
	external := "  - {name: db, external: {host: " + address + ", tls: %s, insecureSkipVerify: true, credentials: {name: " + secret.Name + "}}}"
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("preferred", fmt.Sprintf(external, "Preferred"), shared)), 3*time.Minute)
	cluster.Complete(t, got)
	if got.Status.Targets[0].TLS != nil {
		t.Errorf("a session of a server without TLS has %q", got.Status.Targets[0].TLS)
	}
	res := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0)
	said := slices.ContainsFunc(res.Problems, func(p contract.Problem) bool {
		return p.Source == "server/tls" && strings.Contains(p.Text, "TLS is preferred, but the server does not offer it")
	})
	if !said || res.Server == nil || res.Server.Cipher != "" {
		t.Errorf("the trial does not say that it was measured without TLS: %+v", res.Problems)
	}
}

// storedResult reads a result of a run.
func storedResult(t *testing.T, ns, name string) contract.Result {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

// The server's key is in the Secret of the target, and in no client.
func TestKeyOfTheServerIsInNoClient(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	target := strings.Replace(cluster.MariaDB, `version: "10.11",`, `version: "10.11", tls: Required,`, 1)
	run := cluster.Apply(t, ns, cluster.RunYAML("tls-keys", target, shared+"  retain: Always\n"))
	got := cluster.AwaitRun(t, run, 10*time.Minute)
	cluster.Complete(t, got)
	secret := &corev1.Secret{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.TargetName(run.Name, "mariadb")}, secret); err != nil {
		t.Fatal(err)
	}
	if len(secret.Data[contract.KeyServerKey]) == 0 {
		t.Fatal("the Secret has no key of the server")
	}
	var pods corev1.PodList
	if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleClient}); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) == 0 {
		t.Fatal("no client pod was retained")
	}
	for _, pod := range pods.Items {
		for _, v := range pod.Spec.Volumes {
			if v.Secret == nil {
				continue
			}
			if len(v.Secret.Items) == 0 {
				t.Errorf("pod %s sees the whole Secret", pod.Name)
			}
			for _, item := range v.Secret.Items {
				if item.Key == contract.KeyServerKey {
					t.Errorf("pod %s sees the key of the server", pod.Name)
				}
			}
		}
	}
}
