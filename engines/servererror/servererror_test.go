package servererror

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestReasons(t *testing.T) {
	type row struct {
		Kind   Kind
		Reason contract.Reason
	}
	tests := map[string]struct {
		number string
		phase  contract.Phase
		want   row
	}{
		"a wrong password":                          {"1045", contract.PhaseRun, row{AccessDenied, contract.ReasonCredentialsRejected}},
		"a plugin refuses the account":              {"1698", contract.PhaseRun, row{AccessDenied, contract.ReasonCredentialsRejected}},
		"an account of MariaDB that is locked":      {"4151", contract.PhaseRun, row{AccountUnusable, contract.ReasonCredentialsRejected}},
		"a client without the account's plugin":     {"2059", contract.PhaseRun, row{LoginMethod, contract.ReasonCredentialsRejected}},
		"no privilege on a table":                   {"1142", contract.PhaseRun, row{NoPrivilege, contract.ReasonCredentialsRejected}},
		"no schema":                                 {"1049", contract.PhasePrepare, row{Missing, contract.ReasonSchemaMissing}},
		"no table":                                  {"1146", contract.PhaseRun, row{Missing, contract.ReasonSchemaMissing}},
		"a table that is there":                     {"1050", contract.PhasePrepare, row{Exists, contract.ReasonSchemaNotEmpty}},
		"rows that a load finds":                    {"1062", contract.PhasePrepare, row{Exists, contract.ReasonSchemaNotEmpty}},
		"a key that a workload inserts twice":       {"1062", contract.PhaseRun, row{Duplicate, contract.ReasonToolFailed}},
		"too many connections need a higher limit":  {"1040", contract.PhaseRun, row{TooManyConnections, contract.ReasonLimitTooLow}},
		"so do too many prepared statements":        {"1461", contract.PhaseRun, row{TooManyStatements, contract.ReasonLimitTooLow}},
		"and too many connections of an account":    {"1203", contract.PhaseRun, row{ResourceLimit, contract.ReasonLimitTooLow}},
		"a deadlock":                                {"1213", contract.PhaseRun, row{Collision, contract.ReasonToolFailed}},
		"a write conflict of TiDB":                  {"9007", contract.PhaseRun, row{Collision, contract.ReasonToolFailed}},
		"a storage engine that the server has not":  {"1286", contract.PhasePrepare, row{NoStorageEngine, contract.ReasonToolFailed}},
		"a server that is read-only":                {"1290", contract.PhaseRun, row{ReadOnly, contract.ReasonToolFailed}},
		"a full disk":                               {"1114", contract.PhasePrepare, row{OutOfSpace, contract.ReasonToolFailed}},
		"a server that requires TLS":                {"3159", contract.PhaseRun, row{TLS, contract.ReasonTLSFailed}},
		"nobody listens":                            {"2003", contract.PhaseRun, row{Unreachable, contract.ReasonTargetUnreachable}},
		"a server that went away":                   {"2013", contract.PhaseRun, row{Lost, contract.ReasonConnectionLost}},
		"a server that shuts down":                  {"1053", contract.PhaseRun, row{Lost, contract.ReasonConnectionLost}},
		"a number for anything is not known":        {"1105", contract.PhaseRun, row{Unknown, contract.ReasonToolFailed}},
		"nor is a number of another kind of server": {"18456", contract.PhaseRun, row{Unknown, contract.ReasonToolFailed}},
		"nor a text":                                {"x", contract.PhaseRun, row{Unknown, contract.ReasonToolFailed}},
		"nor nothing":                               {"", contract.PhaseRun, row{Unknown, contract.ReasonToolFailed}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			kind := Of(tc.number).In(tc.phase)
			if diff := cmp.Diff(tc.want, row{kind, kind.Reason()}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// One number has one kind, and every kind a reason, a remedy and a number.
func TestTable(t *testing.T) {
	of := map[int]Kind{}
	for kind, m := range meanings {
		if kind == Unknown || m.reason == "" || m.remedy == "" || len(m.numbers) == 0 {
			t.Errorf("%q: %+v", kind, m)
		}
		for _, n := range m.numbers {
			if of[n] != "" {
				t.Errorf("%d is %s and %s", n, of[n], kind)
			}
			of[n] = kind
		}
	}
}
