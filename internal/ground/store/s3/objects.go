package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
)

const (
	// emptyPayload is the SHA-256 of nothing.
	emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	// unsigned: the content is covered by the checksum, which is a signed header.
	unsigned = "UNSIGNED-PAYLOAD"
	// headerChecksum is the SHA-256 of a content, in base64. The store verifies it.
	headerChecksum = "X-Amz-Checksum-Sha256"
	// longest is how long a signature of this kind may hold.
	longest = 7 * 24 * time.Hour
)

// Sign a PUT of just this content, which the store accepts once: it refuses another length, another
// checksum, and a key that is taken.
func (c *Client) Sign(ctx context.Context, item store.Item, life time.Duration) (store.Signed, error) {
	sum, err := hex.DecodeString(item.SHA256)
	if err != nil {
		return store.Signed{}, fmt.Errorf("signing %s: the digest: %w", item.Key, err)
	}
	return c.presign(ctx, life, request{
		method: http.MethodPut, key: item.Key, bytes: item.Bytes,
		headers: map[string]string{headerChecksum: base64.StdEncoding.EncodeToString(sum), "If-None-Match": "*"},
	})
}

// SignWrite signs a PUT of a content that is not known yet, which the store accepts once: it refuses a key that is taken.
func (c *Client) SignWrite(ctx context.Context, key string, life time.Duration) (store.Signed, error) {
	return c.presign(ctx, life, request{method: http.MethodPut, key: key, headers: map[string]string{"If-None-Match": "*"}})
}

// SignRead signs a GET.
func (c *Client) SignRead(ctx context.Context, key string, life time.Duration) (store.Signed, error) {
	return c.presign(ctx, life, request{method: http.MethodGet, key: key})
}

// request to sign.
type request struct {
	method, key string
	headers     map[string]string
	// bytes of the body, which are signed; 0 for a body of any length.
	bytes int64
}

func (c *Client) presign(ctx context.Context, life time.Duration, r request) (store.Signed, error) {
	credentials, err := c.credentials()
	if err != nil {
		return store.Signed{}, err
	}
	u := c.urlOf(r.key)
	query := u.Query()
	query.Set("X-Amz-Expires", strconv.FormatInt(int64(min(life, longest)/time.Second), 10))
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), nil)
	if err != nil {
		return store.Signed{}, fmt.Errorf("signing %s: %w", r.key, err)
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	req.ContentLength = r.bytes
	now := c.now()
	signed, _, err := c.signer.PresignHTTP(ctx, credentials, req, unsigned, "s3", c.cfg.Region, now)
	if err != nil {
		return store.Signed{}, fmt.Errorf("signing %s: %w", r.key, err)
	}
	return store.Signed{URL: signed, Headers: r.headers, Expires: now.Add(min(life, longest))}, nil
}

// URL of an object, without a signature.
func (c *Client) URL(key string) string { return c.urlOf(key).String() }

// Write an item of this type of media, such as text/html. A key that is taken is no failure where the store holds just
// this content: somebody wrote it before. The error says why the state is not Present.
func (c *Client) Write(ctx context.Context, item store.Item, mediaType string, data []byte) (store.State, error) {
	sum, err := hex.DecodeString(item.SHA256)
	if err != nil {
		return store.Absent, fmt.Errorf("writing %s: the digest: %w", item.Key, err)
	}
	write, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	res, err := c.send(write, http.MethodPut, item.Key, map[string]string{
		headerChecksum: base64.StdEncoding.EncodeToString(sum), "If-None-Match": "*", "Content-Type": mediaType,
	}, content{data: data, sha256: item.SHA256})
	if err != nil {
		return store.Unreachable, err
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusOK, http.StatusPreconditionFailed:
		return c.Check(ctx, item)
	case http.StatusNotFound:
		return store.Absent, fmt.Errorf("the object store has no place for %s: %s", item.Key, store.Complaint(res.Body))
	}
	return store.Unreachable, fmt.Errorf("the object store answers %s to writing %s: %s", res.Status, item.Key, store.Complaint(res.Body))
}

