package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-bench/assay/internal/ground/config"
)

// Files in the directory of a receiver's credentials.
const (
	// FileKey has the secrets of Standard Webhooks, one a line: the newest first, and beside it
	// those that still count while they are exchanged.
	FileKey = "signing-key"
	// FileCA is a PEM bundle for the receiver's certificate.
	FileCA = "ca.crt"
	// FileURL has the address, where the address itself is a secret.
	FileURL = "url"
)

const (
	// maxKeys bounds the signatures of one request.
	maxKeys = 4
	// leastKey is how many bytes a secret has at least, by Standard Webhooks.
	leastKey = 24
	// maxAnswer is how much of an answer is read, so that the connection can be used again.
	maxAnswer = 64 << 10
	// mostRetryAfter bounds what a receiver may ask for.
	mostRetryAfter = time.Hour
)

// Outcome of an attempt.
type Outcome struct {
	// State is what came of it.
	State State
	// RetryAfter is how long a receiver that did not take the event wants to be left alone; 0 for
	// as long as the sender likes.
	RetryAfter time.Duration
	// Reason of anything but Delivered, without the address.
	Reason string
}

// State of an attempt.
type State string

// States of attempts.
const (
	// Delivered: the receiver has the event.
	Delivered State = "Delivered"
	// Refused: the receiver answered 410, and wants no more attempts.
	Refused State = "Refused"
	// Undelivered: another attempt may succeed.
	Undelivered State = "Undelivered"
)

// Sender posts events to one receiver. It is safe for concurrent use. What the directory of the
// credentials has is read for every attempt, so that it can be exchanged.
type Sender struct {
	receiver config.Receiver
	timeout  time.Duration
	now      func() time.Time

	mu sync.Mutex
	ca string
	// client for the CA above.
	client *http.Client
}

// NewSender makes one. It reads the credentials once, to refuse what cannot work.
func NewSender(receiver config.Receiver, timeout time.Duration) (*Sender, error) {
	s := &Sender{receiver: receiver, timeout: timeout, now: time.Now}
	if _, err := s.address(); err != nil {
		return nil, err
	}
	if _, err := s.keys(); err != nil {
		return nil, err
	}
	if _, err := s.http(); err != nil {
		return nil, err
	}
	return s, nil
}

// Send posts an event once.
func (s *Sender) Send(ctx context.Context, id string, body []byte) Outcome {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := s.request(ctx, id, body)
	if err != nil {
		return Outcome{State: Undelivered, Reason: err.Error()}
	}
	client, err := s.http()
	if err != nil {
		return Outcome{State: Undelivered, Reason: err.Error()}
	}
	answer, err := client.Do(request)
	if err != nil {
		return Outcome{State: Undelivered, Reason: s.describe(err)}
	}
	defer func() { _ = answer.Body.Close() }()
	// What cannot be read changes nothing: the status has been answered.
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer)
	return outcomeOf(answer, s.now())
}

// outcomeOf an answer. Redirects are not followed, and so are no success.
func outcomeOf(answer *http.Response, now time.Time) Outcome {
	reason := fmt.Sprintf("answered %d", answer.StatusCode)
	switch code := answer.StatusCode; {
	case code >= 200 && code <= 299:
		return Outcome{State: Delivered}
	case code == http.StatusGone:
		return Outcome{State: Refused, Reason: reason}
	case code >= 300 && code <= 399:
		return Outcome{State: Undelivered, Reason: reason + ", a redirect, which is not followed"}
	}
	return Outcome{State: Undelivered, Reason: reason, RetryAfter: retryAfter(answer.Header.Get("Retry-After"), now)}
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), mostRetryAfter)
}

// request with its signatures. The time in them is that of the attempt.
func (s *Sender) request(ctx context.Context, id string, body []byte) (*http.Request, error) {
	address, err := s.address()
	if err != nil {
		return nil, err
	}
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL is not valid")
	}
	now := s.now()
	request.Header.Set("Content-Type", ContentType)
	request.Header.Set("User-Agent", "assay")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	var signatures []string
	for _, key := range keys {
		signature, err := key.Sign(id, now, body)
		if err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
		signatures = append(signatures, signature)
	}
	if len(signatures) > 0 {
		request.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	}
	return request, nil
}

// http is the client for the present CA.
func (s *Sender) http() (*http.Client, error) {
	ca, err := s.file(FileCA)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil && s.ca == ca {
		return s.client, nil
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM([]byte(ca)) {
			return nil, fmt.Errorf("%s has no certificate", FileCA)
		}
	}
	if s.client != nil {
		s.client.CloseIdleConnections()
	}
	s.ca, s.client = ca, &http.Client{
		Transport: &http.Transport{
			Proxy:       http.ProxyFromEnvironment,
			DialContext: (&net.Dialer{Timeout: s.timeout}).DialContext, TLSClientConfig: trust, TLSHandshakeTimeout: s.timeout,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s.client, nil
}

// address of the receiver.
func (s *Sender) address() (string, error) {
	if s.receiver.URL != "" {
		return s.receiver.URL, nil
	}
	text, err := s.file(FileURL)
	if err != nil {
		return "", err
	}
	if text == "" {
		return "", fmt.Errorf("there is no url, and no file %s", FileURL)
	}
	if err := config.CheckReceiverURL(text); err != nil {
		return "", fmt.Errorf("file %s: %w", FileURL, err)
	}
	return text, nil
}

// keys that sign; none for a receiver that is unsigned.
func (s *Sender) keys() ([]*standardwebhooks.Webhook, error) {
	text, err := s.file(FileKey)
	if err != nil {
		return nil, err
	}
	var out []*standardwebhooks.Webhook
	for _, secret := range strings.Fields(text) {
		key, err := standardwebhooks.NewWebhook(secret)
		if err != nil || !strings.HasPrefix(secret, "whsec_") || len(secret) < len("whsec_")+leastKey*4/3 {
			return nil, fmt.Errorf("file %s: each line must be whsec_ and at least %d bytes in base64", FileKey, leastKey)
		}
		out = append(out, key)
	}
	if len(out) == 0 && !s.receiver.Unsigned {
		return nil, fmt.Errorf("there is no file %s, and the receiver is not unsigned", FileKey)
	}
	if len(out) > maxKeys {
		return nil, fmt.Errorf("file %s has %d keys, and at most %d are allowed", FileKey, len(out), maxKeys)
	}
	return out, nil
}

// file of the credentials; empty for one that is not there.
func (s *Sender) file(name string) (string, error) {
	if s.receiver.Credentials == "" {
		return "", nil
	}
	data, err := os.ReadFile(filepath.Join(s.receiver.Credentials, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the credentials: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// describe an error without the address that it happened at.
func (s *Sender) describe(err error) string {
	if at := new(url.Error); errors.As(err, &at) {
		err = at.Err
	}
	switch resolving := new(net.DNSError); {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer within %s", s.timeout)
	case errors.As(err, &resolving):
		return "the name of its host cannot be resolved"
	}
	dialing := new(net.OpError)
	if errors.As(err, &dialing) {
		return dialing.Op + ": " + dialing.Err.Error()
	}
	return err.Error()
}
