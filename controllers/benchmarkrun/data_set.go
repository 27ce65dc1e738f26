package benchmarkrun

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
)

// dataSet asks the object store for the manifest of a data set. That it does not answer is an answer.
func (r *reader) dataSet(ctx context.Context, q decision.GetDataSet) decision.StoredDataSet {
	if r.store == nil {
		return decision.StoredDataSet{State: store.Unreachable, Problem: "the manager has no object store"}
	}
	data, state, err := r.store.Fetch(ctx, q.Key, contract.MaxDataSet)
	if state != store.Present {
		return decision.StoredDataSet{State: state, Problem: text(err)}
	}
	out := decision.StoredDataSet{State: state, SHA256: contract.Digest(data)}
	if out.DataSet, err = contract.ParseDataSet(data, q.Ref); err != nil {
		return decision.StoredDataSet{State: store.Different, Problem: fmt.Sprintf("%s cannot be used: %v", q.Key, err)}
	}
	return out
}

// offerDataSet signs the requests for the parts of a data set, and hands them over.
func (a actor) offerDataSet(ctx context.Context, do decision.OfferDataSet, out *acted) error {
	if a.store == nil {
		return nil
	}
	offer, sign := do.Offer, a.store.SignWrite
	if offer.Restore != nil {
		sign = a.store.SignRead
	}
	offer.Archive.CA = a.store.CA()
	for i, key := range do.Keys {
		signed, err := sign(ctx, key, do.Life)
		if err != nil {
			return fmt.Errorf("signing for a data set: %w", err)
		}
		part := contract.SignedPart{URL: signed.URL, Headers: signed.Headers}
		if offer.Restore != nil {
			part.SHA256, part.Bytes = offer.Restore.Parts[i].SHA256, offer.Restore.Parts[i].Bytes
		} else {
			stored, err := a.store.SignRead(ctx, key, do.Life)
			if err != nil {
				return fmt.Errorf("signing for a data set: %w", err)
			}
			part.Stored = stored.URL
		}
		offer.Archive.Parts = append(offer.Archive.Parts, part)
	}
	data, err := json.Marshal(offer)
	if err != nil {
		return fmt.Errorf("encoding Secret %s: %w", do.Secret.Name, err)
	}
	return a.offer(ctx, do.Secret, map[string][]byte{contract.KeyDataOffer: data}, out)
}

// storeDataSet writes the manifest of a data set. Where another run was faster, the next pass finds its own.
func (a actor) storeDataSet(ctx context.Context, do decision.StoreDataSet, out *acted) error {
	if a.store == nil {
		return fmt.Errorf("storing a data set: the manager has no object store")
	}
	item := store.Item{Key: do.Key, Object: contract.Object{Name: "manifest.json", SHA256: contract.Digest(do.Data), Bytes: int64(len(do.Data))}}
	state, err := a.store.Write(ctx, item, "application/json", do.Data)
	switch state {
	case store.Present:
		return nil
	case store.Different:
		out.stopped = decision.WaitFor(v1alpha1.ReasonProgressing, "another run has stored %s", do.Key)
		return nil
	}
	return fmt.Errorf("storing a data set: %w", err)
}
