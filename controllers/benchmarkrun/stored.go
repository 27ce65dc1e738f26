package benchmarkrun

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/store"
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
}

// turn of one pass at a time.
type turn struct {
	once sync.Once
	free chan struct{}
}

// holding are the results from the object store that a pass keeps in memory. Of all passes one
// holds any: the others wait for it.
type holding struct {
	turn *turn
	has  bool
	// json is their size in bytes, without compression.
	json int64
}

// acquire the turn, which the pass keeps until release.
func (h *holding) acquire(ctx context.Context) error {
	if h.has {
		return nil
	}
	h.turn.once.Do(func() { h.turn.free = make(chan struct{}, 1) })
	select {
	case h.turn.free <- struct{}{}:
		h.has = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *holding) release() {
	if h.has {
		h.has = false
		<-h.turn.free
	}
}

// stored asks the object store for an item. That it does not answer is an answer.
func (r reader) stored(ctx context.Context, q decision.GetStored) (any, error) {
	switch {
	case r.store == nil:
		return decision.Stored{State: store.Unreachable, Problem: "the manager has no object store"}, nil
	case !q.Read:
		state, err := r.store.Check(ctx, q.Item)
		return decision.Stored{State: state, Problem: text(err)}, nil
	}
	if err := r.holds.acquire(ctx); err != nil {
		return nil, fmt.Errorf("waiting to read a result from the object store: %w", err)
	}
	data, state, err := r.store.Read(ctx, q.Item)
	if state != store.Present {
		return decision.Stored{State: state, Problem: text(err)}, nil
	}
	out := decision.Stored{State: state}
	if r.holds.json += plainSize(data); r.holds.json > contract.MaxJSONBytes {
		out.Problem = fmt.Sprintf("the results of all clients together have more than %d bytes of JSON", contract.MaxJSONBytes)
		return out, nil
	}
	res, err := contract.Decode(data)
	if err != nil {
		out.Problem = text(err)
		return out, nil
	}
	out.Result = &res
	return out, nil
}

// plainSize is what a compressed result has without compression, up to a little over the bound;
// one that is no gzip has nothing, and is refused when it is decoded.
func plainSize(gz []byte) int64 {
	zip, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return 0
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(zip, contract.MaxJSONBytes+1)) // a broken end is found by the decoder
	return n
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
	secret := do.Secret.DeepCopy()
	secret.Data = map[string][]byte{contract.KeyOffer: data}
	err = a.client.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		return a.offeredBefore(ctx, do, out)
	}
	if err != nil {
		return fmt.Errorf("creating Secret %s: %w", secret.Name, err)
	}
	return nil
}

// offeredBefore makes sure that a Secret of the name is of the same Job.
func (a actor) offeredBefore(ctx context.Context, do decision.OfferUploads, out *acted) error {
	have := &corev1.Secret{}
	err := a.live.Get(ctx, client.ObjectKeyFromObject(do.Secret), have)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading Secret %s: %w", do.Secret.Name, err)
	}
	owner, want := metav1.GetControllerOf(have), metav1.GetControllerOf(do.Secret)
	if err == nil && (owner == nil || owner.UID != want.UID) {
		out.stopped = decision.FailWith(v1alpha1.ReasonChildConflict,
			"Secret %s exists and does not belong to the Job of this trial: delete it, or give the run another name", have.Name)
	}
	return nil
}
