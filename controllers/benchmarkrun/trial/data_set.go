package trial

import (
	"encoding/json"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/store"
)

const (
	// leastPart is the smallest size of a part that is written, in bytes.
	leastPart = 16 << 20
	// partsOfVolume is how many parts a full volume would have.
	partsOfVolume = 100
)

// named says whether an execution is a load of a run with a data set.
func (in Input) named(e Execution) bool {
	return in.Run.Spec.Data != nil && e.phase() == contract.PhasePrepare
}

// stored is a data set, and what the object store has of it.
type stored struct {
	contract.DataSetRef
	// key of the manifest.
	key string
	decision.StoredDataSet
}

// find the archive of a data set. The state is nil when it is known what follows. The result has no meaning while questions are open.
func find(in Input, target string, ref contract.DataSetRef, ask *decision.Asking) (stored, decision.State) {
	if !in.uses() {
		return stored{}, decision.FailWith(v1alpha1.ReasonInvalidSpec, "spec.data: the manager has no object store any more (chart value results.store)")
	}
	s := stored{DataSetRef: ref, key: accept.Layout(in.Results.Store, in.Run).DataKey(ref)}
	s.StoredDataSet = ask.DataSet(s.key, ref).Value
	switch s.State {
	case store.Unreachable:
		return s, decision.WaitFor(v1alpha1.ReasonRetrying, "looking for the data set %s in the object store: %s", ref.Name, s.Problem)
	case store.Different:
		return s, decision.FailWith(v1alpha1.ReasonDataSetDamaged, "the data set %s of target %s: %s: remove it, and make it again", ref.Name, target, s.Problem)
	case store.Absent:
		if in.Run.Spec.Data.Policy == v1alpha1.DataUse {
			return s, decision.FailWith(v1alpha1.ReasonDataSetMissing, "spec.data: the data set %s has no archive for target %s (key %.12s): make one by a run with policy: Make or UseOrMake and "+
				"the same images of server and tool, settings that files depend on, storage engine, load and, where the tool draws rows, design.seed", ref.Name, target, ref.Key)
		}
	}
	return s, nil
}

// dataRef names the data set of a target. It is not known before the container runtime has said the digests of both images, which the
// server's and the client's pod have; the former comes to the room by the status, one pass later.
func dataRef(in Input, e Execution, pods []*corev1.Pod) (ref contract.DataSetRef, known bool, err error) {
	server, tool := in.Run.TargetStatus(e.Ref.Target).ImageID, toolImageID(pods)
	if server == "" || tool == "" {
		return ref, false, nil
	}
	key, err := experiment.DataKey(in.Work, experiment.DataOf{
		Target: in.Run.Target(e.Ref.Target), Resolved: in.Run.ResolvedTarget(e.Ref.Target), ImageID: server, ToolImageID: tool,
		Inputs: in.Run.Status.Resolved.Inputs, Seed: seed(in), Database: resources.Database,
	})
	return contract.DataSetRef{Name: in.Run.Spec.Data.Name, Key: key}, err == nil, err
}

// toolImageID is the digest of the image of the tool, from the container runtime; empty while no client has it.
func toolImageID(pods []*corev1.Pod) (id string) {
	for _, pod := range pods {
		for _, c := range pod.Status.ContainerStatuses {
			if c.Name == resources.RunnerContainer && c.ImageID != "" {
				id = c.ImageID
			}
		}
	}
	return id
}

