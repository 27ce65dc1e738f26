// Package s3 speaks with an object store of the S3 interface.
//
// In: the configuration of the store, and items to sign, to look for, to read or to write. Out: signed requests for one
// content each, and whether the store holds it. Credentials are read for each request, so that they can be exchanged.
//
// It refuses to follow redirects, and answers at once without asking while the store did not
// answer a moment ago. Signatures are those of aws-sdk-go-v2.
package s3

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/assay-bench/assay/internal/ground/config"
)

// Files in the directory of the credentials.
const (
	// FileAccessKey and FileSecretKey are needed.
	FileAccessKey = "accessKeyID"
	FileSecretKey = "secretAccessKey"
	// FileSessionToken is for credentials that expire.
	FileSessionToken = "sessionToken"
	// FileCA is a PEM bundle for the store's certificate.
	FileCA = "ca.crt"
)

const (
	// connectTime and lookTime bound a connection and a question about an object.
	connectTime = 3 * time.Second
	lookTime    = 4 * time.Second
	// readTime and writeTime bound reading and writing an object.
	readTime  = time.Minute
	writeTime = 30 * time.Second
	// pause after a failure, in which nothing is asked.
	pause = 10 * time.Second
)

// Client of one bucket. It is safe for concurrent use.
type Client struct {
	cfg      config.Store
	endpoint *url.URL
	http     *http.Client
	ca       string
	signer   *v4.Signer
	now      func() time.Time

	mu sync.Mutex
	// failed is when the store did not answer last, and failure what happened then.
	failed  time.Time
	failure error
}

// New reads the CA and the credentials once, to refuse what cannot work.
func New(cfg config.Store) (*Client, error) {
	endpoint, err := url.Parse(cfg.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("results.store.endpoint: %w", err)
	}
	c := &Client{cfg: cfg, endpoint: endpoint, now: time.Now, signer: v4.NewSigner(func(o *v4.SignerOptions) {
		// S3 takes the path as it is. Headers stay headers: not every store reads them from the URL.
		o.DisableURIPathEscaping, o.DisableHeaderHoisting = true, true
	})}
	if _, err := c.credentials(); err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(filepath.Join(cfg.Credentials, FileCA))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the CA of the object store: %w", err)
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(ca) > 0 {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(ca) {
			return nil, fmt.Errorf("the CA of the object store: %s has no certificate", FileCA)
		}
	}
	c.ca = string(ca)
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: connectTime}).DialContext, TLSClientConfig: trust, TLSHandshakeTimeout: connectTime,
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// CA is the PEM bundle that the store's certificate is verified with; empty for the roots of the system.
func (c *Client) CA() string { return c.ca }

// HTTP is what requests are made with.
func (c *Client) HTTP() *http.Client { return c.http }

// credentials as they are now.
func (c *Client) credentials() (aws.Credentials, error) {
	read := func(name string) (string, error) {
		data, err := os.ReadFile(filepath.Join(c.cfg.Credentials, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("the Secret of results.store.credentialsSecret has no %s: %w", name, err)
		}
		return strings.TrimSpace(string(data)), err
	}
	id, err := read(FileAccessKey)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("the credentials of the object store: %w", err)
	}
	secret, err := read(FileSecretKey)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("the credentials of the object store: %w", err)
	}
	token, err := read(FileSessionToken)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return aws.Credentials{}, fmt.Errorf("the credentials of the object store: %w", err)
	}
	if id == "" || secret == "" {
		return aws.Credentials{}, fmt.Errorf("the credentials of the object store: %s and %s must not be empty", FileAccessKey, FileSecretKey)
	}
	return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: token}, nil
}

// urlOf an object.
func (c *Client) urlOf(key string) *url.URL {
	u := *c.endpoint
	if c.cfg.PathStyle {
		u.Path = "/" + c.cfg.Bucket + "/" + key
	} else {
		u.Host, u.Path = c.cfg.Bucket+"."+u.Host, "/"+key
	}
	return &u
}

// unavailable is the last failure while it is recent.
func (c *Client) unavailable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil && c.now().Sub(c.failed) < pause {
		return c.failure
	}
	return nil
}

// remember whether the store answered.
func (c *Client) remember(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure, c.failed = err, c.now()
}

// do sends a signed request without a body.
func (c *Client) do(ctx context.Context, method, key string, headers map[string]string) (*http.Response, error) {
	return c.send(ctx, method, key, headers, content{sha256: emptyPayload})
}

// content of a request.
type content struct {
	data []byte
	// sha256 of the data, in hexadecimal.
	sha256 string
}

// send a signed request.
func (c *Client) send(ctx context.Context, method, key string, headers map[string]string, body content) (*http.Response, error) {
	if err := c.unavailable(); err != nil {
		return nil, err
	}
	credentials, err := c.credentials()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.urlOf(key).String(), bytes.NewReader(body.data))
	if err != nil {
		return nil, fmt.Errorf("asking the object store: %w", err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("X-Amz-Content-Sha256", body.sha256)
	if err := c.signer.SignHTTP(ctx, credentials, req, body.sha256, "s3", c.cfg.Region, c.now()); err != nil {
		return nil, fmt.Errorf("signing for the object store: %w", err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		err = fmt.Errorf("the object store does not answer: %w", err)
	}
	c.remember(err)
	return res, err
}
