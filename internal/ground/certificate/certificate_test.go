package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// shake has a client and a server meet over TLS, each with what a pod would have.
func shake(server, client *tls.Config) error {
	left, right := net.Pipe()
	defer func() { _, _ = left.Close(), right.Close() }()
	answered := make(chan error, 1)
	go func() {
		conn := tls.Server(left, server)
		err := conn.Handshake()
		_ = left.SetDeadline(time.Now()) // the client may not listen any more
		answered <- err
	}()
	err := tls.Client(right, client).Handshake()
	_ = right.Close()
	return errors.Join(err, <-answered)
}

func pool(t *testing.T, pem []byte) *x509.CertPool {
	t.Helper()
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(pem) {
		t.Fatal("the CA is no certificate")
	}
	return p
}

func pair(t *testing.T, cert, key []byte) tls.Certificate {
	t.Helper()
	c, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMake(t *testing.T) {
	now := time.Now()
	names := []string{"run-db-db.ns.svc", "run-db-db"}
	b, err := Make(names, now)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Make(names, now)
	if err != nil {
		t.Fatal(err)
	}
	server := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair(t, b.ServerCert, b.ServerKey)},
		ClientCAs: pool(t, b.CA), ClientAuth: tls.RequireAndVerifyClientCert,
	}
	client := func(change ...func(*tls.Config)) *tls.Config {
		c := &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: pool(t, b.CA), ServerName: names[0],
			Certificates: []tls.Certificate{pair(t, b.ClientCert, b.ClientKey)},
		}
		for _, f := range change {
			f(c)
		}
		return c
	}
	tests := map[string]struct {
		client *tls.Config
		// wrong is a part of the error; empty for none.
		wrong string
	}{
		"client and server trust each other":   {client: client()},
		"the server answers to its short name": {client: client(func(c *tls.Config) { c.ServerName = names[1] })},
		"the server answers to localhost":      {client: client(func(c *tls.Config) { c.ServerName = "localhost" })},
		"the server answers to its loopback":   {client: client(func(c *tls.Config) { c.ServerName = "127.0.0.1" })},
		"another name is refused":              {client: client(func(c *tls.Config) { c.ServerName = "elsewhere" }), wrong: "not elsewhere"},
		"another target's CA is refused":       {client: client(func(c *tls.Config) { c.RootCAs = pool(t, other.CA) }), wrong: "unknown authority"},
		"the server's certificate is none of a client": {
			client: client(func(c *tls.Config) { c.Certificates = server.Certificates }), wrong: "incompatible key usage"},
		"it holds for the longest run and its wait in the queue": {
			client: client(func(c *tls.Config) { c.Time = func() time.Time { return now.Add(90 * 24 * time.Hour) } })},
		"it holds on a node whose clock is behind": {
			client: client(func(c *tls.Config) { c.Time = func() time.Time { return now.Add(-time.Hour) } })},
		"it does not hold for ever": {
			client: client(func(c *tls.Config) { c.Time = func() time.Time { return now.Add(800 * 24 * time.Hour) } }), wrong: "expired"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := shake(server, tt.client)
			if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("the handshake ended with %v, want %q", err, tt.wrong)
			}
		})
	}
}
