package benchmarkrun

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/cluster/cached"
)

// snapshotsResource is that of VolumeSnapshots, as the API server names it.
var snapshotsResource = schema.GroupResource{Group: "snapshot.storage.k8s.io", Resource: "volumesnapshots"}

// loadedRun is a run that is complete, and of whose volume a VolumeSnapshot is to be made.
func loadedRun() *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "first", UID: "0123456789abcdef"}}
	run.Spec.Targets = []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{
		Flavor: "MySQL", StorageEngine: "InnoDB", Storage: v1alpha1.Storage{Snapshot: &v1alpha1.MadeSnapshot{Name: "tables"}},
	}}}
	run.Status.Resolved = &v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{Name: "db", Image: "mysql:8.4"}}}
	run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", LoadResult: "loaded", ImageID: "mysql@sha256:feed",
		Data: &v1alpha1.TargetData{Origin: v1alpha1.DataOriginLoaded, MadeTime: metav1.Time{Time: time.Unix(1000, 0)}}}}
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
	run.Status.CompletionTime = &metav1.Time{Time: time.Unix(5000, 0)}
	return run
}

// makingAPI has the volume of such a run and no server. VolumeSnapshots are read and created with these errors; nil for none of that name, and
// for one that is made.
func makingAPI(t *testing.T, read, create error) client.Client {
	t.Helper()
	return interceptor.NewClient(fakeAPI(t, volumeOfDB(loadedRun()).Claim()).(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			switch obj.(type) {
			case *unstructured.Unstructured:
				if read != nil {
					return read
				}
				return apierrors.NewNotFound(snapshotsResource, key.Name)
			case *appsv1.StatefulSet:
				return apierrors.NewNotFound(schema.GroupResource{Group: "apps", Resource: "statefulsets"}, key.Name)
			}
			return api.Get(ctx, key, obj, opts...)
		},
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return create },
	})
}

// makerAt a time.
func makerAt(api client.Client, now time.Time) snapshotMaker {
	return snapshotMaker{&Reconciler{Client: api, Live: api, Clock: clocktesting.NewFakePassiveClock(now)}}
}

// What the API server answers keeps the volume, and stands in the status: a webhook that somebody can mend may answer anything.
func TestWhatStandsInTheWayOfASnapshot(t *testing.T) {
	away := apierrors.NewInternalError(errors.New("not now"))
	quota := apierrors.NewForbidden(snapshotsResource, "tables", errors.New("exceeded quota"))
	policy := apierrors.NewForbidden(snapshotsResource, "tables", errors.New("no class"))
	policy.ErrStatus.Reason, policy.ErrStatus.Code = metav1.StatusReasonInvalid, 422 // as a ValidatingAdmissionPolicy refuses by default
	policy.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "no class"}}
	webhook := apierrors.NewInvalid(schema.GroupKind{Group: snapshotsResource.Group, Kind: "VolumeSnapshot"}, "tables", field.ErrorList{field.Required(field.NewPath("metadata", "labels"), "team")})
	tests := map[string]struct {
		read, create error
		keeps, fails bool
		later        time.Duration
		// says is the beginning of it, and remedy the end.
		says, remedy string
	}{
		"it is made":         {keeps: true, later: snapshotPoll},
		"it was made before": {create: apierrors.NewAlreadyExists(snapshotsResource, "tables"), keeps: true, later: snapshotPoll},
		"the API is away":    {read: away, keeps: true, fails: true, later: snapshotRetry, says: "reading VolumeSnapshot tables: "},
		"no right to look":   {read: quota, keeps: true, later: snapshotRetry, says: "the manager may not use VolumeSnapshots ("},
		"no right, at length": {read: apierrors.NewForbidden(snapshotsResource, "tables", errors.New(strings.Repeat("why ", 500))), keeps: true, later: snapshotRetry,
			says: "the manager may not use VolumeSnapshots (", remedy: "): give it the rights of the chart"},
		"a quota":                {create: quota, keeps: true, later: snapshotRetry, says: "VolumeSnapshot tables cannot be made: "},
		"a policy":               {create: policy, keeps: true, later: snapshotRetry, says: "VolumeSnapshot tables cannot be made: "},
		"not taken for a moment": {create: away, keeps: true, later: snapshotRetry, says: "VolumeSnapshot tables cannot be made: "},
		"a webhook's fields":     {create: webhook, keeps: true, later: snapshotRetry, says: "VolumeSnapshot tables cannot be made: "},
		"an answer without end":  {create: errors.New(strings.Repeat("ö", 3000)), keeps: true, later: snapshotRetry, says: "VolumeSnapshot tables cannot be made: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			api := makingAPI(t, tt.read, tt.create)
			before, after := loadedRun(), loadedRun()
			got := makerAt(api, time.Unix(6000, 0)).next(t.Context(), after)
			var keep []string
			if tt.keeps {
				keep = []string{volumeOfDB(before).ClaimName()}
			}
			if diff := cmp.Diff(keep, got.keep); diff != "" || got.later != tt.later || (got.err != nil) != tt.fails {
				t.Errorf("later %s, error %v, claims that stay (-want +got):\n%s", got.later, got.err, diff)
			}
			said := after.TargetStatus("db").SnapshotMessage
			if !strings.HasPrefix(said, tt.says) || !strings.HasSuffix(said, tt.remedy) || (said == "") != (tt.says == "") || len(said) > 1024 {
				t.Errorf("the status says %q (%d bytes), want %q", said, len(said), tt.says)
			}
			checkAnnounced(t, before, after, got, said)
		})
	}
}

