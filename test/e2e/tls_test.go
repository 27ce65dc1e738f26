package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/result"
)

// Three scenarios of sysbench at three numbers of threads on MySQL 9.7, which refuses
// connections without TLS.
func TestSysbenchWithTLSRequired(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := newNamespace(t)
	target := strings.Replace(mysql, `version: "9.7",`, `version: "9.7", tls: Required,`, 1)
	run := apply(t, ns, runYAML("tls", target, short+`
  matrix:
  - {name: test, values: [oltp_read_only, oltp_write_only, oltp_read_write]}
  - {name: threads, values: [1, 2, 4]}
`))
	got := awaitRun(t, run, 15*time.Minute)
	complete(t, got)
	if len(got.Status.Targets) != 1 || !strings.HasPrefix(got.Status.Targets[0].TLS, "TLSv1") {
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

// storedResult reads a result of a run.
func storedResult(t *testing.T, ns, name string) result.Result {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, cm); err != nil {
		t.Fatal(err)
	}
	res, err := result.Decode(cm.BinaryData[result.KeyResult])
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
	ns := newNamespace(t)
	target := strings.Replace(mariadb, `version: "10.11",`, `version: "10.11", tls: Required,`, 1)
	run := apply(t, ns, runYAML("tls-keys", target, shared+"  retain: Always\n"))
	got := awaitRun(t, run, 10*time.Minute)
	complete(t, got)
	secret := &corev1.Secret{}
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: v1alpha1.TargetName(run.Name, "mariadb")}, secret); err != nil {
		t.Fatal(err)
	}
	if len(secret.Data[v1alpha1.KeyServerKey]) == 0 {
		t.Fatal("the Secret has no key of the server")
	}
	var pods corev1.PodList
	if err := api.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleClient}); err != nil {
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
				if item.Key == v1alpha1.KeyServerKey {
					t.Errorf("pod %s sees the key of the server", pod.Name)
				}
			}
		}
	}
}
