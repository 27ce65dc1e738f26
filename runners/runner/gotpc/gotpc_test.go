package gotpc

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// The words of go-sql-driver, as go-tpc prints them, have a reason and a remedy.
func TestExplain(t *testing.T) {
	for text, want := range map[string]struct {
		reason  contract.Reason
		message string
	}{
		"Error 1045 (28000): Access denied for user 'a'@'b' (using password: YES)":    {contract.ReasonCredentialsRejected, "Access denied"},
		"dial tcp 10.0.0.1:3306: connect: connection refused":                         {contract.ReasonTargetUnreachable, "connection refused"},
		"dial tcp: lookup db.bench.svc: no such host":                                 {contract.ReasonTargetUnreachable, "check the target's address"},
		"TLS requested but server does not support TLS":                               {contract.ReasonTLSFailed, "give the server a certificate"},
		"exec SELECT c_id FROM customer failed Error 1146 (42S02): Table is not here": {contract.ReasonSchemaMissing, "go-tpc: Error 1146 (42S02): Table is not here"},
		"something else": {contract.ReasonToolFailed, "go-tpc: something else"},
	} {
		got := Explain(text, runner.Refusals{Phase: contract.PhaseRun, TLS: contract.TLSDisabled, Loads: true})
		if got.Reason != want.reason || !strings.Contains(got.Message, want.message) {
			t.Errorf("%q: %+v, want %s with %q", text, got, want.reason, want.message)
		}
	}
}

// A lost connection is found among other errors, and is none of them.
func TestLost(t *testing.T) {
	if got := Lost([]string{"Error 1213 (40001): Deadlock found"}); got != nil {
		t.Errorf("a deadlock: %+v", got)
	}
	if got := Lost([]string{"Error 1213 (40001): Deadlock found", "execute q1 failed invalid connection"}); got == nil || got.Reason != contract.ReasonConnectionLost {
		t.Errorf("a lost connection: %+v", got)
	}
}
