package trial

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
)

// A server that is wrong only sometimes does not complete a run by other attempts: a trial with a wrong result is invalid, and final.
func TestAWrongResultIsNotTriedAgain(t *testing.T) {
	client := func(i int, checksum float64, wrong ...string) contract.Result {
		sum := runner.Number(contract.NameResultChecksum, "1", "", checksum)
		sum.Labels = map[string]string{contract.LabelOperation: "q1"}
		return contract.Result{
			State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun), Client: i},
			Measurements: []contract.Measurement{sum}, Answers: &contract.Answers{Compared: 2, Wrong: wrong},
		}
	}
	for name, tt := range map[string]struct {
		results []contract.Result
		want    int
	}{
		"right results":                      {results: []contract.Result{client(0, 1), client(1, 1)}},
		"a client has a wrong one":           {results: []contract.Result{client(0, 1), client(1, 1, "q1 is wrong")}, want: 1},
		"two clients have other ones":        {results: []contract.Result{client(0, 1), client(1, 2)}, want: 1},
		"one client, whose results differ":   {results: []contract.Result{client(0, 1, "q1 is wrong")}, want: 1},
		"a wrong one, and others of clients": {results: []contract.Result{client(0, 1, "q1 is wrong"), client(1, 2)}, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			in := oneTrial()
			in.Run.Spec.Design.OnTrialFailure, in.Run.Spec.Design.MaxRetries = v1alpha1.OnFailureRetry, 5
			at := journal.Position{}
			rec := Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: tt.results}, decision.Known{}.Ask())
			found := 0
			for _, f := range rec.Findings {
				if f.Check == validity.CheckWrongResults && f.Severity == string(validity.Invalid) {
					found++
				}
			}
			if found != tt.want || rec.State != contract.Succeeded || !rec.Final || rec.Valid == nil || tt.want > 0 && *rec.Valid {
				t.Errorf("state %s, final %v, valid %v, findings %+v, want %d of a wrong result", rec.State, rec.Final, *rec.Valid, rec.Findings, tt.want)
			}
		})
	}
}
