package benchmarkrun

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/objectstore"
)

// `kubectl assay verify` with a copy of the objects of a run: one that holds, one that was changed,
// one that is gone, and those of a trial during which the store was away.
func TestVerifyCommandWithObjects(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	startManager(t, ns, nil, withObjects(t, s, "300"))
	inner := withIntervals(10)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Store: s.HTTP(t), Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 2) {
			s.Stop()
			trial.Store.UploadSeconds = 1 // it has to run out; the trials before have patience
		}
		return inner(trial)
	}})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	folder := strings.TrimPrefix(got.Status.Results.Store, "s3://results/")
	objects := s.Path(folder)
	allowReader(t, ns, "reader")
	config := server.Kubeconfig(t, "reader", ns)
	verify := func(want int, says string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		if got := cli.Main(append([]string{"verify", "run", "--kubeconfig", config}, args...), &out, &out); got != want || !strings.Contains(oneLine(out.String()), oneLine(says)) {
			t.Errorf("%v ended with %d, want %d with %q:\n%s", args, got, want, says, out.String())
		}
	}
	verify(exit.OK, "objects: not compared: copy "+got.Status.Results.Store)
	// Archive and result of the load and of two trials; the third trial has lost both.
	verify(exit.OK, "objects: 6 compared, 2 not there as the run has recorded", "--objects", objects)
	verify(exit.Problem, "the copy of the objects (--objects)", "--objects", objects+"/nowhere")
	keys := s.Objects(t)
	i := slices.IndexFunc(keys, func(key string) bool {
		return strings.Contains(key, "trial-00001") && strings.HasSuffix(key, contract.KeyRaw)
	})
	j := slices.IndexFunc(keys, func(key string) bool {
		return strings.Contains(key, "load-") && strings.HasSuffix(key, contract.KeyResult)
	})
	if i < 0 || j < 0 {
		t.Fatalf("the objects are %v", keys)
	}
	data, err := os.ReadFile(s.Path(keys[i]))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(s.Path(keys[i]), data, 0o600); err != nil {
		t.Fatal(err)
	}
	verify(exit.Differs, "tampered: object "+strings.TrimPrefix(keys[i], folder)+": it has the SHA-256", "--objects", objects)
	if err := os.WriteFile(s.Path(keys[i]), flippedBack(data), 0o600); err != nil {
		t.Fatal(err)
	}
	verify(exit.OK, "verified", "--objects", objects)
	if err := os.Remove(s.Path(keys[j])); err != nil {
		t.Fatal(err)
	}
	verify(exit.Differs, "lost: object "+strings.TrimPrefix(keys[j], folder)+": it is not there", "--objects", objects)
}

func flippedBack(data []byte) []byte {
	data[len(data)/2] ^= 1
	return data
}
