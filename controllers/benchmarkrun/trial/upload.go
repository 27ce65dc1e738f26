package trial

import (
	"cmp"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// uses says whether this run brings anything to the object store: one that was accepted without
// a store has agents that may not know of it.
func (in Input) uses() bool {
	r := in.Run.Status.Results
	return in.Results.Store.Configured() && r != nil && r.Store != ""
}

// storeOf is what the clients are told of the store; nil for none.
func storeOf(in Input) *contract.Store {
	if !in.uses() {
		return nil
	}
	return &contract.Store{
		OverBytes: in.Results.Store.Over.Value(), MaxObjectBytes: in.Results.Store.MaxObject.Value(), UploadSeconds: int64(in.Timeouts.Upload.Seconds()),
	}
}

// items of a client at their keys.
func (in Input) items(ref contract.TrialRef, objects []contract.Object) []store.Item {
	var out []store.Item
	for _, o := range objects {
		out = append(out, store.Item{Object: o, Key: accept.Layout(in.Results.Store, in.Run).Key(ref, o)})
	}
	return out
}

// offer signed URLs to the clients that have announced objects for the store. What was announced
// wrongly gets none: its client gives up by itself.
func offer(in Input, e Execution, job *batchv1.Job, ask *decision.Asking) []decision.Action {
	trial := ask.Metadata(e.Name)
	if !in.uses() || !job.DeletionTimestamp.IsZero() || !trial.Exists {
		return nil
	}
	var actions []decision.Action
	for i := range e.Clients {
		meta := ask.Metadata(contract.ResultName(e.Name, i))
		if !meta.Exists {
			continue
		}
		objects, err := contract.ParseUploads(meta.Value.Annotations[contract.AnnotationUploads], in.Results.Store.MaxObject.Value())
		if err != nil || len(objects) == 0 || !works(in, job, i) {
			continue
		}
		// One of somebody else would send the client to another store: to make it fails, and ends the run.
		if have := decision.Get[*corev1.Secret](ask, contract.UploadName(e.Name, i)); !have.Known || have.Exists && metav1.IsControlledBy(have.Value, trial.Value) {
			continue
		}
		ref := e.Ref
		ref.Client = i
		actions = append(actions, decision.OfferUploads{
			Secret: resources.UploadSecret(in.Run, trial.Value, i), Items: in.items(ref, objects), Life: in.Timeouts.Upload.Duration,
		})
	}
	return actions
}

// works says whether a client has not ended yet.
func works(in Input, job *batchv1.Job, client int) bool {
	for _, pod := range in.Children.ClientPods[job.Name] {
		if decision.ClientIndex(pod) == client {
			return decision.Works(pod)
		}
	}
	return false
}

// upload is what one client has announced for the store, and what it said of it.
type upload struct {
	ref     contract.TrialRef
	objects []contract.Object
	// notUploaded is the client's own word; empty when all is there.
	notUploaded string
	// result is the index of its result in End.Results.
	result int
}

// inStore looks whether what the clients announced is in the store, and takes a whole result from
// there. The state is nil when that is known; a store that does not answer is waited for. What
// is lost is a finding, and the numbers stay.
func inStore(in Input, e Execution, end End, ask *decision.Asking) (End, decision.State) {
	for _, up := range end.uploads {
		if up.notUploaded != "" || !in.Results.Store.Configured() {
			end = end.loses(up.ref.Client, cmp.Or(up.notUploaded, "the manager has no object store any more (results.store)"))
			continue
		}
		for _, item := range in.items(up.ref, up.objects) {
			whole := item.Name == contract.KeyResult && end.Results[up.result].State == contract.Succeeded
			got := decision.AskStore(ask, item, whole)
			switch {
			case !got.Known:
			case got.Value.State == store.Unreachable && in.Now.Before(end.last.Add(in.Timeouts.Upload.Duration)):
				return end, decision.WaitFor(v1alpha1.ReasonRetrying, "%s: looking for %s in the object store: %s", e.Name, item.Name, got.Value.Problem)
			case got.Value.State != store.Present:
				end = end.loses(up.ref.Client, fmt.Sprintf("%s: %s", item.Name, got.Value.Problem))
			case whole:
				end = end.takes(up, got.Value)
			}
		}
	}
	return end, nil
}

// loses is the end with a finding.
func (e End) loses(client int, message string) End {
	e.Lost = append(slices.Clip(e.Lost), contract.RecordedFinding{
		Client: new(int32(client)), Check: "archive-lost", Severity: string(validity.Warning),
		Message: "not in the object store: " + message,
	})
	return e
}

// takes the whole result of a client in place of its numbers alone.
func (e End) takes(up upload, stored decision.StoredItem) End {
	whole := stored.Result
	switch {
	case whole == nil:
		return e.loses(up.ref.Client, stored.Problem)
	case !sameResult(*whole, e.Results[up.result]):
		return e.loses(up.ref.Client, "the whole result is of another trial than its numbers")
	}
	e.Results = slices.Clone(e.Results)
	e.Results[up.result] = *whole
	return e
}

// sameResult says whether a whole result and its numbers are of the same execution.
func sameResult(whole, numbers contract.Result) bool {
	return whole.Trial.SameTrial(numbers.Trial) && whole.Trial.Client == numbers.Trial.Client && whole.State == numbers.State &&
		whole.RawSHA256 == numbers.RawSHA256 && whole.Whole == nil
}
