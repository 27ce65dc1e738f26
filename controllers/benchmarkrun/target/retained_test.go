package target

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// volumeOf: target a measures on the volume that run first retained, and that a server uses or used last.
func volumeOf(user string, more ...func(*corev1.PersistentVolumeClaim)) change {
	return func(w *world) {
		w.in.Run.Status.Resolved.Targets[0].Retained = &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid-first", Target: "a", ClaimName: "volume", ClaimUID: "uid-volume"}
		w.in.Run.Spec.Targets[0].MySQL.Storage.FromRun = &v1alpha1.RetainedVolume{Name: "first"}
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
			Name: "volume", UID: "uid-volume", OwnerReferences: []metav1.OwnerReference{{Name: "first", UID: "uid-first", Controller: new(true)}}, Annotations: map[string]string{v1alpha1.AnnotationUsedBy: user},
		}}
		for _, f := range more {
			f(claim)
		}
		w.exists(claim)
	}
}

func (w *world) exists(obj decision.Object) {
	if w.objects == nil {
		w.objects = map[decision.Query]any{}
	}
	switch o := obj.(type) {
	case *corev1.PersistentVolumeClaim:
		w.objects[decision.Named[*corev1.PersistentVolumeClaim](o.Name)] = o
	case *corev1.Pod:
		w.objects[decision.Named[*corev1.Pod](o.Name)] = o
	case *appsv1.StatefulSet:
		w.objects[decision.Named[*appsv1.StatefulSet](o.Name)] = o
	case *v1alpha1.BenchmarkRun:
		w.objects[decision.Named[*v1alpha1.BenchmarkRun](o.Name)] = o
	}
}

// there is an object of a run.
func there(obj decision.Object, name, uid string) change {
	return func(w *world) {
		obj.SetName(name)
		obj.SetLabels(map[string]string{v1alpha1.LabelRunUID: uid})
		w.exists(obj)
	}
}

// goesOn: there is a run that has not ended.
func goesOn(name string, uid types.UID) change {
	return func(w *world) { w.exists(&v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}) }
}

// ended: there is a run that has.
func ended(name string, uid types.UID) change {
	return func(w *world) {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}
		run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
		w.exists(run)
	}
}

// broke: there is a run that ended by its server.
func broke(name string, uid types.UID) change {
	return func(w *world) {
		run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}
		run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonServerCrashed}}
		w.exists(run)
	}
}

// writtenBy a run is the volume.
func writtenBy(writer string) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) { c.Annotations[v1alpha1.AnnotationWrittenBy] = writer }
}

// writing: target a may write into the volume.
func writing(w *world) { w.in.Run.Spec.Targets[0].MySQL.Storage.FromRun.AllowWrites = true }

// A server whose volume is being deleted gets no pod any more, and goes on while it has one.
func TestAVolumeThatIsDeleted(t *testing.T) {
	mine := volumeOf("run/0123456789/"+contract.TargetName("run", "a"), func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &metav1.Time{Time: now} })
	for name, tt := range map[string]struct {
		given []change
		fails bool
	}{
		"with its pod":    {[]change{up("a")}, false},
		"without its pod": {[]change{up("a"), podless("a")}, true},
		"pending":         {[]change{up("a"), pending("a")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := words(newWorld(append(tt.given, mine, up("b"))...).decide(t).Of("a").State)
			if fails := strings.HasPrefix(got, "fail RetainedVolumeUnfit: the volume volume that run first retained was deleted"); fails != tt.fails {
				t.Error(got)
			}
		})
	}
}

// podless: the pod of a target is gone.
func podless(target string) change {
	return func(w *world) { delete(w.in.Children.TargetPods, contract.TargetName("run", target)) }
}

// pending: the pod of a target has not started.
func pending(target string) change {
	return func(w *world) {
		w.in.Children.TargetPods[contract.TargetName("run", target)].Status.Phase = corev1.PodPending
	}
}

