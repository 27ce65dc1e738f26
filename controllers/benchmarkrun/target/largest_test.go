package target

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/test/helpers/bounds"
)

// onVolume is the name of one of the volumes that run first retained.
func onVolume(i int) string { return fmt.Sprintf("volume-%d", i) }

// onEveryVolume: a run measures each of so many targets on a volume of its own, from the first volume to the last, or the other way round.
func onEveryVolume(name string, uid types.UID, most int, forwards bool) change {
	return func(w *world) {
		run := w.in.Run
		first, resolved := run.Spec.Targets[0], run.Status.Resolved.Targets[0]
		run.Name, run.UID, run.Spec.Targets, run.Status.Resolved.Targets, run.Status.Placement.Targets = name, uid, nil, nil, nil
		for i := range most {
			of := i
			if !forwards {
				of = most - 1 - i
			}
			t, rt := *first.DeepCopy(), *resolved.DeepCopy()
			t.Name = fmt.Sprintf("t%d", i)
			t.MySQL.Storage.FromRun = &v1alpha1.RetainedVolume{Name: "first"}
			rt.Name, rt.Retained = t.Name, &v1alpha1.ResolvedVolume{RunName: "first", RunUID: "uid-first", ClaimName: onVolume(of), ClaimUID: "uid-volume"}
			run.Spec.Targets, run.Status.Resolved.Targets = append(run.Spec.Targets, t), append(run.Status.Resolved.Targets, rt)
			run.Status.Placement.Targets = append(run.Status.Placement.Targets, v1alpha1.TargetPlacement{Name: t.Name, NodeName: "n0"})
		}
	}
}

// contest of two runs for the same volumes.
type contest struct {
	volumes map[string]*corev1.PersistentVolumeClaim
	// seen is what each run has seen of the volumes, perhaps some time ago.
	seen map[string]map[string]*corev1.PersistentVolumeClaim
	sets map[string]map[string]*appsv1.StatefulSet
}

// pass of a run. It may see what was there at its last pass, and may end before any of its actions; one that writes what was changed meanwhile
// ends there.
func (c *contest) pass(t *testing.T, who string, random *rand.Rand) {
	t.Helper()
	if c.seen[who] == nil || random.IntN(2) == 1 {
		c.seen[who] = map[string]*corev1.PersistentVolumeClaim{}
		for name, volume := range c.volumes {
			c.seen[who][name] = volume
		}
	}
	uids := map[string]types.UID{"run": "0123456789", "other": "9876543210"}
	w := newWorld(onEveryVolume(who, uids[who], len(c.volumes), who == "run"), goesOn("run", uids["run"]), goesOn("other", uids["other"]))
	for _, volume := range c.seen[who] {
		w.exists(volume)
	}
	w.in.Children.StatefulSets = c.sets[who]
	does := w.decide(t).Actions
	for _, a := range does[:random.IntN(len(does)+1)] {
		switch do := a.(type) {
		case decision.TakeVolume:
			if c.volumes[do.Volume.Name] != do.Volume {
				return // it was changed since it was read
			}
			if user, known := resources.UserOf(do.Volume); !known || user.RunName != "first" {
				t.Fatalf("run %s takes %s from %s, which goes on", who, do.Volume.Name, do.Volume.Annotations[v1alpha1.AnnotationUsedBy])
			}
			taken := do.Volume.DeepCopy()
			taken.Annotations[v1alpha1.AnnotationUsedBy] = do.User.String()
			c.volumes[taken.Name] = taken
		case decision.Create:
			if set, is := do.Object.(*appsv1.StatefulSet); is {
				set.CreationTimestamp = metav1.Time{Time: now}
				c.sets[who][set.Name] = set
			}
		}
	}
}

// Of two runs that want the most volumes, in opposite order, and whose passes follow each other in any way, one gets all of them, and takes none
// from the other one.
func TestTheMostVolumesAreTakenInOneOrder(t *testing.T) {
	most := bounds.Most(t, "spec.targets")
	for seed := range 8 {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		c := contest{
			volumes: map[string]*corev1.PersistentVolumeClaim{}, seen: map[string]map[string]*corev1.PersistentVolumeClaim{},
			sets: map[string]map[string]*appsv1.StatefulSet{"run": {}, "other": {}},
		}
		for i := range most {
			c.volumes[onVolume(i)] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
				Name: onVolume(i), UID: "uid-volume", OwnerReferences: []metav1.OwnerReference{{Name: "first", UID: "uid-first", Controller: new(true)}},
				Annotations: map[string]string{v1alpha1.AnnotationUsedBy: "first/uid-first/first-a-db"},
			}}
		}
		for range 200 {
			c.pass(t, []string{"run", "other"}[random.IntN(2)], random)
		}
		users := map[string]int{}
		for _, volume := range c.volumes {
			user, _, _ := strings.Cut(volume.Annotations[v1alpha1.AnnotationUsedBy], "/")
			users[user]++
		}
		if users["run"] != most && users["other"] != most {
			t.Errorf("seed %d: the volumes are used by %v: want one run with all of them", seed, users)
		}
	}
}
