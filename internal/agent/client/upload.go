package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
)

const (
	// maxNotUploaded bounds the reason in the termination message, in bytes.
	maxNotUploaded = 1000
	// answerTime is how long the store may take to answer after it has a whole object.
	answerTime = time.Minute
)

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
	client, err := storeClient(offer.CA)
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

// storeClient trusts the given CA, or the roots of the system.
func storeClient(ca string) (*http.Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM([]byte(ca)) {
			return nil, errors.New("the CA of the object store has no certificate")
		}
	}
	const connectTime = 10 * time.Second
	return &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: connectTime}).DialContext, TLSClientConfig: trust, TLSHandshakeTimeout: connectTime,
			ResponseHeaderTimeout: answerTime, Proxy: http.ProxyFromEnvironment,
		},
		// Another server than the one that was signed for gets nothing.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, o.URL, file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	req.ContentLength = o.Bytes
	for name, value := range o.Headers {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer func() { _ = res.Body.Close() }()
	switch code := res.StatusCode; {
	case code/100 == 2, code == http.StatusPreconditionFailed:
		return nil
	case code/100 == 5, code == http.StatusTooManyRequests, code == http.StatusConflict, code == http.StatusRequestTimeout:
		return fmt.Errorf("the store answers %s: %s", res.Status, store.Complaint(res.Body))
	default:
		return fmt.Errorf("%w: the store answers %s: %s", ErrRefused, res.Status, store.Complaint(res.Body))
	}
}

// withoutURL leaves the signed URL out of an error: it goes into logs and the status.
func withoutURL(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}
