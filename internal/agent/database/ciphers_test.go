package database

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"slices"
	"testing"
)

// A server without elliptic curves is reached, and one that has them uses them.
func TestCipherSuites(t *testing.T) {
	tests := map[string]struct {
		server []uint16
		max    uint16
		curves bool
	}{
		"a server without curves":              {withoutCurves, tls.VersionTLS12, false},
		"one that has the longer key only":     {withoutCurves[1:], tls.VersionTLS12, false},
		"a server that knows no more than 1.2": {cipherSuites(), tls.VersionTLS12, true},
		"a server of today":                    {cipherSuites(), tls.VersionTLS13, true},
	}
	certificate := selfSigned(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			server := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{certificate}, CipherSuites: tt.server, MaxVersion: tt.max})
			go func() { _ = server.HandshakeContext(t.Context()) }()
			client := tls.Client(near, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12, CipherSuites: cipherSuites()})
			if err := client.HandshakeContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := client.ConnectionState().CipherSuite
			if curves := !slices.Contains(withoutCurves, got); curves != tt.curves {
				t.Errorf("got %s, want one with elliptic curves: %v", tls.CipherSuiteName(got), tt.curves)
			}
		})
	}
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
