package target

import (
	"errors"
	"io"
	"syscall"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// hangsUp says whether the server ended the connection instead of an answer, where it was to
// encrypt it: so does one that knows no TLS from 1.2 on, such as MySQL 5.7.22, which was
// built with yaSSL. One that is starting may do it, too.
func (in inputs) hangsUp(err error) bool {
	return in.ca != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET))
}

// cannotEncrypt is the failure of a server that is there but not over TLS.
func cannotEncrypt(flavor string, log lastWords, err error) error {
	return failWithLog(contract.ReasonInitialisationFailed, log, "%s answers, but not over TLS 1.2 or later with the certificate that it was given: %v; "+
		"use a build of the server with OpenSSL (MySQL 5.7 before 5.7.28 may have none), or set tls: Disabled", flavor, err)
}