// checkAnnounced: what stands in the way is told once, in an event that the API server takes.
func checkAnnounced(t *testing.T, before, after *v1alpha1.BenchmarkRun, waits snapshots, says string) {
	t.Helper()
	to := events.NewFakeRecorder(10)
	announceSnapshots(to, before, after, waits)
	announceSnapshots(to, after, after, waits)
	close(to.Events)
	var told []string
	for event := range to.Events {
		note, is := strings.CutPrefix(event, "Warning VolumeSnapshotNotMade ")
		if !is || !strings.HasPrefix(note, "target db: "+says) || len(note) > 1024 {
			t.Errorf("told %q (%d bytes)", event, len(note))
		}
		told = append(told, note)
	}
	want := 1
	if says == "" {
		want = 0
	}
	if len(told) != want {
		t.Errorf("%d events, want %d", len(told), want)
	}
}

// What is only waited for stands in the status, and is no warning.
func TestWaitingIsNoWarning(t *testing.T) {
	api := interceptor.NewClient(makingAPI(t, nil, nil).(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, is := obj.(*corev1.Pod); is { // that of the server is still there
				return nil
			}
			return api.Get(ctx, key, obj, opts...)
		},
	})
	before, after := loadedRun(), loadedRun()
	got := makerAt(api, time.Unix(6000, 0)).next(t.Context(), after)
	const want = "VolumeSnapshot tables waits until the server of target db is gone: "
	if said := after.TargetStatus("db").SnapshotMessage; !strings.HasPrefix(said, want) || got.later != snapshotRetry {
		t.Errorf("the status says %q, later %s", said, got.later)
	}
	checkAnnounced(t, before, after, got, "")
}

// A volume that nobody has any more is no reason to look for ever.
func TestNoSnapshotOfAVolumeThatIsGone(t *testing.T) {
	api := makingAPI(t, nil, nil)
	if err := api.Delete(t.Context(), &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: volumeOfDB(loadedRun()).ClaimName()}}); err != nil {
		t.Fatal(err)
	}
	const want = "VolumeSnapshot tables cannot be made: the volume was deleted"
	for _, before := range []string{"", "VolumeSnapshot tables cannot be made: exceeded quota", want} {
		run := loadedRun()
		run.Status.Targets[0].SnapshotMessage = before
		maker := makerAt(api, time.Unix(6000, 0))
		maker.snapshotSaid.Store(toldOf{run.UID, "db"}, time.Unix(5999, 0))
		got := maker.next(t.Context(), run)
		if len(got.keep) > 0 || got.later != 0 || got.err != nil {
			t.Errorf("%+v", got)
		}
		st := run.TargetStatus("db")
		if st.SnapshotMessage != want || !st.SnapshotOver {
			t.Errorf("the status says %q, over: %v", st.SnapshotMessage, st.SnapshotOver)
		}
	}
}

