package benchmarkrun

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// runOn is a run that goes on, and measures on the volume of run first.
func runOn(name string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "uid-0123456789"}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{Name: "first"}}}}}
	run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Retained: &v1alpha1.ResolvedVolume{RunName: "first", ClaimName: "volume", ClaimUID: "uid-volume"}}}}
	return run
}

// usedBy is a volume with this annotation.
func usedBy(user string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "volume", UID: "uid-volume", Annotations: map[string]string{v1alpha1.AnnotationUsedBy: user}}}
}

func fakeAPI(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// A run that gives its nodes back gives up the volumes that it has taken, and no others.
func TestOnlyWhatWasTakenIsGivenUp(t *testing.T) {
	run := runOn("second")
	me := "second/" + string(run.UID) + "/" + contract.TargetName("second", "db")
	younger := usedBy(me)
	younger.UID = "uid-younger"
	tests := map[string]struct {
		claim *corev1.PersistentVolumeClaim
		want  []string
	}{
		"taken":                {usedBy(me), []string{me + "/given-up"}},
		"given up already":     {usedBy(me + "/given-up"), nil},
		"of another run":       {usedBy("third/uid/third-db-db"), nil},
		"another of that name": {younger, nil},
		"gone":                 {nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			known := decision.Known{}.With(decision.Named[*corev1.PersistentVolumeClaim]("volume"), decision.Absent{})
			if tt.claim != nil {
				known = known.With(decision.Named[*corev1.PersistentVolumeClaim]("volume"), tt.claim)
			}
			var got []string
			for _, action := range givenUp(view{World: World{Input: accept.Input{Run: run}}, ask: known.Ask()}) {
				got = append(got, action.(decision.TakeVolume).User.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("given up (-want +got):\n%s", diff)
			}
		})
	}
}

// Who takes a volume stands on it, and who may write into it; nobody takes one that was changed since it was read.
func TestTakingAVolume(t *testing.T) {
	now := time.Date(2026, 11, 27, 20, 0, 0, 0, time.UTC)
	user := resources.VolumeUser{RunName: "second", RunUID: "uid", StatefulSet: "set"}
	for name, tt := range map[string]struct {
		writes, stale bool
		want          map[string]string
	}{
		"it only reads":                {want: map[string]string{v1alpha1.AnnotationUsedBy: user.String()}},
		"it may write":                 {writes: true, want: map[string]string{v1alpha1.AnnotationUsedBy: user.String(), v1alpha1.AnnotationWrittenBy: "second/uid/2026-11-27T20:00:00Z"}},
		"another was faster than this": {stale: true, want: map[string]string{v1alpha1.AnnotationUsedBy: "third"}},
	} {
		t.Run(name, func(t *testing.T) {
			api, claim := fakeAPI(t, usedBy("first")), &corev1.PersistentVolumeClaim{}
			key := client.ObjectKey{Namespace: "ns", Name: "volume"}
			if err := api.Get(t.Context(), key, claim); err != nil {
				t.Fatal(err)
			}
			if tt.stale {
				other := claim.DeepCopy()
				other.Annotations[v1alpha1.AnnotationUsedBy] = "third"
				if err := api.Update(t.Context(), other); err != nil {
					t.Fatal(err)
				}
			}
			var out acted
			if err := (actor{client: api, now: now}).takeVolume(t.Context(), decision.TakeVolume{Volume: claim, User: user, Writes: tt.writes}, &out); err != nil || (out.stopped != nil) != tt.stale {
				t.Errorf("%v, stopped %v", err, out.stopped)
			}
			if err := api.Get(t.Context(), key, claim); err != nil || cmp.Diff(tt.want, claim.Annotations) != "" {
				t.Errorf("%v: %v, want %v", err, claim.Annotations, tt.want)
			}
		})
	}
}

// A run whose time has come stays for as long as another one measures on its volume, or will go on to.
func TestAVolumeThatIsUsedDoesNotExpire(t *testing.T) {
	now := time.Date(2026, 11, 27, 20, 0, 0, 0, time.UTC)
	complete := func(r *v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
		return r
	}
	first := complete(&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "first", UID: "abcdefghij"}})
	first.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{Retain: true}}}}
	first.Spec.TTLSecondsAfterFinished = new(int32(1))
	first.Status.CompletionTime = &metav1.Time{Time: now.Add(-time.Hour)}
	suspended, waits, elsewhere, unlike := runOn("second"), runOn("second"), runOn("second"), runOn("second")
	suspended.Spec.Suspend = true
	waits.Status.Resolved = nil
	elsewhere.Namespace = "other"
	unlike.Spec.Targets[0].MySQL.Storage.FromRun.Name = "third"
	for name, tt := range map[string]struct {
		other *v1alpha1.BenchmarkRun
		stays bool
	}{
		"another measures on it":   {runOn("second"), true},
		"another is suspended":     {suspended, true},
		"another is in the queue":  {waits, true},
		"another has ended":        {complete(runOn("second")), false},
		"another namespace":        {elsewhere, false},
		"on the volume of a third": {unlike, false},
	} {
		t.Run(name, func(t *testing.T) {
			api := fakeAPI(t, first.DeepCopy(), tt.other)
			r := &Reconciler{Client: api, Live: api, Clock: clocktesting.NewFakePassiveClock(now)}
			_, err := r.expire(t.Context(), first.DeepCopy(), snapshots{}, ctrl.Result{})
			if err != nil {
				t.Fatal(err)
			}
			err = api.Get(t.Context(), client.ObjectKeyFromObject(first), &v1alpha1.BenchmarkRun{})
			if gone := apierrors.IsNotFound(err); gone == tt.stays {
				t.Errorf("gone: %v (%v), want that it stays: %v", gone, err, tt.stays)
			}
		})
	}
}
