// Package certificate makes the certificates of one database target: one for the server and one for its clients. The CA
// that signs both exists only in memory during the call, so no further certificate can be signed later.
//
// The keys are RSA with 2048 bits, because all servers since MySQL 5.7, libmariadb, JDBC drivers and Go support them.
package certificate

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"time"
)

const (
	// keyBits of every key.
	keyBits = 2048
	// lifetime is longer than the longest run: a deadline of 30 days after a wait in the queue.
	lifetime = 366 * 24 * time.Hour
	// skew is the tolerated lag of a node's clock behind the manager's.
	skew = 24 * time.Hour
)

// Bundle has the certificates and keys of a target in PEM form, without the key of the CA.
type Bundle struct {
	CA                    []byte
	ServerCert, ServerKey []byte
	ClientCert, ClientKey []byte
}

// Make makes the certificates of a target with these DNS names. The server's certificate is
// also valid for localhost, where the agent logs in.
func Make(names []string, now time.Time) (Bundle, error) {
	ca, err := newAuthority(now)
	if err != nil {
		return Bundle{}, err
	}
	var b Bundle
	b.CA = encode("CERTIFICATE", ca.cert.Raw)
	server := x509.Certificate{
		Subject:     pkix.Name{CommonName: "Assay database"},
		DNSNames:    append([]string{"localhost"}, names...),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if b.ServerCert, b.ServerKey, err = ca.sign(server, now); err != nil {
		return Bundle{}, fmt.Errorf("the server's certificate: %w", err)
	}
	client := x509.Certificate{
		Subject:     pkix.Name{CommonName: "Assay client"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if b.ClientCert, b.ClientKey, err = ca.sign(client, now); err != nil {
		return Bundle{}, fmt.Errorf("the clients' certificate: %w", err)
	}
	return b, nil
}

// authority signs.
type authority struct {
	cert *x509.Certificate
	key  *rsa.PrivateKey
}

func newAuthority(now time.Time) (authority, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return authority{}, fmt.Errorf("making the key of the CA: %w", err)
	}
	// The subjects differ, or OpenSSL would take the server's certificate for a CA's.
	template := valid(x509.Certificate{
		Subject: pkix.Name{CommonName: "Assay CA of one target"},
		IsCA:    true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}, now)
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return authority{}, fmt.Errorf("making the certificate of the CA: %w", err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		return authority{}, fmt.Errorf("reading the certificate of the CA: %w", err)
	}
	return authority{cert: cert, key: key}, nil
}

// sign makes a key and a certificate for it.
func (a authority) sign(template x509.Certificate, now time.Time) (cert, key []byte, err error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, nil, err
	}
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	raw, err := x509.CreateCertificate(rand.Reader, valid(template, now), a.cert, private.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	// PKCS #1, which old servers read too.
	return encode("CERTIFICATE", raw), encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private)), nil
}

// valid gives a certificate its time. A random number, without which OpenSSL refuses a second certificate of the same
// CA, it gets from x509.CreateCertificate.
func valid(c x509.Certificate, now time.Time) *x509.Certificate {
	c.NotBefore, c.NotAfter = now.Add(-skew), now.Add(lifetime)
	return &c
}

func encode(kind string, data []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data})
}
