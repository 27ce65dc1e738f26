package accept

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
)

// askSnapshots asks for the VolumeSnapshots that a target takes, or that must not be there because it makes them.
func askSnapshots(t v1alpha1.Target, ask *decision.Asking) {
	if from := t.FromSnapshot(); from != nil {
		decision.AskSnapshot(ask, from.Name)
	}
	if made := t.MakesSnapshot(); made != nil {
		decision.AskSnapshot(ask, made.Name)
		decision.AskMaker(ask, made.Name)
	}
}

// snapshot is the VolumeSnapshot that a target takes, or is to make.
type snapshot struct {
	references
	// field of the spec that names it.
	field string
}

func (s snapshot) refuse(reason, below, format string, args ...any) error {
	return experiment.Refuse(reason, "%s%s: %s", s.field, below, fmt.Sprintf(format, args...))
}

// unfit refuses what the target cannot use.
func (s snapshot) unfit(below, format string, args ...any) error {
	return s.refuse(v1alpha1.ReasonVolumeSnapshotUnfit, below, format, args...)
}

// resolveSnapshots pins the VolumeSnapshot that the volume of a target is made of, and says whether the run has to wait for it. It
// refuses one of another server, and a name for a new one that is taken.
func (in references) resolveSnapshots(field string, t v1alpha1.Target, rt *v1alpha1.ResolvedTarget, r *resolution) error {
	if err := in.isFree(field+".mysql.storage.snapshot", t, r); err != nil {
		return err
	}
	from := t.FromSnapshot()
	if from == nil {
		return nil
	}
	s := snapshot{in, field + ".mysql.storage.fromSnapshot"}
	if e, _ := in.Catalogue.Engine(t.MySQL.Flavor); !e.Portable {
		return s.refuse(v1alpha1.ReasonInvalidSpec, "", "Assay cannot give the data directory of one server of %s to another: leave fromSnapshot out", t.MySQL.Flavor)
	}
	found := decision.AskSnapshot(in.ask, from.Name)
	if found.Value.Refused != "" {
		return s.refuse(v1alpha1.ReasonNoVolumeSnapshots, "", "%s", found.Value.Refused)
	}
	problem := fmt.Sprintf("there is no VolumeSnapshot %q in namespace %s", from.Name, in.Run.Namespace)
	if found.Exists {
		if err := s.fits(t, *rt, found.Value); err != nil {
			return err
		}
		problem = notReady(found.Value)
	}
	if problem != "" && r.awaits == nil {
		r.awaits = s.await(from.Name, problem)
	}
	rt.Snapshot = pinned(found.Value)
	return nil
}

// isFree refuses a name for a VolumeSnapshot that is to be made, where there is one, or another run is to make it: one of both would be left
// with its volume. It waits for an older run that may be accepted with the same name, but not for ever.
func (in references) isFree(field string, t v1alpha1.Target, r *resolution) error {
	made := t.MakesSnapshot()
	if made == nil {
		return nil
	}
	s := snapshot{in, field}
	found := decision.AskSnapshot(in.ask, made.Name)
	switch e, _ := in.Catalogue.Engine(t.MySQL.Flavor); {
	case !e.Portable:
		return s.refuse(v1alpha1.ReasonInvalidSpec, "", "Assay cannot give the data directory of one server of %s to another: leave snapshot out", t.MySQL.Flavor)
	case found.Value.Refused != "":
		return s.refuse(v1alpha1.ReasonNoVolumeSnapshots, "", "%s", found.Value.Refused)
	case found.Exists:
		return s.unfit(".name", "there is a VolumeSnapshot %q in namespace %s already: give another name, or delete that one", made.Name, in.Run.Namespace)
	}
	maker := decision.AskMaker(in.ask, made.Name)
	switch {
	case !maker.Exists:
	case maker.Value.Accepted:
		return s.unfit(".name", "run %s of namespace %s is to make VolumeSnapshot %q: give another name, or delete that run", maker.Value.Run, in.Run.Namespace, made.Name)
	case !s.isLate() && r.awaits == nil:
		r.awaits = s.pending(".name", "run %s, which is older, is to make VolumeSnapshot %q as well: waiting whether it is accepted, for %s (timeouts.targetReady) at most; give another name, or delete one of both",
			maker.Value.Run, made.Name, s.limit())
	}
	for _, other := range in.Run.Spec.Targets {
		if o := other.MakesSnapshot(); o != nil && o.Name == made.Name && other.Name != t.Name {
			return s.refuse(v1alpha1.ReasonInvalidSpec, ".name", "target %s gives the same name to its VolumeSnapshot: give each a name of its own", other.Name)
		}
	}
	return nil
}

