package database

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// FailureOf is the failure of a client whose query failed.
func FailureOf(err error) *contract.Failure {
	failure := &contract.Failure{Reason: contract.ReasonTargetUnreachable, Message: fmt.Sprintf("asking the server: %v", err)}
	switch kind := KindOf(err); {
	case TLSFailed(err):
		failure.Reason = contract.ReasonTLSFailed
	case kind != servererror.Unknown:
		failure.Reason = kind.Reason()
		failure.Message += ": " + kind.RemedyFor(err.Error())
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

// TLSFailed reports whether the server answers, but TLS with it does not work. Most errors of crypto/tls have no type, and
// all begin alike.
func TLSFailed(err error) bool {
	return errors.Is(err, mysql.ErrNoTLS) || strings.Contains(err.Error(), "tls: ")
}
