package accept

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

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
	if of := first.Value.Target(name); keepsVolume(of) && first.Value.Status.Resolved != nil {
		decision.Get[*corev1.PersistentVolumeClaim](ask, resources.Volume{Of: resources.Primary(first.Value, of)}.ClaimName())
		ask.Node(nodeOf(first.Value, name))
	}
}

func keepsVolume(t v1alpha1.Target) bool { return t.MySQL != nil && t.MySQL.Storage.Retain }

// nodeOf the server of a target, now or at the end of its run.
func nodeOf(run *v1alpha1.BenchmarkRun, target string) string {
	return cmp.Or(run.TargetStatus(target).NodeName, run.PlacementOf(target).NodeName)
}

// resolveRetained pins the volume of an earlier run, and keeps the pod on the node of it: many volumes cannot be had on another one, and
// the machine stays the same. It refuses a volume whose files another server wrote.
func (in references) resolveRetained(field string, t v1alpha1.Target, rt *v1alpha1.ResolvedTarget) error {
	if t.FromRun() == nil {
		return nil
	}
	r := retained{in, field + ".mysql.storage.fromRun", t}
	if e, _ := in.Catalogue.Engine(t.MySQL.Flavor); !e.Portable {
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
	if err := r.sameServer(*rt, of, there); err != nil {
		return err
	}
	claim := resources.Volume{Of: resources.Primary(first, of)}.ClaimName()
	if volume := decision.Get[*corev1.PersistentVolumeClaim](in.ask, claim); !volume.Exists || !volume.Value.DeletionTimestamp.IsZero() {
		return r.refuse(".name", "the volume %s that run %s retained was deleted: load again", claim, first.Name)
	}
	if err := r.keepOn(nodeOf(first, of.Name), rt); err != nil {
		return err
	}
	rt.Retained = &v1alpha1.ResolvedVolume{
		RunName: first.Name, RunUID: string(first.UID), Target: of.Name, ClaimName: claim, ImageID: st.ImageID, ServerVersion: st.ServerVersion,
	}
	if c := apimeta.FindStatusCondition(first.Status.Conditions, v1alpha1.ConditionDataLoaded); c != nil {
		rt.Retained.LoadedTime = c.LastTransitionTime
	}
	if st.Data != nil {
		rt.Retained.Key, rt.Retained.LoadedTime = st.Data.Key, st.Data.MadeTime
	}
	return nil
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
	case !keepsVolume(of):
		return nil, of, r.refuse("", "target %s of run %s retains no volume: run it again with mysql.storage.retain: true", name, first.Name)
	case !first.DeletionTimestamp.IsZero():
		return nil, of, r.refuse(".name", "run %s is being deleted, and its volumes with it: load again", first.Name)
	case !first.Finished():
		return nil, of, r.refuse(".name", "run %s has not ended: create this run when it has", first.Name)
	}
	if st := first.TargetStatus(name); st.LoadResult == "" || st.ImageID == "" {
		return nil, of, r.refuse(".name", "run %s ended before the data of target %s was loaded: load again", first.Name, name)
	}
	return first, of, nil
}

// sameServer refuses another server than the one that wrote the files, and another size, from which settings follow.
func (r retained) sameServer(here v1alpha1.ResolvedTarget, of v1alpha1.Target, there v1alpha1.ResolvedTarget) error {
	mine, its := r.t.MySQL, of.MySQL
	differs := func(what, here, there string) error {
		return r.refuse("", "%s is %s here, and the files of the volume were written with %s: use that, or load again", what, here, there)
	}
	switch {
	case mine.Flavor != its.Flavor:
		return differs("mysql.flavor", mine.Flavor, its.Flavor)
	case here.Image != there.Image:
		return differs("the image", here.Image, there.Image)
	case mine.StorageEngine != its.StorageEngine:
		return differs("mysql.storageEngine", mine.StorageEngine, its.StorageEngine)
	case mine.Storage.Size.Cmp(its.Storage.Size) != 0:
		return differs("mysql.storage.size", mine.Storage.Size.String(), its.Storage.Size.String())
	}
	if names := differing(experiment.FormsFiles(here.Settings), experiment.FormsFiles(there.Settings)); len(names) > 0 {
		return r.refuse("", "the files of the volume were written with other settings, on which they depend: %s. Set those in mysql.config, or load again",
			strings.Join(names[:min(len(names), mostDiffering)], "; "))
	}
	return nil
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