// fits refuses a VolumeSnapshot that the target cannot use, as far as is known of it.
func (s snapshot) fits(t v1alpha1.Target, rt v1alpha1.ResolvedTarget, found decision.VolumeSnapshot) error {
	switch {
	case found.Deleting:
		return s.unfit(".name", "VolumeSnapshot %s is being deleted: name another", found.Name)
	case found.DataProblem != "":
		return s.unfit(".name", "the annotation %s of VolumeSnapshot %s cannot be read (%s): name another, or remove it, and nothing is known of who wrote the data",
			v1alpha1.AnnotationData, found.Name, found.DataProblem)
	case found.RestoreSize != nil && t.MySQL.Storage.Size.Cmp(*found.RestoreSize) < 0:
		return s.unfit("", "mysql.storage.size is %s, and a volume of VolumeSnapshot %s has at least %s: set that",
			t.MySQL.Storage.Size.String(), found.Name, found.RestoreSize.String())
	case found.Data == nil:
		return nil
	}
	there := *found.Data
	if strings.HasSuffix(rt.Image, "@"+experiment.ImageDigest(there.ImageID)) { // the same, named by its digest
		there.Image = rt.Image
	}
	if why := sameServer(t, rt, wrote{"VolumeSnapshot " + found.Name, there.Flavor, there.Image, there.StorageEngine, there.Settings}); why != "" {
		return s.unfit("", "%s", why)
	}
	return nil
}

// notReady says why no volume can be made of a VolumeSnapshot now; empty where one can.
func notReady(found decision.VolumeSnapshot) string {
	switch {
	case found.Ready:
		return ""
	case found.Error != "":
		return fmt.Sprintf("VolumeSnapshot %s is not ready to use: %s", found.Name, found.Error)
	case found.Content == "":
		return fmt.Sprintf("VolumeSnapshot %s is not ready to use: it has no VolumeSnapshotContent yet, which a snapshot controller makes where a VolumeSnapshotClass of the driver is", found.Name)
	}
	return fmt.Sprintf("VolumeSnapshot %s is not ready to use: the storage has not finished it", found.Name)
}

// await the VolumeSnapshot, or fail when the run has waited long enough: one that is made and the run on it may be created together.
func (s snapshot) await(name, problem string) error {
	if s.isLate() {
		return s.refuse(v1alpha1.ReasonVolumeSnapshotFailed, "", "%s, also after %s (timeouts.targetReady): create the run again when `kubectl get volumesnapshot %s -n %s` shows READYTOUSE true, or with suspend: true until then",
			problem, s.limit(), name, s.Run.Namespace)
	}
	return s.pending("", "%s", problem)
}

func (s snapshot) pending(below, format string, args ...any) error {
	wait := decision.WaitFor(v1alpha1.ReasonVolumeSnapshotNotReady, "%s%s: %s", s.field, below, fmt.Sprintf(format, args...))
	wait.Timed = true
	return &pending{wait}
}

// limit of how long a run waits for a VolumeSnapshot, or for a name of one.
func (s snapshot) limit() time.Duration { return s.Catalogue.Config.Timeouts.TargetReady.Duration }

// isLate says that the run has waited for so long, and has said so: one that nobody had looked at has not waited, nor one that waited for
// something else. The time of the condition is that of this wait.
func (s snapshot) isLate() bool {
	said := apimeta.FindStatusCondition(s.Run.Status.Conditions, v1alpha1.ConditionAccepted)
	if s.Run.Spec.Suspend || said == nil || said.Reason != v1alpha1.ReasonVolumeSnapshotNotReady {
		return false
	}
	return min(s.Now.Sub(s.mayBegin()), s.Now.Sub(said.LastTransitionTime.Time)) > s.limit()
}

// pinned is what stands in the status of a VolumeSnapshot.
func pinned(found decision.VolumeSnapshot) *v1alpha1.ResolvedSnapshot {
	out := &v1alpha1.ResolvedSnapshot{
		Name: found.Name, UID: string(found.UID), TakenTime: metav1.Time{Time: found.TakenTime}, ContentName: found.Content, Handle: found.Handle, Driver: found.Driver,
	}
	if d := found.Data; d != nil {
		out.RunName, out.RunUID, out.Target, out.ImageID, out.ServerVersion, out.Key = d.Run, d.RunUID, d.Target, d.ImageID, d.ServerVersion, d.Key
		out.LoadedTime = &metav1.Time{Time: d.Loaded}
	}
	return out
}

// whoseSnapshot says whose data a volume has that was made of a VolumeSnapshot.
func whoseSnapshot(s v1alpha1.ResolvedSnapshot) string {
	out := fmt.Sprintf("on a volume of its own that was made of VolumeSnapshot %s (UID %s%s), taken at %s,", s.Name, s.UID, handle(s), s.TakenTime.UTC().Format(time.RFC3339))
	if s.RunName == "" {
		return out + " which no run made, so that nobody knows which server wrote it, and whether its pod was gone,"
	}
	return out + fmt.Sprintf(" of run %s (UID %s, target %s) as its annotation says, loaded at %s, with what was written since,",
		s.RunName, s.RunUID, s.Target, s.LoadedTime.UTC().Format(time.RFC3339))
}

// handle of a snapshot on its storage, in words; empty where it is unknown.
func handle(s v1alpha1.ResolvedSnapshot) string {
	if s.Handle == "" {
		return ""
	}
	return fmt.Sprintf(", %s of %s", s.Handle, cmp.Or(s.Driver, "its storage"))
}