// A volume has one user. It is taken from a server that is gone for good, and from no other.
func TestAVolumeHasOneUser(t *testing.T) {
	mine := "run/0123456789/" + contract.TargetName("run", "a")
	take := []string{"take volume for " + mine}
	const theirs = "first/uid-first/first-a-db"
	tests := map[string]struct {
		given []change
		state string
		// actions for target a; nil for those that create its server.
		actions []string
	}{
		"its run is gone":                        {[]change{volumeOf(theirs)}, "wait Progressing: taking the volume volume of run first", take},
		"its run has ended":                      {[]change{volumeOf(theirs), ended("first", "uid-first")}, "wait Progressing: taking the volume volume of run first", take},
		"a run of the same name goes on":         {[]change{volumeOf(theirs), goesOn("first", "uid-younger")}, "wait Progressing: taking the volume volume of run first", take},
		"nobody is named":                        {[]change{volumeOf("")}, "fail RetainedVolumeUnfit: the annotation assay.dev/used-by of the volume volume is missing or cannot be read, so that nobody knows which server uses it: load again", []string{}},
		"it gave the volume up itself":           {[]change{volumeOf(mine + "/given-up")}, "wait Progressing: taking the volume volume of run first", take},
		"a run that goes on gave it up":          {[]change{volumeOf("second/uid-second/second-a-db/given-up"), goesOn("second", "uid-second")}, "wait Progressing: taking the volume volume of run first", take},
		"it was given up, and the pod remains":   {[]change{volumeOf("second/uid-second/second-a-db/given-up"), goesOn("second", "uid-second"), there(&corev1.Pod{}, "second-a-db-0", "uid-second")}, "wait Progressing: waiting for the volume volume: the pod of run second is still there", []string{}},
		"it may write":                           {[]change{volumeOf(theirs), writing}, "wait Progressing: taking the volume volume of run first", []string{"take, and write into, volume for " + mine}},
		"it has the volume":                      {[]change{volumeOf(mine)}, "wait Progressing: created", nil},
		"another run measures":                   {[]change{volumeOf("second/uid-second/second-a-db"), goesOn("second", "uid-second")}, "wait Progressing: waiting for the volume volume: run second measures on it", []string{}},
		"its run has ended, and the pod remains": {[]change{volumeOf(theirs), ended("first", "uid-first"), there(&corev1.Pod{}, "first-a-db-0", "uid-first")}, "wait Progressing: waiting for the volume volume: the pod of run first is still there", []string{}},
		"its run is gone, and the set remains":   {[]change{volumeOf(theirs), there(&appsv1.StatefulSet{}, "first-a-db", "uid-first")}, "wait Progressing: waiting for the volume volume: the pod of run first is still there", []string{}},
		"a pod of the same name is another's":    {[]change{volumeOf(theirs), there(&corev1.Pod{}, "first-a-db-0", "uid-younger")}, "wait Progressing: taking the volume volume of run first", take},
		"its writer broke since it was accepted": {[]change{volumeOf("w/uid-w/w-a-db", writtenBy("w/uid-w/2026-11-27T19:00:00Z")), broke("w", "uid-w")},
			"fail RetainedVolumeUnfit: the volume volume that run first retained: run w, which was let write into it, failed with ServerCrashed, so that nobody knows what its server left there: load again", []string{}},
		"its user broke, and only read":            {[]change{volumeOf("w/uid-w/w-a-db"), broke("w", "uid-w")}, "wait Progressing: taking the volume volume of run first", take},
		"its writer ended well":                    {[]change{volumeOf("w/uid-w/w-a-db", writtenBy("w/uid-w/2026-11-27T19:00:00Z")), ended("w", "uid-w")}, "wait Progressing: taking the volume volume of run first", take},
		"its writer is gone":                       {[]change{volumeOf("w/uid-w/w-a-db", writtenBy("w/uid-w/2026-11-27T19:00:00Z"))}, "wait Progressing: taking the volume volume of run first", take},
		"its writer cannot be read":                {[]change{volumeOf(theirs, writtenBy("w"))}, "fail RetainedVolumeUnfit: the volume volume that run first retained: its annotation assay.dev/written-by cannot be read, so that nobody knows who wrote into it: load again", []string{}},
		"it has the volume since its writer broke": {[]change{volumeOf(mine, writtenBy("w/uid-w/2026-11-27T19:00:00Z")), broke("w", "uid-w")}, "wait Progressing: created", nil},
		"the volume is another one of its name":    {[]change{volumeOf(theirs, func(c *corev1.PersistentVolumeClaim) { c.UID = "uid-younger" })}, "fail RetainedVolumeUnfit: the volume volume that run first retained is another one than when this run was accepted: load again", []string{}},
		"the volume has another owner":             {[]change{volumeOf(theirs, func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences[0].UID = "uid-younger" })}, "fail RetainedVolumeUnfit: the volume volume that run first retained does not belong to that run any more: load again", []string{}},
		"the volume is being deleted": {[]change{volumeOf(theirs, func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &metav1.Time{Time: now} })},
			"fail RetainedVolumeUnfit: the volume volume that run first retained was deleted: it goes with its run: load again", []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(append(tt.given, up("b"))...)
			got := w.decide(t)
			if diff := cmp.Diff(tt.state, words(got.Of("a").State)); diff != "" {
				t.Errorf("state of a (-want +got):\n%s", diff)
			}
			want := tt.actions
			if want == nil {
				want = made("a", true)
			}
			if got := actions(got.Actions); !slices.Equal(got, want) {
				t.Errorf("actions %v, want %v", got, want)
			}
		})
	}
}

// The volume that a run retains is there before its server, belongs to the run, and has the server as its first user.
func TestARetainedVolumeIsMadeBefore(t *testing.T) {
	w := newWorld(up("b"), func(w *world) { w.in.Run.Spec.Targets[0].MySQL.Storage.Retain = true })
	got := w.decide(t)
	want := slices.Insert(made("a", true), 1, "create PersistentVolumeClaim data-01234567-"+contract.TargetName("run", "a"))
	if diff := cmp.Diff(want, actions(got.Actions)); diff != "" {
		t.Fatalf("actions (-want +got):\n%s", diff)
	}
	claim := got.Actions[1].(decision.Create).Object.(*corev1.PersistentVolumeClaim)
	if user := claim.Annotations[v1alpha1.AnnotationUsedBy]; user != "run/0123456789/"+contract.TargetName("run", "a") || !metav1.IsControlledBy(claim, w.in.Run) {
		t.Errorf("the volume is used by %q and belongs to %v", user, claim.OwnerReferences)
	}
}

