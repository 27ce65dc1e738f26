package control

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// valid is how long a challenge may be used.
	valid = time.Minute
	// maxNonces that are remembered. Only requests with the key are.
	maxNonces = 16384
	// maxBody of a request, in bytes: the longest has the signed URLs of an archive.
	maxBody = 1 << 20
)

// ErrFull says that too many requests came within a minute. It goes away.
var ErrFull = errors.New("too many requests within a minute")

// Gate lets requests with the key through, each once. It is for one process: what was signed for
// another one is refused. It is safe for concurrent use.
type Gate struct {
	key Key
	// secret of this process makes its challenges.
	secret Key
	// elapsed since the start of the process, on a clock that no one sets.
	elapsed func() time.Duration
	refuse  func(error) (status int, body []byte)

	mu sync.Mutex
	// used nonces, with the end of their challenges.
	used map[string]time.Duration
}

// NewGate makes a Gate. Refuse answers a request that is not let through; the status is its
// choice, and 401 asks the client to sign anew.
func NewGate(key Key, refuse func(error) (status int, body []byte)) *Gate {
	secret := make(Key, sizeMAC)
	_, _ = rand.Read(secret) // never fails
	start := time.Now()
	return &Gate{
		key: key, secret: secret, refuse: refuse, used: map[string]time.Duration{},
		elapsed: func() time.Duration { return time.Since(start) },
	}
}

// Guard a handler, whose answer, a document in JSON, is signed.
func (g *Gate) Guard(next func(*http.Request) (status int, body []byte)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var c credentials
		var status int
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			c, err = g.admit(r, body)
		}
		if err == nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
			status, body = next(r)
			w.Header().Set(HeaderSignature, hex.EncodeToString(g.key.signAnswer(c.nonce, status, body)))
		} else {
			status, body = g.refuse(err)
			w.Header().Set(HeaderChallenge, hex.EncodeToString(g.challenge(g.elapsed())))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body) // a client that has gone has its reasons
	}
}

// admit a request whose signature holds and whose nonce was not used.
func (g *Gate) admit(r *http.Request, body []byte) (credentials, error) {
	c, err := parse(r.Header.Get("Authorization"))
	if err != nil {
		return c, err
	}
	now := g.elapsed()
	// #nosec G115 -- any number is a time that the secret has to confirm.
	made := time.Duration(binary.BigEndian.Uint64(c.challenge))
	if !hmac.Equal(g.challenge(made), c.challenge) || now-made > valid {
		return c, errors.New("the challenge is not one of this process, or it is too old")
	}
	if !hmac.Equal(g.key.signRequest(r.Method, r.URL.RequestURI(), body, c), c.signature) {
		return c, errors.New("the signature does not hold: the request was not signed with the key of this target")
	}
	return c, g.use(string(c.nonce), now, made+valid)
}

// use a nonce, which must not be used again as long as its challenge is valid.
func (g *Gate) use(nonce string, now, end time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, is := g.used[nonce]; is {
		return errors.New("the request was made before: its nonce has been used")
	}
	if len(g.used) >= maxNonces {
		for n, end := range g.used {
			if end < now {
				delete(g.used, n)
			}
		}
	}
	if len(g.used) >= maxNonces {
		return ErrFull
	}
	g.used[nonce] = end
	return nil
}

// challenge that was made at a time.
func (g *Gate) challenge(made time.Duration) []byte {
	// #nosec G115 -- the time since the start of the process is not negative.
	out := binary.BigEndian.AppendUint64(nil, uint64(made))
	return append(out, g.secret.mac("challenge", string(out))...)
}
