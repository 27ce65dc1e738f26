package database

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/internal/contract"
)

// unknownDatabase is the number of the error for a schema that does not exist.
const unknownDatabase = 1049

// reasons of errors with which a server refuses a client.
var reasons = map[uint16]contract.Reason{
	1044:            contract.ReasonCredentialsRejected, // access denied to the schema
	1045:            contract.ReasonCredentialsRejected, // access denied
	1142:            contract.ReasonCredentialsRejected, // command denied on a table
	1698:            contract.ReasonCredentialsRejected, // access denied by the plugin
	1251:            contract.ReasonCredentialsRejected, // authentication protocol not supported
	1820:            contract.ReasonCredentialsRejected, // password has to be changed
	1862:            contract.ReasonCredentialsRejected, // password expired
	3118:            contract.ReasonCredentialsRejected, // account locked
	4151:            contract.ReasonCredentialsRejected, // account locked (MariaDB)
	unknownDatabase: contract.ReasonSchemaMissing,
	1146:            contract.ReasonSchemaMissing, // unknown table
	3159:            contract.ReasonTLSFailed,     // server requires a secure transport
}

// FailureOf is the failure of a client whose query failed.
func FailureOf(err error) *contract.Failure {
	reason := contract.ReasonTargetUnreachable
	var refusal *mysql.MySQLError
	if errors.As(err, &refusal) {
		if r, known := reasons[refusal.Number]; known {
			reason = r
		}
	}
	if tlsFailed(err) {
		reason = contract.ReasonTLSFailed
	}
	message := fmt.Sprintf("asking the server: %v", err)
	if refusal != nil && refusal.Number == unknownDatabase {
		message += ": the schema that the target names is not there: create it, or correct its name"
	}
	return &contract.Failure{Reason: reason, Message: message}
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