// onVolumes: target a measures on the second volume and target b on the first, by their names; used by these.
func onVolumes(second, first string) change {
	return func(w *world) {
		for i, claim := range []struct{ name, user string }{{"volume-2", second}, {"volume-1", first}} {
			w.in.Run.Status.Resolved.Targets[i].Retained = &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid-first", Target: "a", ClaimName: claim.name, ClaimUID: "uid-volume"}
			w.in.Run.Spec.Targets[i].MySQL.Storage.FromRun = &v1alpha1.RetainedVolume{Name: "first"}
			w.exists(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
				Name: claim.name, UID: "uid-volume", OwnerReferences: []metav1.OwnerReference{{Name: "first", UID: "uid-first", Controller: new(true)}},
				Annotations: map[string]string{v1alpha1.AnnotationUsedBy: claim.user},
			}})
		}
	}
}

// Volumes are taken by their names, whatever the order of the targets, and nothing is taken behind one that another run has.
func TestVolumesAreTakenInOneOrder(t *testing.T) {
	const free, theirs = "first/uid-first/first-a-db", "second/uid-second/second-a-db"
	a, b := "run/0123456789/"+contract.TargetName("run", "a"), "run/0123456789/"+contract.TargetName("run", "b")
	takeB, takeA := "take volume-1 for "+b, "take volume-2 for "+a
	tests := map[string]struct {
		given []change
		state string
		// actions for both; nil for those that create the server of a.
		actions []string
	}{
		"both are free":             {[]change{onVolumes(free, free)}, "a: waiting until target b has its volume, which is taken before; b: taking the volume volume-1 of run first", []string{takeB}},
		"the first is taken":        {[]change{onVolumes(free, b), up("b")}, "a: taking the volume volume-2 of run first", []string{takeA}},
		"another has the first":     {[]change{onVolumes(free, theirs), goesOn("second", "uid-second")}, "a: waiting until target b has its volume, which is taken before; b: waiting for the volume volume-1: run second measures on it", nil},
		"another has the second":    {[]change{onVolumes(theirs, b), goesOn("second", "uid-second"), up("b")}, "a: waiting for the volume volume-2: run second measures on it", nil},
		"in turns, both are free":   {[]change{onVolumes(free, free), active("a")}, "a: taking the volume volume-1 of run first", []string{takeB}},
		"in turns, the first taken": {[]change{onVolumes(free, b), active("a")}, "a: taking the volume volume-2 of run first", []string{takeA}},
		"in turns, another has the first": {[]change{onVolumes(free, theirs), goesOn("second", "uid-second"), active("a")},
			"a: waiting for the volume volume-1: run second measures on it", nil},
		"both are taken": {[]change{onVolumes(a, b), up("b")}, "a: created", made("a", true)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := newWorld(tt.given...).decide(t)
			if diff := cmp.Diff("wait Progressing: "+tt.state, words(got.State)); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.actions, actions(got.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

// Two runs that name two volumes in opposite order, and whose passes follow each other in any way, of each of which only the first action may be
// performed, never wait for each other: one of them gets both.
func TestRunsInOppositeOrderDoNotWaitForEachOther(t *testing.T) {
	const passes = 6
	for order := range 1 << passes {
		claims := newWorld(onVolumes("first/uid-first/first-a-db", "first/uid-first/first-a-db"))
		for i := range passes {
			who, uid := "run", types.UID("0123456789")
			if order>>i&1 == 1 {
				who, uid = "other", "9876543210"
			}
			w := newWorld(goesOn("run", "0123456789"), goesOn("other", "9876543210"))
			w.in.Run.Name, w.in.Run.UID = who, uid
			w.in.Run.Spec.Targets = claims.in.Run.Spec.Targets
			w.in.Run.Status.Resolved = claims.in.Run.Status.Resolved.DeepCopy()
			if who == "other" {
				list := w.in.Run.Status.Resolved.Targets
				list[0].Retained, list[1].Retained = list[1].Retained, list[0].Retained
			}
			for q, object := range claims.objects {
				w.objects[q] = object
			}
			if does := w.decide(t).Actions; len(does) > 0 {
				if take, is := does[0].(decision.TakeVolume); is {
					taken := take.Volume.DeepCopy()
					taken.Annotations[v1alpha1.AnnotationUsedBy] = take.User.String()
					claims.exists(taken)
				}
			}
		}
		users := map[string]bool{}
		for _, name := range []string{"volume-1", "volume-2"} {
			claim := claims.objects[decision.Named[*corev1.PersistentVolumeClaim](name)].(*corev1.PersistentVolumeClaim)
			user, _, _ := strings.Cut(claim.Annotations[v1alpha1.AnnotationUsedBy], "/")
			users[user] = true
		}
		if users["run"] && users["other"] {
			t.Fatalf("order %06b: each run has a volume that the other one waits for", order)
		}
	}
}
