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
	return fmt.Sprintf("%s%x%x%x", scheme, c.challenge, c.nonce, c.signature)
}

// parse a header. There is one way to write it: in lower-case hexadecimal.
func parse(header string) (credentials, error) {
	text, is := strings.CutPrefix(header, scheme)
	data, err := hex.DecodeString(text)
	if !is || err != nil || len(data) != sizeChallenge+sizeNonce+sizeMAC || strings.ToLower(text) != text {
		return credentials{}, fmt.Errorf(
			"the header Authorization must be %q with %d bytes in lower-case hexadecimal: use agents of the same release",
			scheme, sizeChallenge+sizeNonce+sizeMAC)
	}
	nonce := data[sizeChallenge:]
	return credentials{challenge: data[:sizeChallenge], nonce: nonce[:sizeNonce], signature: nonce[sizeNonce:]}, nil
}
