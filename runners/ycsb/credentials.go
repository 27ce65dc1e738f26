package ycsb

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Files in the working directory.
const (
	secretFile = "secret.properties"
	// trustStore and clientStore are written by our main class, which has the means of Java.
	trustStore  = "trust.p12"
	clientStore = "client.p12"
	// storePassword guards nothing: Java wants one. What is secret is the file, by its mode.
	storePassword = "keystore"
)

// secretFiles are the user and the password, and with TLS the certificates.
func secretFiles(tls contract.TLSMode, c runner.Credentials) (map[string][]byte, error) {
	if c.Username == "" {
		return nil, errors.New("credentials: the username is empty: put it into the target's Secret")
	}
	lines := []string{"db.user=" + escape(c.Username), "db.passwd=" + escape(c.Password)}
	files := map[string][]byte{}
	if tls == contract.TLSRequired {
		if len(c.CA) > 0 {
			files[runner.CAFile] = c.CA
			lines = append(lines, "assay.tls.ca="+runner.CAFile)
		}
		if len(c.Cert) > 0 {
			key, err := pkcs8(c.Key)
			if err != nil {
				return nil, err
			}
			files[runner.CertFile], files[runner.KeyFile] = c.Cert, key
			lines = append(lines, "assay.tls.cert="+runner.CertFile, "assay.tls.key="+runner.KeyFile)
		}
	}
	files[secretFile] = []byte(strings.Join(lines, "\n") + "\n")
	return files, nil
}

// escape writes a value as java.util.Properties reads it: nothing but printable ASCII, and
// no blank in front.
func escape(value string) string {
	var out strings.Builder
	for i, r := range value {
		switch {
		case r == '\\':
			out.WriteString(`\\`)
		case r > ' ' && r < 0x7f, r == ' ' && i > 0:
			out.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return out.String()
}

// pkcs8 is the key, and nothing beside it (the files that MySQL makes end with a NUL), in the one
// format that Java reads by itself.
func pkcs8(key []byte) ([]byte, error) {
	block, _ := pem.Decode(key)
	if block == nil {
		return nil, errors.New("credentials: tls.crt is there but tls.key is no PEM file: add the key to the target's Secret")
	}
	der := block.Bytes
	var parsed any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		return pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: der}), nil
	case "RSA PRIVATE KEY":
		parsed, err = x509.ParsePKCS1PrivateKey(der)
	case "EC PRIVATE KEY":
		parsed, err = x509.ParseECPrivateKey(der)
	default:
		return nil, fmt.Errorf("credentials: tls.key: %q is not understood: use PRIVATE KEY (PKCS 8), without a password", block.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("credentials: tls.key: %w", err)
	}
	if der, err = x509.MarshalPKCS8PrivateKey(parsed); err != nil {
		return nil, fmt.Errorf("credentials: tls.key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
