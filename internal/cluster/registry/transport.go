package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/assay-bench/assay/internal/ground/config"
)

// Files of credentials.
const (
	FileUsername = "username"
	FilePassword = "password"
	FileCA       = "ca.crt"
)

// Bounds of an answer, in bytes. A server of tokens answers with some kilobytes.
const (
	maxAnswer = 1 << 20
	maxHeader = 64 << 10
)

// bounded sends requests to the hosts of one registry only, and reads no more of an answer than it may.
type bounded struct {
	hosts []string
	plain bool
	next  http.RoundTripper
}

// RoundTrip does one request, also one that follows a redirect.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	host := strings.ToLower(r.URL.Host)
	if !slices.Contains(b.hosts, host) {
		return nil, failure{outcome: Failed, why: fmt.Sprintf("it names the host %s, which registries.ask does not allow", host)}
	}
	if r.URL.Scheme != "https" && !b.plain {
		return nil, failure{outcome: Failed, why: fmt.Sprintf("it names %s without TLS, which registries.ask does not allow", host)}
	}
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// newTransport of a registry.
func newTransport(r config.Registry, host string, timeout time.Duration) (http.RoundTripper, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	ca, err := file(r.Credentials, FileCA)
	if err != nil {
		return nil, err
	}
	if ca != "" {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM([]byte(ca)) {
			return nil, fmt.Errorf("%s has no certificate", FileCA)
		}
	}
	return bounded{hosts: append([]string{host}, r.Hosts...), plain: r.PlainHTTP, next: &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: timeout}).DialContext, TLSClientConfig: trust, TLSHandshakeTimeout: timeout,
		MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: 1, IdleConnTimeout: 10 * time.Second,
	}}, nil
}

// login of a registry: the administrator's, or none.
func login(r config.Registry) (authn.Authenticator, error) {
	username, err1 := file(r.Credentials, FileUsername)
	password, err2 := file(r.Credentials, FilePassword)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if username == "" && password == "" {
		return authn.Anonymous, nil
	}
	return &authn.Basic{Username: username, Password: password}, nil
}

// file of the credentials, without the white space around it; empty where there is none.
func file(folder, name string) (string, error) {
	if folder == "" {
		return "", nil
	}
	data, err := os.ReadFile(filepath.Join(folder, name))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the credentials of a registry: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
