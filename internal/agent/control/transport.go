package control

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// fresh is how long a challenge is used; the agent allows more.
	fresh = valid / 2
	// maxAnswer is the maximum size of an answer, in bytes.
	maxAnswer = 1 << 20
)

// ErrUnsigned says that an answer is not one of the agent to this request. Another attempt may
// get one.
var ErrUnsigned = errors.New("the answer is not signed by the agent of the target")

// Transport signs requests to the agent of one target, and checks its answers. It is safe for
// concurrent use.
type Transport struct {
	key  Key
	base http.RoundTripper
	// now is on a clock that no one sets.
	now func() time.Time

	mu sync.Mutex
	// challenge of the agent, and when it was got.
	challenge []byte
	since     time.Time
}

// NewTransport makes a Transport on top of another one.
func NewTransport(key Key, base http.RoundTripper) *Transport {
	return &Transport{key: key, base: base, now: time.Now}
}

// RoundTrip makes a request, and again with a new challenge where the agent wants one. Status 401
// to a signed request is returned as it came; any other answer that is not signed is
// ErrUnsigned.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	for again := true; ; again = false {
		nonce := make([]byte, sizeNonce)
		_, _ = rand.Read(nonce) // never fails
		answer, err := t.base.RoundTrip(t.sign(r, body, nonce))
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
		_ = answer.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("reading the answer to %s: %w", r.URL.Path, err)
		}
		answer.Body = io.NopCloser(bytes.NewReader(text))
		signature, err := hex.DecodeString(answer.Header.Get(HeaderSignature))
		switch {
		case err == nil && hmac.Equal(signature, t.key.signAnswer(nonce, answer.StatusCode, text)):
			return answer, nil
		case answer.StatusCode != http.StatusUnauthorized:
			return nil, fmt.Errorf("%s answered %s: %w", r.URL.Path, answer.Status, ErrUnsigned)
		case !t.learn(answer) || !again:
			return answer, nil
		}
	}
}

// bodyOf a request, which is closed as a RoundTripper has to.
func bodyOf(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer func() { _ = r.Body.Close() }()
	return io.ReadAll(r.Body)
}

// sign a copy of a request. It has no signature as long as no challenge is known.
func (t *Transport) sign(r *http.Request, body, nonce []byte) *http.Request {
	out := r.Clone(r.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(body) == 0 {
		out.Body = http.NoBody
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.challenge == nil || t.now().Sub(t.since) > fresh {
		return out
	}
	c := credentials{challenge: t.challenge, nonce: nonce}
	c.signature = t.key.signRequest(r.Method, r.URL.RequestURI(), body, c)
	out.Header.Set("Authorization", c.String())
	return out
}

// learn the challenge of an answer; false for one without.
func (t *Transport) learn(answer *http.Response) bool {
	challenge, err := hex.DecodeString(answer.Header.Get(HeaderChallenge))
	if err != nil || len(challenge) != sizeChallenge {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.challenge, t.since = challenge, t.now()
	return true
}
