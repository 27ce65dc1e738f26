package benchmarkrun

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
)

// ObjectStore holds what outgrows ConfigMaps.
type ObjectStore interface {
	// Sign a PUT of just this item, for so long.
	Sign(ctx context.Context, item store.Item, life time.Duration) (store.Signed, error)
	// Check whether the store holds an item; the error says why not.
	Check(ctx context.Context, item store.Item) (store.State, error)
	// Read an item whole; the error says why the state is not Present.
	Read(ctx context.Context, item store.Item) ([]byte, store.State, error)
	// CA that the store's certificate is verified with; empty for the roots of the system.
	CA() string
	DataStore
}

// DataStore holds data sets.
type DataStore interface {
	// SignRead signs a GET of a key, and SignWrite a PUT of one that is not taken, for so long.
	SignRead(ctx context.Context, key string, life time.Duration) (store.Signed, error)
	SignWrite(ctx context.Context, key string, life time.Duration) (store.Signed, error)
	// Fetch an object of so many bytes at most; the error says why the state is not Present.
	Fetch(ctx context.Context, key string, most int64) ([]byte, store.State, error)
	// Write an item of a type of media. The error says why the state is not Present; Different is another content under the key.
	Write(ctx context.Context, item store.Item, mediaType string, data []byte) (store.State, error)
}

// item asks the object store for an item. That it does not answer is an answer.
func (r *reader) item(ctx context.Context, q decision.GetItem) (any, error) {
	switch {
	case r.store == nil:
		return decision.StoredItem{State: store.Unreachable, Problem: "the manager has no object store"}, nil
	case !q.Read:
		state, err := r.store.Check(ctx, q.Item)
		return decision.StoredItem{State: state, Problem: text(err)}, nil
	}
	data, state, err := r.store.Read(ctx, q.Item)
	if state != store.Present {
		return decision.StoredItem{State: state, Problem: text(err)}, nil
	}
	out := decision.StoredItem{State: state}
	res, err := contract.DecodeWithin(data, r.bounds())
	if err != nil {
		out.Problem = text(err)
		return out, nil
	}
	most := int(r.limits.ResultMemory.Value())
	if r.memory += res.Memory(); r.memory > most {
		out.Problem = fmt.Sprintf("the results of all clients take more than %d bytes of memory (limits.resultMemory)", most)
		return out, nil
	}
	out.Result = &res
	return out, nil
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// offerUploads signs what a client has for the object store, and hands it over.
func (a actor) offerUploads(ctx context.Context, do decision.OfferUploads, out *acted) error {
	if a.store == nil {
		return nil
	}
	offer := contract.Offer{Version: contract.OfferVersion, CA: a.store.CA()}
	for _, item := range do.Items {
		signed, err := a.store.Sign(ctx, item, do.Life)
		if err != nil {
			return fmt.Errorf("signing an upload: %w", err)
		}
		offer.Objects = append(offer.Objects, contract.OfferedObject{Object: item.Object, URL: signed.URL, Headers: signed.Headers, Expires: signed.Expires})
	}
	data, err := json.Marshal(offer)
	if err != nil {
		return fmt.Errorf("encoding Secret %s: %w", do.Secret.Name, err)
	}
	return a.offer(ctx, do.Secret, map[string][]byte{contract.KeyOffer: data}, out)
}

// offer makes a Secret with signed URLs.
func (a actor) offer(ctx context.Context, without *corev1.Secret, data map[string][]byte, out *acted) error {
	secret := without.DeepCopy()
	secret.Data = data
	err := a.client.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		return a.offeredBefore(ctx, without, out)
	}
	if err != nil {
		return fmt.Errorf("creating Secret %s: %w", secret.Name, err)
	}
	return nil
}

// offeredBefore makes sure that a Secret of the name is of the same trial.
func (a actor) offeredBefore(ctx context.Context, secret *corev1.Secret, out *acted) error {
	have := &corev1.Secret{}
	err := a.live.Get(ctx, client.ObjectKeyFromObject(secret), have)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading Secret %s: %w", secret.Name, err)
	}
	owner, want := metav1.GetControllerOf(have), metav1.GetControllerOf(secret)
	if err == nil && (owner == nil || owner.UID != want.UID) {
		out.stopped = decision.FailWith(v1alpha1.ReasonChildConflict,
			"Secret %s exists and does not belong to this trial: delete it, or give the run another name", have.Name)
	}
	return nil
}
