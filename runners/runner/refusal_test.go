package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/servererror"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestRemedyOfWhatIsMissingIsTrueOfThePhase(t *testing.T) {
	tests := map[string]struct {
		phase contract.Phase
		loads bool
		want  string
	}{
		"before the load there is nothing to load into": {contract.PhasePrepare, true, "create the schema"},
		"after the load somebody dropped it":            {contract.PhaseRun, true, "look for what dropped it"},
		"so in the warm-up":                             {contract.PhaseWarmup, true, "look for what dropped it"},
		"nothing was ever loaded":                       {contract.PhaseRun, false, "have to be there before the run"},
		"nothing is left to drop":                       {contract.PhaseCleanup, true, "gone already"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := Refusals{Phase: tc.phase, Loads: tc.loads}.CauseOf(servererror.Missing, "").Remedy
			if !strings.Contains(got, tc.want) || strings.Contains(got, "load the data") {
				t.Errorf("got %q, want it to hold %q", got, tc.want)
			}
		})
	}
}

func TestCauseOf(t *testing.T) {
	const remedy = "check the username and password in the target's Secret, and that the account may connect from this host"
	own := map[servererror.Kind]string{servererror.TooManyConnections: "use fewer terminals"}
	tests := map[string]struct {
		refusals Refusals
		kind     servererror.Kind
		want     Cause
	}{
		"a remedy of the table":             {Refusals{TLS: contract.TLSRequired, Remedies: own}, servererror.AccessDenied, Cause{contract.ReasonCredentialsRejected, remedy}},
		"an account may require TLS":        {Refusals{}, servererror.AccessDenied, Cause{contract.ReasonCredentialsRejected, remedy + "; or the account requires TLS, and the target's tls is Disabled"}},
		"a remedy of the tool":              {Refusals{Remedies: own}, servererror.TooManyConnections, Cause{contract.ReasonLimitTooLow, "use fewer terminals"}},
		"a reason that follows the phase":   {Refusals{Phase: contract.PhasePrepare}, servererror.Duplicate, Cause{contract.ReasonSchemaNotEmpty, servererror.Exists.Remedy()}},
		"a privilege that the server names": {Refusals{}, servererror.NoPrivilege, Cause{contract.ReasonCredentialsRejected, "the account lacks INDEX: GRANT INDEX on the schema of that table TO the account of the target's Secret"}},
		"an error that is not in the table": {Refusals{}, servererror.Unknown, Cause{contract.ReasonToolFailed, "look at the raw output and the server's log"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.refusals.CauseOf(tc.kind, "INDEX command denied to user")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
