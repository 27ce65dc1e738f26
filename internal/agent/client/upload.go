package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/agent/transfer"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxNotUploaded bounds the reason in the termination message, in bytes.
const maxNotUploaded = 1000

// upload brings objects to the store, and says why it could not; empty for success. It comes after
// the delivery: the numbers do not depend on it. A pod that is terminated has until the end of
// its grace period.
func (a *Agent) upload(ctx context.Context, t contract.Trial, objects []uploadFile) string {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(t.Store.UploadSeconds)*time.Second)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(a.Interrupted, cancel) })
	defer stop()
	if err := a.bring(own, objects); err != nil {
		return shortened(err.Error())
	}
	return ""
}

func shortened(text string) string {
	if len(text) <= maxNotUploaded {
		return text
	}
	return contract.CutTo(text, maxNotUploaded-3) + "..."
}

// bring waits for the manager's offer, and sends the objects one after the other.
func (a *Agent) bring(ctx context.Context, objects []uploadFile) error {
	want := delivery{uploads: objects}.objects()
	var offer contract.Offer
	name := contract.UploadName(a.Trial, a.Index)
	err := a.retry(ctx, "read the offer of the object store", func(ctx context.Context) error {
		data, err := a.API.Secret(ctx, name)
		if err != nil {
			return err
		}
		if offer, err = contract.ParseOffer(data[contract.KeyOffer], want); err != nil {
			return fmt.Errorf("%w: Secret %s: %w", ErrRefused, name, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("no signed URLs of the object store: %w", err)
	}
	client, err := transfer.NewClient(offer.CA)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for i, object := range offer.Objects {
		err := a.retry(ctx, "upload "+object.Name, func(ctx context.Context) error { return put(ctx, client, object, objects[i].path) })
		if err != nil {
			return fmt.Errorf("%s (%d bytes) is not in the object store: %w", object.Name, object.Bytes, err)
		}
	}
	return nil
}

// put sends a file with its signed request. An answer that another try would not change is
// refused. An object that is there already is this one: its key has its digest, and the manager
// looks at it.
func put(ctx context.Context, client *http.Client, o contract.OfferedObject, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	defer func() { _ = file.Close() }()
	res, err := transfer.Do(ctx, client, transfer.Signed{Method: http.MethodPut, URL: o.URL, Headers: o.Headers, Body: file, Bytes: o.Bytes})
	switch {
	case errors.Is(err, transfer.ErrTaken):
		return nil
	case err != nil:
		return err
	}
	return res.Body.Close()
}
