package show

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/finished"
)

// archive with one file.
func archive(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	files := tar.NewWriter(gz)
	if err := files.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What the tool printed is found by trial, attempt and client, and each thing that is not there is said.
func TestStoredLogs(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "demo", UID: "u"}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "rds", External: &v1alpha1.ExternalTarget{}}}
	run.Spec.Design.OnTrialFailure, run.Spec.Design.MaxRetries = v1alpha1.OnFailureRetry, 2
	run.Status.Plan = &v1alpha1.PlanStatus{TrialCount: 9}
	run.Status.Results = &v1alpha1.ResultsStatus{Store: "s3://bucket/x/"}
	run.Status.Trials = []v1alpha1.TrialStatus{{Index: 6}, {Index: 7, Attempt: 1}}
	var objects []client.Object
	put := func(trial, attempt int32, number int, change func(*corev1.ConfigMap)) {
		cm := &corev1.ConfigMap{ObjectMeta: resources.Meta(run, contract.ResultName(contract.TrialName("demo", trial, attempt), number), nil), BinaryData: map[string][]byte{}, Data: map[string]string{}}
		change(cm)
		objects = append(objects, cm)
	}
	raw := func(text string) func(*corev1.ConfigMap) {
		return func(cm *corev1.ConfigMap) { cm.BinaryData[contract.KeyRaw] = archive(t, "run.stdout", []byte(text)) }
	}
	put(7, 1, 0, raw("of the last attempt\n"))
	put(7, 0, 0, raw("of the first attempt\n"))
	put(2, 0, 0, raw("of trial 2\x1b[2J \xff\n"))
	put(2, 0, 1, raw("of client 1\n"))
	put(3, 0, 0, raw("failed\n"))
	put(3, 1, 0, raw("again\n"))
	put(4, 0, 0, func(cm *corev1.ConfigMap) { cm.Data[contract.KeyLog] = "runner: killed" })
	put(5, 0, 0, func(cm *corev1.ConfigMap) { cm.Annotations = map[string]string{contract.AnnotationUploads: "[]"} })
	put(6, 0, 0, func(*corev1.ConfigMap) {})
	put(8, 0, 0, func(cm *corev1.ConfigMap) { cm.OwnerReferences = nil })
	put(1, 0, 0, func(cm *corev1.ConfigMap) {
		cm.BinaryData[contract.KeyRaw] = archive(t, "big", bytes.Repeat([]byte("x"), maxOutput+1))
	})
	put(0, 0, 0, func(cm *corev1.ConfigMap) { cm.BinaryData[contract.KeyRaw] = []byte("raw") })
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	to := kube.Cluster{API: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(), Namespace: "ns"}
	for name, tt := range map[string]struct {
		l          logs
		says, fail string
	}{
		"the last one":             {logs{trial: -1, attempt: -1}, "==> run.stdout <==\nof the last attempt\n", ""},
		"another attempt":          {logs{trial: 7, attempt: 0}, "of the first attempt\n", ""},
		"an attempt not in status": {logs{trial: 3, attempt: -1}, "again\n", ""},
		"what a tenant printed":    {logs{trial: 2, attempt: -1}, "of trial 2\uFFFD[2J \uFFFD\n", ""},
		"another client":           {logs{trial: 2, attempt: -1, client: 1}, "of client 1\n", ""},
		"one that failed":          {logs{trial: 4, attempt: -1}, "==> log.txt <==\nrunner: killed", ""},
		"in the object store":      {logs{trial: 5, attempt: -1}, "", "in the object store: s3://bucket/x/"},
		"nothing yet":              {logs{trial: 6, attempt: -1}, "", "has no output"},
		"of somebody else":         {logs{trial: 8, attempt: -1}, "", "belongs to another object"},
		"a bomb":                   {logs{trial: 1, attempt: -1}, "", "more than 16 MiB"},
		"no archive":               {logs{trial: 0, attempt: -1}, "", "cannot be read"},
		"no such trial":            {logs{trial: 9, attempt: -1}, "", "has no trial 9"},
		"no such client":           {logs{trial: 2, attempt: -1, client: 5}, "", "no such attempt or client"},
		"no such target":           {logs{trial: -1, target: "x"}, "", `has no target "x"`},
		"a server of others":       {logs{trial: -1, target: "rds"}, "", "is no server that Assay provides"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := tt.l.print(t.Context(), to, run, contract.CleanWriter{To: &out})
			switch {
			case tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)):
				t.Errorf("error %v, want %q", err, tt.fail)
			case tt.fail == "" && (err != nil || !strings.Contains(out.String(), tt.says)):
				t.Errorf("error %v, want %q:\n%s", err, tt.says, out.String())
			}
		})
	}
}

// A bundle has what its run had, and needs no cluster; a server it has not.
func TestLogsOfABundle(t *testing.T) {
	run := finished.New(t, finished.Options{})
	run.Maps["run-trial-00003-result-1"].BinaryData[contract.KeyRaw] = archive(t, "run.stdout", []byte("of client 1\n"))
	path := filepath.Join(t.TempDir(), "run"+bundle.Extension)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Write(t.Context(), run, file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (logs{trial: 3, attempt: -1, client: 1}).ofBundle(t.Context(), path, &out); err != nil || out.String() != "==> run.stdout <==\nof client 1\n" {
		t.Errorf("%v: %s", err, out.String())
	}
	for want, l := range map[string]logs{"which has no server": {trial: -1, target: "a"}, "has no trial 99": {trial: 99}, "no such attempt or client": {trial: 3, attempt: -1, client: 9}} {
		if err := l.ofBundle(t.Context(), path, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// attempts are ConfigMaps of any name, of which few are asked for.
type attempts struct {
	stored.Source
	asked int
}

func (a *attempts) ConfigMap(context.Context, string) (*corev1.ConfigMap, error) {
	if a.asked++; a.asked > 10 {
		return nil, errors.New("it asks for ever")
	}
	return &corev1.ConfigMap{}, nil
}

// An attempt that no run has, as a bundle may say, is taken as it is.
func TestAnAttemptBeyondAll(t *testing.T) {
	for _, attempt := range []int32{math.MaxInt32, 3, -1, math.MinInt32} {
		run := &v1alpha1.BenchmarkRun{}
		run.Spec.Design.OnTrialFailure, run.Spec.Design.MaxRetries = v1alpha1.OnFailureRetry, max(attempt, 3)
		run.Status.Trials = []v1alpha1.TrialStatus{{Attempt: attempt}}
		from := &attempts{}
		if _, got, err := (logs{trial: -1, attempt: -1}).which(t.Context(), from, run); err != nil || got != attempt || from.asked > 0 {
			t.Errorf("attempt %d: got %d after %d questions (%v)", attempt, got, from.asked, err)
		}
	}
}
