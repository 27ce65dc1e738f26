package accept

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// retained is the volume of an earlier run that a target names.
type retained struct {
	references
	// field of the spec that names it.
	field string
	t     v1alpha1.Target
}

// askRetained asks for the run that a target names, and then for its volume and its node.
func (in Input) askRetained(t v1alpha1.Target, ask *decision.Asking) {
	from := t.FromRun()
	if from == nil {
		return
	}
	first := decision.Get[*v1alpha1.BenchmarkRun](ask, from.Name)
	if !first.Exists {
		return
	}
	name := cmp.Or(from.Target, t.Name)
	if of := first.Value.Target(name); of.Retains() && first.Value.Status.Resolved != nil {
		claim := decision.Get[*corev1.PersistentVolumeClaim](ask, resources.Volume{Of: resources.Primary(first.Value, of)}.ClaimName())
		ask.Node(nodeOf(first.Value, name))
		if claim.Exists {
			if writer, known := resources.WriterOf(claim.Value); known {
				decision.BrokenBy(writer, ask)
			}
		}
	}
}

// nodeOf the server of a target, now or at the end of its run.
func nodeOf(run *v1alpha1.BenchmarkRun, target string) string {
	return cmp.Or(run.TargetStatus(target).NodeName, run.PlacementOf(target).NodeName)
}

// resolveRetained pins the volume of an earlier run, and keeps the pod on the node of it: many volumes cannot be had on another one, and
// the machine stays the same. It refuses a volume whose files another server wrote, and a server whose volume would be of no use to any other.
func (in references) resolveRetained(field string, t v1alpha1.Target, rt *v1alpha1.ResolvedTarget) error {
	r := retained{in, field + ".mysql.storage.fromRun", t}
	e, _ := in.Catalogue.Engine(t.MySQL.Flavor)
	switch {
	case t.Retains() && !e.Portable:
		return experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.mysql.storage.retain: Assay cannot give the data directory of one server of %s to another: leave retain out",
			field, t.MySQL.Flavor)
	case t.FromRun() == nil:
		return nil
	case !e.Portable:
		return r.refuse("", "Assay cannot give the data directory of one server of %s to another: leave fromRun out", t.MySQL.Flavor)
	}
	first, of, err := r.target()
	if err != nil {
		return err
	}
	st, there := first.TargetStatus(of.Name), first.ResolvedTarget(of.Name)
	if strings.HasSuffix(rt.Image, "@"+experiment.ImageDigest(st.ImageID)) { // the same, named by its digest
		there.Image = rt.Image
	}
	size, its := t.MySQL.Storage.Size, of.MySQL.Storage.Size
	if size.Cmp(its) != 0 {
		return r.refuse("", "%s", differs("mysql.storage.size", size.String(), its.String(), volumeWords))
	}
	if why := sameServer(t, *rt, wrote{volumeWords, of.MySQL.Flavor, there.Image, of.MySQL.StorageEngine, experiment.FormsFiles(there.Settings)}); why != "" {
		return r.refuse("", "%s", why)
	}
	if rt.Retained, err = r.pin(first, of); err != nil {
		return err
	}
	return r.keepOn(nodeOf(first, of.Name), rt)
}

// pin the volume of a target of a run that has ended.
func (r retained) pin(first *v1alpha1.BenchmarkRun, of v1alpha1.Target) (*v1alpha1.ResolvedVolume, error) {
	name := resources.Volume{Of: resources.Primary(first, of)}.ClaimName()
	volume, st := decision.Get[*corev1.PersistentVolumeClaim](r.ask, name), first.TargetStatus(of.Name)
	switch {
	case !volume.Exists || !volume.Value.DeletionTimestamp.IsZero():
		return nil, r.refuse(".name", "the volume %s that run %s retained was deleted: load again", name, first.Name)
	case !metav1.IsControlledBy(volume.Value, first):
		return nil, r.refuse(".name", "the volume %s does not belong to run %s, which retained one of that name: load again", name, first.Name)
	}
	writer, known := resources.WriterOf(volume.Value)
	if _, used := resources.UserOf(volume.Value); !used || !known {
		return nil, r.refuse(".name", "the annotation %s or %s of the volume %s is missing or cannot be read, so that nobody knows who uses it: load again",
			v1alpha1.AnnotationUsedBy, v1alpha1.AnnotationWrittenBy, name)
	}
	if broke, _ := decision.BrokenBy(writer, r.ask); broke != "" {
		return nil, r.refuse(".name", "the volume that run %s retained: %s", first.Name, broke)
	}
	out := &v1alpha1.ResolvedVolume{
		RunName: first.Name, RunUID: string(first.UID), Target: of.Name, ClaimName: name, ClaimUID: string(volume.Value.UID), Outcome: outcome(first), Writer: writer.String(),
		ImageID: st.ImageID, ServerVersion: st.ServerVersion, LoadedTime: st.Data.MadeTime,
	}
	if first.Spec.OnlyLoads() && writer.RunName == "" { // not even the trials of the run
		out.Key = st.Data.Key
	}
	return out, nil
}

// outcome of a run that has ended: Complete, or the reason why it failed.
func outcome(run *v1alpha1.BenchmarkRun) string {
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed); c != nil && c.Status == metav1.ConditionTrue {
		return c.Reason
	}
	return v1alpha1.ConditionComplete
}

func (r retained) refuse(below, format string, args ...any) error {
	return experiment.Refuse(v1alpha1.ReasonRetainedVolumeUnfit, "%s%s: %s", r.field, below, fmt.Sprintf(format, args...))
}

