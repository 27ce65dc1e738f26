package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// Archives and large results of a real run go to a real object store in the cluster: by their digests, before the next trial
// begins, and past nobody but the agents. What was changed there is found.
func TestObjectStore(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	s := startObjectStore(t)
	s.use(t, "")
	ns := cluster.Namespace(t)
	run := cluster.Apply(t, ns, small("stored", 2, "  design: {blocks: 3, warmup: 0s, duration: 4s}\n"))
	seen := watchUploads(t, run)
	got := cluster.AwaitRun(t, run, 6*time.Minute)
	cluster.Complete(t, got)
	checkUploads(t, got, seen())
	got = cluster.AwaitState(t, run, time.Minute, "its report is stored", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Report != nil && r.Status.Report.Reason == v1alpha1.ReasonSucceeded
	})

	folder := t.TempDir()
	s.copyTo(t, folder)
	layout := store.Layout{Prefix: "a/b", Cluster: "kind", Namespace: ns, Run: "stored"}
	objects := filepath.Join(folder, layout.Folder(string(got.UID)))
	if want := "s3://" + bucket + "/" + layout.Folder(string(got.UID)); got.Status.Results.Store != want {
		t.Errorf("the status names %s, want %s", got.Status.Results.Store, want)
	}
	checkObjects(t, got, objects)
	checkVerify(t, s, got, objects)
	t.Run("network", func(t *testing.T) { checkWayToStore(t, s) })
}

// small is a run whose clients leave room for other pods on their node.
func small(name string, clients int, more string) string {
	const shape = "shape: {inline: {cpu: 300m, memory: 256Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}"
	return strings.Replace(cluster.RunYAML(name, "", more), "{shape: {name: kind-client}}", fmt.Sprintf("{count: %d, %s}", clients, shape), 1)
}

// checkObjects: the store has just what the results name, and each object was there before the next trial began.
func checkObjects(t *testing.T, run *v1alpha1.BenchmarkRun, folder string) {
	t.Helper()
	var want []string
	var last time.Time
	for _, rec := range cluster.Records(t, run) {
		var uploaded time.Time
		for _, delivered := range rec.Delivered {
			cm := &corev1.ConfigMap{}
			if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: delivered.ConfigMap}, cm); err != nil {
				t.Fatal(err)
			}
			res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
			if err != nil {
				t.Fatal(err)
			}
			announced, err := contract.ParseUploads(cm.Annotations[contract.AnnotationUploads], 1<<30)
			// The result of a load may be small enough for its ConfigMap.
			if err != nil || len(announced) != 2 && contract.Phase(res.Trial.Phase) == contract.PhaseRun || len(announced) == 0 {
				t.Errorf("%s announced %+v (%v), want its archive and its whole result", delivered.ConfigMap, announced, err)
			}
			checkParsed(t, delivered.ConfigMap, cm, res)
			for _, o := range announced {
				key := store.Within(res.Trial, o)
				want = append(want, key)
				at := checkObject(t, filepath.Join(folder, key), o, res)
				if contract.Phase(res.Trial.Phase) == contract.PhaseRun && at.After(uploaded) {
					uploaded = at
				}
			}
			if start := res.Times.Start; contract.Phase(res.Trial.Phase) == contract.PhaseRun && (start == nil || !last.Before(*start)) {
				t.Errorf("%s began at %v, and an upload of the trial before ended at %s", delivered.ConfigMap, start, last)
			}
		}
		t.Logf("trial %d: the last upload ended at %s", rec.Index, uploaded.Format(time.RFC3339Nano))
		last = uploaded
	}
	want = append(want, checkReport(t, run, folder))
	var have []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			key, err := filepath.Rel(folder, path)
			have = append(have, key)
			return err
		}
		return err
	})
	slices.Sort(want)
	slices.Sort(have)
	if diff := cmp.Diff(want, have); err != nil || diff != "" || len(have) < 2*2*3 {
		t.Errorf("the objects of the run (%v; -want +got):\n%s", err, diff)
	}
}

// checkReport: the store has the page of the run, and its ConfigMap the tables. It returns the key in the folder.
func checkReport(t *testing.T, run *v1alpha1.BenchmarkRun, folder string) string {
	t.Helper()
	report := run.Status.Report
	key := "report/" + report.Page.SHA256 + "-report.html"
	page, err := os.ReadFile(filepath.Join(folder, key))
	if err != nil || contract.Digest(page) != report.Page.SHA256 || int64(len(page)) != report.Page.SizeBytes || report.Page.Object != run.Status.Results.Store+key {
		t.Errorf("the page has %d bytes of SHA-256 %.12s (%v), the status says %+v", len(page), contract.Digest(page), err, report.Page)
	}
	if !strings.Contains(string(page), "<!doctype html>") || !strings.Contains(string(page), "What pins the run") {
		t.Errorf("the page is none of a run: %.200q", page)
	}
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: report.ConfigMap}, cm); err != nil {
		t.Fatal(err)
	}
	if contract.Digest([]byte(cm.Data[contract.KeyReport])) != report.MarkdownSHA256 || !strings.Contains(cm.Data[contract.KeyReport], "## Medians") ||
		contract.Digest([]byte(cm.Data[contract.KeyReportSummary])) != report.SummarySHA256 {
		t.Errorf("ConfigMap %s does not have what the status says:\n%s", cm.Name, cm.Data[contract.KeyReport])
	}
	return key
}

