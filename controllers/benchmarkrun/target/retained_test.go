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
		"its run is gone":                        {[]change{volumeOf(theirs)}, "wait Progressing: taking the volume of run first", take},
		"its run has ended":                      {[]change{volumeOf(theirs), ended("first", "uid-first")}, "wait Progressing: taking the volume of run first", take},
		"a run of the same name goes on":         {[]change{volumeOf(theirs), goesOn("first", "uid-younger")}, "wait Progressing: taking the volume of run first", take},
		"nobody is named":                        {[]change{volumeOf("")}, "fail RetainedVolumeUnfit: the annotation assay.dev/used-by of the volume volume is missing or cannot be read, so that nobody knows which server uses it: load again", []string{}},
		"it gave the volume up itself":           {[]change{volumeOf(mine + "/given-up")}, "wait Progressing: taking the volume of run first", take},
		"a run that goes on gave it up":          {[]change{volumeOf("second/uid-second/second-a-db/given-up"), goesOn("second", "uid-second")}, "wait Progressing: taking the volume of run first", take},
		"it was given up, and the pod remains":   {[]change{volumeOf("second/uid-second/second-a-db/given-up"), goesOn("second", "uid-second"), there(&corev1.Pod{}, "second-a-db-0", "uid-second")}, "wait Progressing: waiting for the volume volume: the pod of run second is still there", []string{}},
		"it may write":                           {[]change{volumeOf(theirs), writing}, "wait Progressing: taking the volume of run first", []string{"take, and write into, volume for " + mine}},
		"it has the volume":                      {[]change{volumeOf(mine)}, "wait Progressing: created", nil},
		"another run measures":                   {[]change{volumeOf("second/uid-second/second-a-db"), goesOn("second", "uid-second")}, "wait Progressing: waiting for the volume volume: run second measures on it", []string{}},
		"its run has ended, and the pod remains": {[]change{volumeOf(theirs), ended("first", "uid-first"), there(&corev1.Pod{}, "first-a-db-0", "uid-first")}, "wait Progressing: waiting for the volume volume: the pod of run first is still there", []string{}},
		"its run is gone, and the set remains":   {[]change{volumeOf(theirs), there(&appsv1.StatefulSet{}, "first-a-db", "uid-first")}, "wait Progressing: waiting for the volume volume: the pod of run first is still there", []string{}},
		"a pod of the same name is another's":    {[]change{volumeOf(theirs), there(&corev1.Pod{}, "first-a-db-0", "uid-younger")}, "wait Progressing: taking the volume of run first", take},
		"the volume is another one of its name":  {[]change{volumeOf(theirs, func(c *corev1.PersistentVolumeClaim) { c.UID = "uid-younger" })}, "fail RetainedVolumeUnfit: the volume volume that run first retained is another one than when this run was accepted: load again", []string{}},
		"the volume has another owner":           {[]change{volumeOf(theirs, func(c *corev1.PersistentVolumeClaim) { c.OwnerReferences[0].UID = "uid-younger" })}, "fail RetainedVolumeUnfit: the volume volume that run first retained does not belong to that run any more: load again", []string{}},
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