// target of the run that is named, which has to have ended with its data.
func (r retained) target() (*v1alpha1.BenchmarkRun, v1alpha1.Target, error) {
	from := r.t.FromRun()
	name := cmp.Or(from.Target, r.t.Name)
	run := decision.Get[*v1alpha1.BenchmarkRun](r.ask, from.Name)
	if !run.Exists {
		return nil, v1alpha1.Target{}, r.refuse(".name", "there is no run %q in namespace %s: name a run that has ended with its volume (mysql.storage.retain)", from.Name, r.Run.Namespace)
	}
	first := run.Value
	of := first.Target(name)
	switch {
	case of.Name == "":
		return nil, of, r.refuse(".target", "run %s has no target %q: name one that it has", first.Name, name)
	case of.FromRun() != nil:
		return nil, of, r.refuse(".name", "target %s of run %s measured on the volume of run %s: name that run", name, first.Name, of.FromRun().Name)
	case !of.Retains():
		return nil, of, r.refuse("", "target %s of run %s retains no volume: run it again with mysql.storage.retain: true", name, first.Name)
	case !first.DeletionTimestamp.IsZero():
		return nil, of, r.refuse(".name", "run %s is being deleted, and its volumes with it: load again", first.Name)
	case !first.Finished():
		return nil, of, r.refuse(".name", "run %s has not ended: create this run when it has", first.Name)
	}
	switch st, broke := first.TargetStatus(name), resources.BrokeData(first); {
	case st.LoadResult == "" || st.ImageID == "":
		return nil, of, r.refuse(".name", "run %s ended before the data of target %s was loaded: load again", first.Name, name)
	case broke != "":
		return nil, of, r.refuse(".name", "run %s failed with %s, so that nobody knows what its server left on the volume: load again", first.Name, broke)
	case st.Data == nil || st.Data.MadeTime.IsZero():
		return nil, of, r.refuse(".name", "the status of run %s does not say when the data of target %s was loaded: load again", first.Name, name)
	}
	return first, of, nil
}

// volumeWords are what the files of an earlier run are on.
const volumeWords = "the volume"

// wrote is the server that wrote files.
type wrote struct {
	// what the files are on or in, in words.
	what string
	// flavor, image and storageEngine of the server.
	flavor, image, storageEngine string
	// settings on which the files depend, sorted by name.
	settings []contract.Setting
}

// differs says what is not as it was when the files were written.
func differs(field, here, there, files string) string {
	return fmt.Sprintf("%s is %s here, and the files of %s were written with %s: use that, or load again", field, here, files, there)
}

// sameServer says why a target is another server than the one that wrote the files; empty when it is not.
func sameServer(t v1alpha1.Target, here v1alpha1.ResolvedTarget, there wrote) string {
	switch mine := t.MySQL; {
	case mine.Flavor != there.flavor:
		return differs("mysql.flavor", mine.Flavor, there.flavor, there.what)
	case here.Image != there.image:
		return differs("the image", here.Image, there.image, there.what)
	case mine.StorageEngine != there.storageEngine:
		return differs("mysql.storageEngine", mine.StorageEngine, there.storageEngine, there.what)
	}
	if names := differing(experiment.FormsFiles(here.Settings), there.settings); len(names) > 0 {
		return fmt.Sprintf("the files of %s were written with other settings, on which they depend: %s. Set those in mysql.config, or load again",
			there.what, strings.Join(names[:min(len(names), mostDiffering)], "; "))
	}
	return ""
}

// mostDiffering settings are named.
const mostDiffering = 5

// differing settings of two lists that are sorted by name, in words.
func differing(here, there []contract.Setting) (out []string) {
	value := func(list []contract.Setting, name string) string {
		for _, s := range list {
			if s.Name == name {
				return cmp.Or(s.Value, "set without a value")
			}
		}
		return "not set"
	}
	for _, s := range here {
		if other := value(there, s.Name); other != value(here, s.Name) {
			out = append(out, fmt.Sprintf("%s is %s here and %s there", s.Name, value(here, s.Name), other))
		}
	}
	for _, s := range there {
		if value(here, s.Name) == "not set" {
			out = append(out, fmt.Sprintf("%s is not set here and %s there", s.Name, value(there, s.Name)))
		}
	}
	return out
}

// keepOn the node of the volume, by its shape.
func (r retained) keepOn(name string, rt *v1alpha1.ResolvedTarget) error {
	node := r.ask.Node(name)
	if !node.Exists {
		return r.refuse(".name", "the volume was written on node %q, which is gone from the cluster: Assay measures on a volume on the node that wrote it: load again", name)
	}
	host := node.Value.Labels[corev1.LabelHostname]
	selector := maps.Clone(rt.Shape.NodeSelector)
	switch asked, is := selector[corev1.LabelHostname]; {
	case host == "":
		return r.refuse(".name", "node %q, on which the volume was written, has no label %s: load again", name, corev1.LabelHostname)
	case is && asked != host:
		return r.refuse(".name", "the volume was written on node %s, and the shape of the target is for %s=%s: use another shape, or load again", name, corev1.LabelHostname, asked)
	case selector == nil:
		selector = map[string]string{}
	}
	selector[corev1.LabelHostname] = host
	*rt.Shape = withoutSource(*rt.Shape) // no autoscaler makes this node again
	rt.Shape.NodeSelector = selector
	return nil
}

// onVolumesOfTheirOwn refuses two targets with one volume.
func onVolumesOfTheirOwn(targets []v1alpha1.ResolvedTarget) error {
	users := map[string]string{}
	for i, t := range targets {
		if t.Retained == nil {
			continue
		}
		if other, taken := users[t.Retained.ClaimName]; taken {
			return experiment.Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].mysql.storage.fromRun: target %s measures on the same volume, and only one server can use it: "+
				"name another one, or measure in a run of its own", i, other)
		}
		users[t.Retained.ClaimName] = t.Name
	}
	return nil
}
