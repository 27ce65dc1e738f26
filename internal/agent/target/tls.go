package target

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/internal/agent/ciphers"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// loginTLS is how the agent's own logins are encrypted: as the server demands. nil where
// it does not; then a check of readiness costs the server no handshake.
func loginTLS(o Options, t contract.Target) (*tls.Config, error) {
	if t.TLS != contract.TLSRequired {
		return nil, nil
	}
	name := filepath.Join(o.TLS, contract.KeyCA)
	ca, err := os.ReadFile(name)
	if err != nil {
		return nil, fail(contract.ReasonInitialisationFailed, "reading the CA of the server's certificate: %v", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fail(contract.ReasonInitialisationFailed, "%s holds no certificate in PEM form", name)
	}
	// The address of the login may be any of the pod's; the certificate is for localhost.
	return &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12, CipherSuites: ciphers.Suites()}, nil
}

// encryptionFailed says whether the server answers, but TLS with it does not work. It read
// its certificate before it answered, so that will not change. Most errors of crypto/tls
// have no type.
func encryptionFailed(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.Is(err, mysql.ErrNoTLS) || errors.As(err, &certificate) || strings.Contains(err.Error(), "tls: ")
}

// hangsUp says whether the server ended the connection instead of an answer, where it was to
// encrypt it: so does one that knows no TLS from 1.2 on, such as MySQL 5.7.22, which was
// built with yaSSL. One that is starting may do it, too.
func (in inputs) hangsUp(err error) bool {
	return in.tls != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET))
}

// cannotEncrypt is the failure of a server that is there but not over TLS.
func cannotEncrypt(flavor string, log lastWords, err error) error {
	return failWithLog(contract.ReasonInitialisationFailed, log, "%s answers, but not over TLS 1.2 or later with the certificate that it was given: %v; "+
		"use a build of the server with OpenSSL (MySQL 5.7 before 5.7.28 may have none), or set tls: Disabled", flavor, err)
}
