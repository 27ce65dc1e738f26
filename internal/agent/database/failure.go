package database

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/internal/result"
)

// unknownDatabase is the number of the error for a schema that does not exist.
const unknownDatabase = 1049

// reasons of the errors by which a server refuses a client.
var reasons = map[uint16]result.Reason{
	1044:            result.ReasonCredentialsRejected, // access denied to the schema
	1045:            result.ReasonCredentialsRejected, // access denied
	1142:            result.ReasonCredentialsRejected, // command denied on a table
	1698:            result.ReasonCredentialsRejected, // access denied by the plugin
	1251:            result.ReasonCredentialsRejected, // authentication protocol not supported
	1820:            result.ReasonCredentialsRejected, // password has to be changed
	1862:            result.ReasonCredentialsRejected, // password expired
	3118:            result.ReasonCredentialsRejected, // account locked
	4151:            result.ReasonCredentialsRejected, // account locked (MariaDB)
	unknownDatabase: result.ReasonSchemaMissing,
	1146:            result.ReasonSchemaMissing, // unknown table
	3159:            result.ReasonTLSFailed,     // server requires a secure transport
}

// FailureOf says what an error means for a client that could not get an answer.
func FailureOf(err error) *result.Failure {
	reason := result.ReasonTargetUnreachable
	var refusal *mysql.MySQLError
	if errors.As(err, &refusal) {
		if r, known := reasons[refusal.Number]; known {
			reason = r
		}
	}
	if tlsFailed(err) {
		reason = result.ReasonTLSFailed
	}
	message := fmt.Sprintf("asking the server: %v", err)
	if refusal != nil && refusal.Number == unknownDatabase {
		message += ": the schema that the target names is not there: create it, or correct its name"
	}
	return &result.Failure{Reason: reason, Message: message}
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
