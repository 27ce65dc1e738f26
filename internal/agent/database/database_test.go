package database

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

func TestFailureOf(t *testing.T) {
	tests := map[string]struct {
		err  error
		want contract.Reason
	}{
		"a wrong password":                     {&mysql.MySQLError{Number: 1045}, contract.ReasonCredentialsRejected},
		"a schema that is another's":           {&mysql.MySQLError{Number: 1044}, contract.ReasonCredentialsRejected},
		"a schema that is not there":           {&mysql.MySQLError{Number: 1049}, contract.ReasonSchemaMissing},
		"a server that wants TLS":              {&mysql.MySQLError{Number: 3159}, contract.ReasonTLSFailed},
		"a server without TLS":                 {mysql.ErrNoTLS, contract.ReasonTLSFailed},
		"a handshake that is refused":          {errors.New("remote error: tls: handshake failure"), contract.ReasonTLSFailed},
		"a certificate that does not verify":   {&tls.CertificateVerificationError{Err: errors.New("x")}, contract.ReasonTLSFailed},
		"too many connections":                 {&mysql.MySQLError{Number: 1040}, contract.ReasonLimitTooLow},
		"an account that is locked":            {&mysql.MySQLError{Number: 4151}, contract.ReasonCredentialsRejected},
		"a number that nobody knows":           {&mysql.MySQLError{Number: 9999}, contract.ReasonTargetUnreachable},
		"a network error, however it is found": {errors.New("connection refused"), contract.ReasonTargetUnreachable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := FailureOf(fmt.Errorf("wrapped: %w", tc.err))
			want := &contract.Failure{Reason: tc.want, Message: "asking the server: wrapped: " + tc.err.Error()}
			if kind := KindOf(tc.err); kind != servererror.Unknown {
				want.Message += ": " + kind.Remedy()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenRefusesBadCertificates(t *testing.T) {
	tests := map[string]struct {
		credentials runner.Credentials
		want        string
	}{
		"a CA that is no certificate": {runner.Credentials{CA: []byte("x")}, "ca.crt"},
		"a certificate without a key": {runner.Credentials{Cert: []byte("x")}, "tls.crt and tls.key"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Open(contract.Endpoint{Host: "h", Port: 1, TLS: contract.TLSRequired}, tc.credentials)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
			if _, err := Open(contract.Endpoint{Host: "h", Port: 1, TLS: contract.TLSDisabled}, tc.credentials); err != nil {
				t.Errorf("without TLS they are not needed, but: %v", err)
			}
		})
	}
}

// Without a CA the agent trusts nobody whom the image does not know, unless the trial says so.
func TestWhomTheAgentTrusts(t *testing.T) {
	for what, tc := range map[string]struct {
		endpoint contract.Endpoint
		anybody  bool
	}{
		"Required":                     {contract.Endpoint{Host: "h", Port: 1, TLS: contract.TLSRequired}, false},
		"Required, without looking":    {contract.Endpoint{Host: "h", Port: 1, TLS: contract.TLSRequired, InsecureSkipVerify: true}, true},
		"Preferred, which may be none": {contract.Endpoint{Host: "h", Port: 1, TLS: contract.TLSPreferred}, true},
	} {
		cfg, err := configure(tc.endpoint, runner.Credentials{})
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.TLS.InsecureSkipVerify && cfg.TLS.VerifyConnection == nil; got != tc.anybody {
			t.Errorf("%s: trusts anybody: %v", what, got)
		}
	}
}

func TestQuoted(t *testing.T) {
	if got, want := quoted("a`b", "c"), "`a``b`.`c`"; got != want {
		t.Errorf("quoted = %s, want %s", got, want)
	}
}

func TestUnixTime(t *testing.T) {
	tests := map[string]struct {
		text string
		want time.Time // zero: refused
	}{
		"six decimals": {"1700000000.123456", time.UnixMicro(1700000000123456)},
		"fewer":        {"1700000000.5", time.UnixMicro(1700000000500000)},
		"none":         {"1700000000", time.UnixMicro(1700000000000000)},
		"more":         {"1700000000.1234567", time.Time{}},
		"no time":      {"NULL", time.Time{}},
		"nothing":      {"", time.Time{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := unixTime(tc.text)
			if (err != nil) != tc.want.IsZero() || !got.Equal(tc.want) {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}
