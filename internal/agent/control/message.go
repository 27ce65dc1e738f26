package control

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Headers of an answer.
const (
	// HeaderChallenge bears a challenge beside status 401.
	HeaderChallenge = "Assay-Challenge"
	// HeaderSignature bears the signature of the answer to a request that was signed.
	HeaderSignature = "Assay-Signature"
)

// Sizes in bytes.
const (
	sizeNonce     = 16
	sizeChallenge = 8 + sizeMAC
	sizeMAC       = sha256.Size
)

// Key of one target of one run.
type Key []byte

// NewKey derives the key from the secret of a target's agent, which is random text. It differs from
// the password of the benchmark's account: the tool has that one.
func NewKey(secret string) Key { return Key(secret).mac("assay.dev/control/v2") }

// mac of some parts, each of which is told from its neighbours by its length.
func (k Key) mac(parts ...string) []byte {
	m := hmac.New(sha256.New, k)
	for _, p := range parts {
		_, _ = fmt.Fprintf(m, "%d:%s", len(p), p)
	}
	return m.Sum(nil)
}

// signRequest over everything that decides what the agent does.
func (k Key) signRequest(method, path string, body []byte, c credentials) []byte {
	return k.mac("request", method, path, string(body), string(c.challenge), string(c.nonce))
}

// signAnswer over everything that the client believes.
func (k Key) signAnswer(nonce []byte, status int, body []byte) []byte {
	return k.mac("answer", string(nonce), fmt.Sprint(status), string(body))
}

// credentials are the content of the header Authorization.
type credentials struct{ challenge, nonce, signature []byte }

const scheme = "Assay-HMAC-SHA256 "

// String is the header.
func (c credentials) String() string {
	return fmt.Sprintf("%schallenge=%x,nonce=%x,signature=%x", scheme, c.challenge, c.nonce, c.signature)
}

// parse a header. There is one way to write it: fields in this order, in lower-case
// hexadecimal.
func parse(header string) (credentials, error) {
	text, is := strings.CutPrefix(header, scheme)
	if !is {
		return credentials{}, fmt.Errorf("the header Authorization must begin with %q: use agents of the same release", scheme)
	}
	var c credentials
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return credentials{}, fmt.Errorf("the header Authorization has %d fields, want 3", len(fields))
	}
	for i, f := range []struct {
		name string
		size int
		into *[]byte
	}{{"challenge=", sizeChallenge, &c.challenge}, {"nonce=", sizeNonce, &c.nonce}, {"signature=", sizeMAC, &c.signature}} {
		value, is := strings.CutPrefix(fields[i], f.name)
		if !is || len(value) != 2*f.size {
			return credentials{}, fmt.Errorf("field %d of the header Authorization must be %s with %d bytes", i, f.name, f.size)
		}
		data, err := hex.DecodeString(value)
		if err != nil || strings.ToLower(value) != value {
			return credentials{}, fmt.Errorf("field %d of the header Authorization is not in lower-case hexadecimal", i)
		}
		*f.into = data
	}
	return c, nil
}