// A status that was not saved keeps each volume whose VolumeSnapshot the saved one does not name.
func TestVolumesThatAreAwaited(t *testing.T) {
	run := loadedRun()
	want := snapshots{keep: []string{volumeOfDB(run).ClaimName()}, later: snapshotPoll}
	if diff := cmp.Diff(want, awaited(run), cmp.AllowUnexported(snapshots{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	run.Status.Targets[0].Snapshot = &v1alpha1.SnapshotStatus{Name: "tables"}
	if diff := cmp.Diff(snapshots{}, awaited(run), cmp.AllowUnexported(snapshots{})); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
}

// Other words for what stands in the way are said once a minute at most. That nothing does any more is said at once.
func TestWhatStandsInTheWayIsSteady(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Unix(6000, 0))
	m := snapshotMaker{&Reconciler{Clock: clock}}
	for i, step := range []struct {
		after         time.Duration
		was, is, want string
	}{
		{0, "", "request 1 failed", "request 1 failed"},
		{time.Second, "request 1 failed", "request 2 failed", "request 1 failed"},
		{time.Second, "request 1 failed", "request 1 failed", "request 1 failed"},
		{snapshotRetry, "request 1 failed", "request 3 failed", "request 3 failed"},
		{time.Second, "request 3 failed", "request 4 failed", "request 3 failed"},
		{time.Second, "request 3 failed", "", ""},
		{time.Second, "", "request 5 failed", "request 5 failed"},
	} {
		clock.SetTime(clock.Now().Add(step.after))
		if got := m.steady(toldOf{"uid", "db"}, step.was, step.is); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	if got := m.steady(toldOf{"uid", "more"}, "request 1 failed", "request 2 failed"); got != "request 2 failed" {
		t.Errorf("of another target: %q", got)
	}
	m.forgetSaid("uid")
	if got := m.steady(toldOf{"uid", "db"}, "request 1 failed", "request 2 failed"); got != "request 2 failed" {
		t.Errorf("after the run has gone: %q", got)
	}
}

// The reader names a run that is to make a VolumeSnapshot before this one, of its namespace.
func TestWhoMakesASnapshotBefore(t *testing.T) {
	me := loadedRun()
	me.Name, me.UID = "me", "uid-me"
	me.CreationTimestamp.Time = time.Unix(9000, 0)
	elsewhere, made, over, fresh := loadedRun(), loadedRun(), loadedRun(), loadedRun()
	elsewhere.Namespace = "other"
	made.Status.Targets[0].Snapshot = &v1alpha1.SnapshotStatus{Name: "tables"}
	over.Status.Targets[0].SnapshotOver = true
	fresh.Status = v1alpha1.BenchmarkRunStatus{}
	for name, tt := range map[string]struct {
		there *v1alpha1.BenchmarkRun
		want  any
	}{
		"another run":       {loadedRun(), decision.Maker{Run: "first", Accepted: true}},
		"it has made it":    {made, decision.Absent{}},
		"it gave it up":     {over, decision.Absent{}},
		"not accepted yet":  {fresh, decision.Maker{Run: "first"}},
		"another namespace": {elsewhere, decision.Absent{}},
	} {
		slim := cached.Options("").ByObject
		for kind, by := range slim { // the reader lists runs in the cache
			if _, is := kind.(*v1alpha1.BenchmarkRun); is {
				if _, err := by.Transform(tt.there); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := makerBefore(t.Context(), fakeAPI(t, me.DeepCopy(), tt.there), me, "tables")
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, tt.want)
		}
	}
}

// Of several that are not accepted, the reader names the same one with each look, whatever the order of the cache is.
func TestWhoMakesASnapshotBeforeIsSteady(t *testing.T) {
	me := loadedRun()
	me.Name, me.UID = "me", "uid-me"
	me.CreationTimestamp.Time = time.Unix(9000, 0)
	var older []v1alpha1.BenchmarkRun
	for _, name := range []string{"b", "a", "c"} {
		run := loadedRun()
		run.Name, run.UID, run.Status = name, types.UID("uid-"+name), v1alpha1.BenchmarkRunStatus{}
		older = append(older, *run)
	}
	cache := interceptor.NewClient(fakeAPI(t).(client.WithWatch), interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			list.(*v1alpha1.BenchmarkRunList).Items = older
			return nil
		},
	})
	want := decision.Maker{Run: "a"}
	if got, err := makerBefore(t.Context(), cache, me, "tables"); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	older[2].Status.Resolved, want = &v1alpha1.Resolved{}, decision.Maker{Run: "c", Accepted: true}
	if got, err := makerBefore(t.Context(), cache, me, "tables"); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// A run whose time has come waits for its VolumeSnapshots, but not for ever.
func TestARunExpiresWithoutItsSnapshotInTheEnd(t *testing.T) {
	ended := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	waits := snapshots{keep: []string{"volume"}, later: snapshotRetry}
	for name, tt := range map[string]struct {
		waits snapshots
		now   time.Time
		stays bool
	}{
		"nothing is awaited":        {snapshots{}, ended.Add(2 * time.Minute), false},
		"before its time":           {snapshots{}, ended.Add(30 * time.Second), true},
		"it waits":                  {waits, ended.Add(2 * time.Minute), true},
		"it waits for a week":       {waits, ended.Add(snapshotLongest), true},
		"it has waited long enough": {waits, ended.Add(snapshotLongest + 2*time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			run := loadedRun()
			run.Spec.TTLSecondsAfterFinished, run.Status.CompletionTime = new(int32(60)), &metav1.Time{Time: ended}
			api := fakeAPI(t, run.DeepCopy())
			r := &Reconciler{Client: api, Live: api, Clock: clocktesting.NewFakePassiveClock(tt.now)}
			res, err := r.expire(t.Context(), run, tt.waits, ctrl.Result{})
			if err != nil {
				t.Fatal(err)
			}
			err = api.Get(t.Context(), client.ObjectKeyFromObject(run), &v1alpha1.BenchmarkRun{})
			if gone := apierrors.IsNotFound(err); gone == tt.stays || tt.stays != (res.RequeueAfter > 0) {
				t.Errorf("gone: %v (%v), again in %s; want that it stays: %v", gone, err, res.RequeueAfter, tt.stays)
			}
		})
	}
}
