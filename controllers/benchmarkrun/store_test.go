package benchmarkrun

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/objectstore"
)

// withObjects is a manager with an object store.
func withObjects(t *testing.T, s *objectstore.Server, over string) func(*Reconciler) {
	t.Helper()
	return func(r *Reconciler) {
		r.Config.Results.Store = s.Store
		r.Config.Results.Store.Over = resource.MustParse(over)
		r.Config.Timeouts.Upload.Duration = hang.Limit
		r.Store = s.Client(t)
	}
}

// withIntervals are results with a series: every second half a million operations.
func withIntervals(n int) kubelet.Client {
	plain := delivers(always(5))
	return func(trial contract.Trial) *contract.Result {
		res := plain(trial)
		for i := range res.Measurements {
			for s := range n {
				res.Measurements[i].Intervals = append(res.Measurements[i].Intervals, contract.Interval{AtSeconds: float64(s + 1), Value: new(5 + float64(s%7)/1000)})
			}
		}
		return res
	}
}

// A run whose archives and results go to an object store: the numbers are where they always
// are, and the store has every archive under the UID of the run and the attempt.
func TestResultsGoToTheStore(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	startManager(t, ns, nil, withObjects(t, s, "300"))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: withIntervals(10), Store: s.HTTP(t)})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	folder := fmt.Sprintf("assay/default/%s/run/%s/", ns, got.UID)
	if got.Status.Results.Store != "s3://results/"+folder {
		t.Errorf("the status says %q", got.Status.Results.Store)
	}
	want := []string{"load-db raw.tar.gz", "load-db result.json.gz"}
	for i := range 3 {
		for _, name := range []string{contract.KeyRaw, contract.KeyResult} {
			want = append(want, fmt.Sprintf("trial-%05d-attempt-0 %s", i, name))
		}
	}
	if diff := cmp.Diff(want, objectsIn(t, s, folder)); diff != "" {
		t.Errorf("the objects (-want +got):\n%s", diff)
	}
	if e := got.Status.Summary[0]; e.Median != "5" || e.TrialCount != 3 {
		t.Errorf("summary %+v", e)
	}
	if lost := findingsOf(got, "archive-lost"); len(lost) > 0 {
		t.Errorf("findings %+v", lost)
	}
	checkNamedSecrets(t, ns)
}

// objectsIn a folder of the store: the execution and the name of each.
func objectsIn(t *testing.T, s *objectstore.Server, folder string) []string {
	t.Helper()
	var out []string
	for _, key := range s.Objects(t) {
		parts := strings.Split(strings.TrimPrefix(key, folder), "/")
		if !strings.HasPrefix(key, folder) || len(parts) != 3 || parts[1] != "client-0" {
			t.Errorf("an object elsewhere: %s", key)
			continue
		}
		digest, name, _ := strings.Cut(parts[2], "-")
		data, err := os.ReadFile(s.Path(key))
		if err != nil || contract.Digest(data) != digest {
			t.Errorf("%s holds another content (%v)", key, err)
		}
		out = append(out, parts[0]+" "+name)
	}
	slices.Sort(out)
	return out
}

func findingsOf(run *v1alpha1.BenchmarkRun, check string) []v1alpha1.Finding {
	return slices.DeleteFunc(slices.Clone(run.Status.Findings), func(f v1alpha1.Finding) bool { return f.Check != check })
}

// checkNamedSecrets: the clients may read the Secrets of the last execution by name, and no other.
func checkNamedSecrets(t *testing.T, ns string) {
	t.Helper()
	var roles rbacv1.RoleList
	if err := server.API.List(t.Context(), &roles, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	for _, role := range roles.Items {
		for _, rule := range role.Rules {
			if slices.Contains(rule.Resources, "secrets") && !cmp.Equal(rule.ResourceNames, []string{"run-trial-00002-upload-0"}) {
				t.Errorf("Role %s: %+v", role.Name, rule)
			}
		}
	}
}

// A store that is away for a moment delays a trial; one that stays away loses the archive, and
// the numbers stay.
func TestTheStoreIsAway(t *testing.T) {
	for name, tt := range map[string]struct {
		back bool
		lost int
	}{
		"for a moment": {back: true},
		"for good":     {lost: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns, s := server.Namespace(t), objectstore.Start(t)
			startManager(t, ns, nil, withObjects(t, s, "300"))
			inner := withIntervals(10)
			k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Store: s.HTTP(t), Client: func(trial contract.Trial) *contract.Result {
				if isTrial(trial, 1) {
					s.Stop()
					if tt.back {
						time.AfterFunc(500*time.Millisecond, func() { s.Resume(t) })
					}
				}
				if !tt.back && (isTrial(trial, 1) || isTrial(trial, 2)) {
					trial.Store.UploadSeconds = 1 // it has to run out; the trials before have patience
				}
				return inner(trial)
			}})
			run := newRun(t, ns)
			create(t, run)
			got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
			checkOnce(t, k, got, 3)
			lost := findingsOf(got, "archive-lost")
			if len(lost) != tt.lost {
				t.Errorf("%d findings, want %d: %+v", len(lost), tt.lost, lost)
			}
			for _, f := range lost {
				if f.Severity != v1alpha1.SeverityWarning || !strings.Contains(f.Message, "not in the object store") || strings.Contains(f.Message, "X-Amz-Signature") {
					t.Errorf("finding %+v", f)
				}
			}
			if e := got.Status.Summary[0]; e.Median != "5" || e.TrialCount != 3 || !isTrue(v1alpha1.ConditionValid)(got) {
				t.Errorf("the numbers depend on the store: %+v", e)
			}
		})
	}
}

// A client whose upload was not what it announced has lost it, also when it says otherwise.
func TestAnUploadThatIsMissingIsFound(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	startManager(t, ns, nil, withObjects(t, s, "1Mi"))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Store: &http.Client{Transport: nothing{}}, Client: delivers(always(5))})
	run := newRun(t, ns)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	lost := findingsOf(got, "archive-lost")
	if len(lost) != 4 || !strings.Contains(lost[0].Message, "the object store has no ") {
		t.Errorf("findings %+v", lost)
	}
}

// nothing answers every request well, and sends none.
type nothing struct{}

func (nothing) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Body: http.NoBody, Request: r}, nil
}
