package ycsb

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What the values become is read back by Java in BindingTest.
func TestEscape(t *testing.T) {
	tests := map[string]string{
		"plain":           "plain",
		" two  blanks ":   `\u0020two  blanks `,
		`back\slash`:      `back\\slash`,
		"a=b:c#d!e":       "a=b:c#d!e",
		"line\nbreak\t":   `line\u000abreak\u0009`,
		"äöü €":           `\u00e4\u00f6\u00fc \u20ac`,
		"beyond 😀 16 bit": `beyond \ud83d\ude00 16 bit`,
	}
	for value, want := range tests {
		if got := escape(value); got != want {
			t.Errorf("escape(%q) = %s, want %s", value, got, want)
		}
	}
}

func TestSecretsOfTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := runner.Credentials{Username: "assay", CA: []byte("CA"), Cert: []byte("C"),
		Key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})}
	files, err := secretFiles(contract.TLSRequired, c)
	if err != nil {
		t.Fatal(err)
	}
	want := "db.user=assay\ndb.passwd=\nassay.tls.ca=ca.pem\nassay.tls.cert=client-cert.pem\nassay.tls.key=client-key.pem\n"
	if got := string(files[secretFile]); got != want {
		t.Errorf("%s holds %q, want %q", secretFile, got, want)
	}
	block, _ := pem.Decode(files[runner.KeyFile])
	if block == nil || block.Type != "PRIVATE KEY" {
		t.Fatalf("the key is %s, want PKCS 8", files[runner.KeyFile])
	}
	if again, err := x509.ParsePKCS8PrivateKey(block.Bytes); err != nil || !key.Equal(again) {
		t.Errorf("the key is another one: %v", err)
	}
}

func TestKeyOfMySQL(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
	if got, err := pkcs8([]byte(key + "\x00")); err != nil || string(got) != key {
		t.Errorf("got %q, %v, want %q", got, err, key)
	}
}

func TestSecretsThatAreRefused(t *testing.T) {
	tests := map[string]struct {
		credentials runner.Credentials
		says        string
	}{
		"nobody": {runner.Credentials{}, "username is empty"},
		"a certificate without a key": {runner.Credentials{Username: "a", Cert: []byte("C")},
			"tls.key is no PEM file"},
		"a key with a password": {runner.Credentials{Username: "a", Cert: []byte("C"),
			Key: []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n")}, "without a password"},
		"a key that is broken": {runner.Credentials{Username: "a", Cert: []byte("C"),
			Key: []byte("-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n")}, "credentials: tls.key"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := secretFiles(contract.TLSRequired, tt.credentials); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got error %v, want one that says %q", err, tt.says)
			}
		})
	}
}