// offerDataSet tells a load whether it is restored or made, once, by signed URLs for what it needs. The Secret decides: what another run
// stores later changes nothing, and the key that it has stays that of the load, whatever release of the manager comes. The state is nil
// where the clients show how far the load is.
func offerDataSet(in Input, e Execution, job *batchv1.Job, ask *decision.Asking) ([]decision.Action, decision.State) {
	load := ask.Metadata(e.Name)
	if !in.named(e) || !job.DeletionTimestamp.IsZero() || !load.Exists || !works(in, job, 0) {
		return nil, nil
	}
	if have := decision.Get[*corev1.Secret](ask, contract.DataOfferName(e.Name)); !have.Known || have.Exists && metav1.IsControlledBy(have.Value, load.Value) {
		return nil, nil
	}
	ref, known, err := dataRef(in, e, in.Children.ClientPods[job.Name])
	if err != nil {
		return nil, decision.FailWith(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	if !known {
		return nil, nil
	}
	s, state := find(in, e.Ref.Target, ref, ask)
	if state != nil || !ask.Complete() {
		return nil, state
	}
	layout := accept.Layout(in.Results.Store, in.Run)
	do := decision.OfferDataSet{Secret: resources.DataSecret(in.Run, load.Value), Life: timeout(in, e), Offer: contract.DataOffer{
		Version: contract.DataOfferVersion, DataSet: ref, MayFail: !in.Run.Spec.OnlyLoads(),
	}}
	if s.State == store.Present {
		do.Offer.Restore, do.Offer.SHA256, do.Offer.Archive.Bytes = &s.DataSet, s.SHA256, s.DataSet.Bytes
		for i := range s.DataSet.Parts {
			do.Keys = append(do.Keys, layout.DataPartKey(ref, s.DataSet.RunUID, s.DataSet.Target, i))
		}
		return []decision.Action{do}, nil
	}
	volume := in.Run.Target(e.Ref.Target).MySQL.Storage.Size
	do.Offer.Archive.PartBytes = min(max(volume.Value()/partsOfVolume, leastPart), contract.MaxDataPart)
	for i := range contract.MaxDataParts {
		do.Keys = append(do.Keys, layout.DataPartKey(ref, string(in.Run.UID), e.Ref.Target, i))
	}
	return []decision.Action{do}, nil
}

// offered is what a load was told of its data set. The state is nil when that is known.
func offered(in Input, e Execution, ask *decision.Asking) (contract.DataOffer, decision.State) {
	load, name := ask.Metadata(e.Name), contract.DataOfferName(e.Name)
	secret := decision.Get[*corev1.Secret](ask, name)
	switch {
	case !load.Known || !secret.Known:
		return contract.DataOffer{}, nil
	case !load.Exists || !secret.Exists || !metav1.IsControlledBy(secret.Value, load.Value):
		return contract.DataOffer{}, decision.FailWith(v1alpha1.ReasonDataSetFailed,
			"loading target %s: Secret %s was deleted: it said which archive the load is restored from, or makes", e.Ref.Target, name)
	}
	offer, err := contract.ParseDataOffer(secret.Value.Data[contract.KeyDataOffer], in.Run.Spec.Data.Name)
	if err != nil {
		return offer, decision.FailWith(v1alpha1.ReasonDataSetFailed, "loading target %s: Secret %s: %v", e.Ref.Target, name, err)
	}
	return offer, nil
}

// Came is how a load of a run with a data set came by its data.
type Came struct {
	// State is Done, or says why that is not known yet.
	State decision.State
	// Actions keep what was made.
	Actions []decision.Action
	// Status of the target; nil for a run without a data set.
	Status *v1alpha1.TargetData
}

// KeepDataSet of a load that succeeded: the manifest of an archive that was made is written when all else is there. It has no meaning
// while questions are open.
func KeepDataSet(in Input, e Execution, res contract.Result, ask *decision.Asking) Came {
	if !in.named(e) {
		return Came{State: decision.Done{}}
	}
	offer, state := offered(in, e, ask)
	if state != nil || !ask.Complete() {
		return Came{State: state}
	}
	ref := offer.DataSet
	if !saysHow(res, offer) {
		return Came{State: decision.FailWith(v1alpha1.ReasonResultContradictory, "loading target %s: the result does not say how it came by the data set %s", e.Ref.Target, ref.Name)}
	}
	report := *res.Data.DataSet
	out := Came{State: decision.Done{}, Status: &v1alpha1.TargetData{Key: ref.Key, MadeTime: metav1.Time{Time: report.Made}, Origin: v1alpha1.DataOriginLoaded}}
	if report.Copy == nil { // there is no archive
		return out
	}
	out.Status.Bytes = &report.Copy.Bytes
	if report.Restored != "" {
		out.Status.Origin, out.Status.Archive = v1alpha1.DataOriginRestored, report.Restored
		return out
	}
	manifest, err := manifestOf(in, e, res)
	if err != nil {
		return Came{State: decision.FailWith(v1alpha1.ReasonDataSetFailed, "making the data set %s of target %s: %v", ref.Name, e.Ref.Target, err)}
	}
	s, state := find(in, e.Ref.Target, ref, ask)
	switch {
	case s.State == store.Absent:
		out.Actions = []decision.Action{decision.StoreDataSet{Key: s.key, Data: manifest}}
	case state != nil:
		return Came{State: state}
	case s.SHA256 != contract.Digest(manifest): // another run was faster
		return out
	}
	out.Status.Origin, out.Status.Archive = v1alpha1.DataOriginMade, contract.Digest(manifest)
	return out
}

// saysHow: the result has what the load was told to do, and nothing else.
func saysHow(res contract.Result, told contract.DataOffer) bool {
	if res.Data == nil || res.Data.DataSet == nil {
		return false
	}
	report := *res.Data.DataSet
	if report.DataSetRef != told.DataSet || report.Restored != told.SHA256 || (report.Copy == nil) != (report.NotKept != "") {
		return false
	}
	return report.NotKept == "" || told.Restore == nil && told.MayFail
}

// manifestOf the archive that a load has made.
func manifestOf(in Input, e Execution, res contract.Result) ([]byte, error) {
	report := *res.Data.DataSet
	made := contract.DataSet{
		Version: contract.DataSetVersion, DataSetRef: report.DataSetRef, RunUID: string(in.Run.UID), Run: in.Run.Name, Target: e.Ref.Target,
		Made: report.Made, Tables: res.Data.Tables, Files: report.Copy.Files, Bytes: report.Copy.Bytes, Parts: report.Copy.Parts,
	}
	if res.Server != nil {
		made.ServerVersion = res.Server.Version
	}
	data, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	if len(data) > contract.MaxDataSet {
		return nil, fmt.Errorf("its manifest has %d bytes, and %d are read: use fewer tables", len(data), contract.MaxDataSet)
	}
	_, err = contract.ParseDataSet(data, report.DataSetRef)
	return data, err
}