// checkParsed: the ConfigMap has the numbers, and the digests of the rest.
func checkParsed(t *testing.T, name string, cm *corev1.ConfigMap, res contract.Result) {
	t.Helper()
	if n := len(cm.BinaryData[contract.KeyRaw]); n > 0 || res.RawSHA256 == "" {
		t.Errorf("%s has %d bytes of an archive, and names the archive %q", name, n, res.RawSHA256)
	}
	if contract.Phase(res.Trial.Phase) != contract.PhaseRun {
		return
	}
	if res.Whole == nil {
		t.Errorf("%s names no whole result", name)
	}
	if m, ok := res.Find(contract.NameThroughput, nil); !ok || m.Value == nil || *m.Value <= 0 {
		t.Errorf("%s has no throughput", name)
	}
	for _, m := range res.Measurements {
		if len(m.Intervals) > 0 || m.Histogram != nil {
			t.Errorf("%s has intervals or a histogram of %s: they are in the store", name, m.Name)
		}
	}
}

// checkObject is what was announced, and a whole result has what the ConfigMap lacks. It returns when it was written.
func checkObject(t *testing.T, path string, o contract.Object, numbers contract.Result) time.Time {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return time.Time{}
	}
	if contract.Digest(data) != o.SHA256 || int64(len(data)) != o.Bytes {
		t.Errorf("%s has %d bytes of SHA-256 %.12s, announced were %+v", path, len(data), contract.Digest(data), o)
	}
	if o.Name == contract.KeyResult {
		whole, err := contract.Decode(data)
		rich := func(m contract.Measurement) bool { return len(m.Intervals) > 0 || m.Histogram != nil }
		if err != nil || !whole.Trial.SameTrial(numbers.Trial) || numbers.Trial.Phase == string(contract.PhaseRun) && !slices.ContainsFunc(whole.Measurements, rich) {
			t.Errorf("%s is no whole result of %+v: %v", path, numbers.Trial, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// checkVerify: the command finds an object that was changed.
func checkVerify(t *testing.T, s *objectStore, run *v1alpha1.BenchmarkRun, folder string) {
	t.Helper()
	verifyObjects(t, run, folder, exit.OK, "verified")
	inBucket := strings.TrimPrefix(run.Status.Results.Store, "s3://"+bucket+"/")
	change := s.inStore(t, "cd /data/objects/"+bucket+"/"+inBucket+"trial-00001-attempt-0/client-1 && chmod u+w *-raw.tar.gz; printf x >> $(echo *-raw.tar.gz)")
	if out, err := change.CombinedOutput(); err != nil {
		t.Fatalf("changing an object: %v: %s", err, out)
	}
	again := t.TempDir()
	s.copyTo(t, again)
	verifyObjects(t, run, filepath.Join(again, inBucket), exit.Differs, "tampered: object trial-00001-attempt-0/client-1/")
}

// verifyObjects runs the command with a copy of the objects of a run, and says what it printed when that is not as wanted.
func verifyObjects(t *testing.T, run *v1alpha1.BenchmarkRun, folder string, want int, says string) {
	t.Helper()
	var out bytes.Buffer
	args := []string{"verify", run.Name, "-n", run.Namespace, "--objects", folder}
	code := cli.Main(args, &out, &out)
	// The command puts ends of lines between words.
	if text := strings.Join(strings.Fields(out.String()), " "); code != want || !strings.Contains(text, says) {
		t.Errorf("verify ended with %d, want %d with %q:\n%s", code, want, says, out.String())
	}
}

// checkWayToStore: a client reaches the store by its Service, and its pod, and no such server of somebody else.
func checkWayToStore(t *testing.T, s *objectStore) {
	ns := cluster.Namespace(t)
	foreign := &objectStore{ns: cluster.Namespace(t)}
	copySecret(t, s.ns, foreign.ns)
	decoy := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: foreign.ns, Name: "store", Labels: map[string]string{"app": "store"}}, Spec: storePod(t)}
	foreign.create(t, decoy)
	run := cluster.Apply(t, ns, small("reach", 1, "  design: {blocks: 1, warmup: 0s, duration: 60s}\n"))
	cluster.AwaitState(t, run, 4*time.Minute, "measured", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.CurrentTrial != nil })
	pod := podOf(t, ns, "reach", v1alpha1.RoleClient)
	service := s.host() + ":443"
	own, others := net.JoinHostPort(s.pod(t).Status.PodIP, fmt.Sprint(storePort)), net.JoinHostPort(foreign.pod(t).Status.PodIP, fmt.Sprint(storePort))
	metrics := net.JoinHostPort(dnsPod(t).Status.PodIP, "9153")
	attempts := []string{service, own, others, metrics}
	if diff := cmp.Diff(attempts, cluster.Connects(t, unrestricted(t, ns, pod.Spec.NodeName), len(attempts), attempts...)); diff != "" {
		t.Errorf("a pod without a policy, without which the rest proves nothing, connects to (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{service, own}, cluster.Connects(t, pod, 2, attempts...)); diff != "" {
		t.Errorf("a client connects to (-want +got):\n%s", diff)
	}
}

func copySecret(t *testing.T, from, to string) {
	t.Helper()
	secret := &corev1.Secret{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: from, Name: "store"}, secret); err != nil {
		t.Fatal(err)
	}
	secret.ObjectMeta = metav1.ObjectMeta{Namespace: to, Name: "store"}
	if err := cluster.API.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
}
