// Package transfer sends and reads objects of an object store by signed requests.
//
// In: signed URLs, and the CA of the store. Out: errors that never have a URL in them, because its signature is a secret. It
// refuses redirects: another server than the one that was signed for gets nothing.
package transfer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-bench/assay/internal/ground/store"
)

const (
	// connectTime bounds a connection.
	connectTime = 10 * time.Second
	// answerTime is how long the store may take to answer after it has a whole object.
	answerTime = time.Minute
)

// ErrRefused is an answer that another try would not change.
var ErrRefused = errors.New("refused")

// ErrTaken is the answer to a PUT of a key that the store holds already. It is ErrRefused, too.
var ErrTaken = fmt.Errorf("%w: the store holds such an object already", ErrRefused)

// ErrAbsent is the answer about a key, or a bucket, that the store does not have. It is ErrRefused, too.
var ErrAbsent = fmt.Errorf("%w: the store has no such object", ErrRefused)

// NewClient trusts the given CA, or the roots of the system.
func NewClient(ca string) (*http.Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM([]byte(ca)) {
			return nil, errors.New("the CA of the object store has no certificate")
		}
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: connectTime}).DialContext, TLSClientConfig: trust, TLSHandshakeTimeout: connectTime,
			ResponseHeaderTimeout: answerTime, Proxy: http.ProxyFromEnvironment,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// Signed is a signed request.
type Signed struct {
	Method, URL string
	// Headers that are part of the signature, without the host and the length.
	Headers map[string]string
	// Body of so many Bytes; nil for none.
	Body  io.Reader
	Bytes int64
}

// Do sends a signed request. It returns the answer to one that succeeded, whose body has to be closed; an error that is ErrRefused
// comes again with another try.
func Do(ctx context.Context, client *http.Client, s Signed) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, s.Method, s.URL, s.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, withoutURL(err))
	}
	req.ContentLength = s.Bytes
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	switch code := res.StatusCode; {
	case code == http.StatusPreconditionFailed:
		return nil, ErrTaken
	case code == http.StatusNotFound:
		return nil, fmt.Errorf("%w: %s: %s", ErrAbsent, res.Status, store.Complaint(res.Body))
	case code/100 == 5, code == http.StatusTooManyRequests, code == http.StatusConflict, code == http.StatusRequestTimeout:
		return nil, fmt.Errorf("the store answers %s: %s", res.Status, store.Complaint(res.Body))
	}
	return nil, fmt.Errorf("%w: the store answers %s: %s", ErrRefused, res.Status, store.Complaint(res.Body))
}

// withoutURL leaves the signed URL out of an error: it goes into logs and the status.
func withoutURL(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}
