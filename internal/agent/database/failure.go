package database

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines/servererror"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// FailureOf is the failure of a client whose query failed.
func FailureOf(err error) *contract.Failure {
	failure := &contract.Failure{Reason: contract.ReasonTargetUnreachable, Message: fmt.Sprintf("asking the server: %v", err)}
	switch kind := KindOf(err); {
	case tlsFailed(err):
		failure.Reason = contract.ReasonTLSFailed
	case kind != servererror.Unknown:
		failure.Reason = kind.Reason()
		failure.Message += ": " + kind.Remedy()
	}
	return failure
}

// KindOf is the kind of error with which a server refused a query; Unknown for a number that is
// not known, and for an error that is not of the server.
func KindOf(err error) servererror.Kind {
	var refusal *mysql.MySQLError
	if !errors.As(err, &refusal) {
		return servererror.Unknown
	}
	return servererror.Of(strconv.Itoa(int(refusal.Number)))
}

func tlsFailed(err error) bool {
	var (
		chain   *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		invalid x509.CertificateInvalidError
		name    x509.HostnameError
		record  tls.RecordHeaderError
		alert   tls.AlertError
	)
	return errors.Is(err, mysql.ErrNoTLS) || errors.As(err, &chain) || errors.As(err, &unknown) || errors.As(err, &invalid) ||
		errors.As(err, &name) || errors.As(err, &record) || errors.As(err, &alert)
}