// Check whether the store holds an item: by the checksum that it keeps, or where it keeps none, by
// reading. The error says why the answer is not Present.
func (c *Client) Check(ctx context.Context, item store.Item) (store.State, error) {
	look, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	res, err := c.do(look, http.MethodHead, item.Key, map[string]string{"X-Amz-Checksum-Mode": "ENABLED"})
	if err != nil {
		return store.Unreachable, err
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode == http.StatusNotFound:
		return store.Absent, fmt.Errorf("the object store has no %s", item.Key)
	case res.StatusCode != http.StatusOK:
		return store.Unreachable, fmt.Errorf("the object store answers %s for %s", res.Status, item.Key)
	case res.ContentLength != item.Bytes:
		return store.Different, fmt.Errorf("%s has %d bytes in the object store, not %d", item.Key, res.ContentLength, item.Bytes)
	}
	sum, err := base64.StdEncoding.DecodeString(res.Header.Get(headerChecksum))
	if err != nil || len(sum) != sha256.Size {
		hash := sha256.New()
		return c.copyTo(ctx, item, hash, func() string { return hex.EncodeToString(hash.Sum(nil)) })
	}
	return compare(item, hex.EncodeToString(sum))
}

func compare(item store.Item, digest string) (store.State, error) {
	if digest != item.SHA256 {
		return store.Different, fmt.Errorf("%s has the SHA-256 %.12s in the object store, not %.12s", item.Key, digest, item.SHA256)
	}
	return store.Present, nil
}

// Read an item whole. It fails with a state other than Present.
func (c *Client) Read(ctx context.Context, item store.Item) ([]byte, store.State, error) {
	out := &limited{most: item.Bytes}
	state, err := c.copyTo(ctx, item, out, func() string { return contract.Digest(out.data) })
	if state != store.Present {
		return nil, state, err
	}
	return out.data, state, nil
}

// Fetch an object whose content is not known, of so many bytes at most. It fails with a state other than Present.
func (c *Client) Fetch(ctx context.Context, key string, most int64) ([]byte, store.State, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	body, state, err := c.open(ctx, key)
	if err != nil {
		return nil, state, err
	}
	defer func() { _ = body.Close() }()
	data, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil:
		return nil, store.Unreachable, fmt.Errorf("reading %s from the object store: %w", key, err)
	case int64(len(data)) > most:
		return nil, store.Different, fmt.Errorf("%s has more than %d bytes in the object store", key, most)
	}
	return data, store.Present, nil
}

// open an object to read it.
func (c *Client) open(ctx context.Context, key string) (io.ReadCloser, store.State, error) {
	res, err := c.do(ctx, http.MethodGet, key, nil)
	if err != nil {
		return nil, store.Unreachable, err
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, store.Present, nil
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusNotFound {
		return nil, store.Absent, fmt.Errorf("the object store has no %s", key)
	}
	return nil, store.Unreachable, fmt.Errorf("the object store answers %s for %s: %s", res.Status, key, store.Complaint(res.Body))
}

// copyTo reads an item, and compares its digest.
func (c *Client) copyTo(ctx context.Context, item store.Item, to io.Writer, digest func() string) (store.State, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	body, state, err := c.open(ctx, item.Key)
	if err != nil {
		return state, err
	}
	defer func() { _ = body.Close() }()
	n, err := io.Copy(to, io.LimitReader(body, item.Bytes+1))
	if err != nil {
		return store.Unreachable, fmt.Errorf("reading %s from the object store: %w", item.Key, err)
	}
	if n != item.Bytes {
		return store.Different, fmt.Errorf("%s has another length in the object store than %d bytes", item.Key, item.Bytes)
	}
	return compare(item, digest())
}

// limited is a buffer that was made in one piece, and holds a byte more than is expected.
type limited struct {
	data []byte
	most int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.data == nil {
		l.data = make([]byte, 0, l.most+1)
	}
	l.data = append(l.data, p...)
	return len(p), nil
}
