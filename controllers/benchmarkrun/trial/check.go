package trial

import (
	"cmp"
	"slices"

	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/groups"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
)

// check compares the results of the clients of a trial that work with themselves and with what was asked for, and
// says which limits of their own those that measure ran into.
func check(in Input, e Execution, all outcome) ([]contract.RecordedFinding, []contract.RecordedLimit) {
	results := all.working
	var out []contract.RecordedFinding
	var limits []validity.Limit
	asked := message(in, e)
	for _, res := range results {
		i := res.Trial.Client
		expected, err := expectations(in, e, i)
		if err != nil {
			return []contract.RecordedFinding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}, nil
		}
		expected.Clients = besideIn(asked, i, results)
		expected.Judged = len(in.Plan.Trials) * max(len(results), 1)
		for _, f := range validity.Check(res, expected) {
			found := recorded(f)
			if len(results) > 1 {
				found.Client = new(int32(i))
			}
			if !in.Run.Spec.Measures(i) {
				found.Message = "the second load: " + found.Message
			}
			out = append(out, found)
		}
		if in.Run.Spec.Measures(i) {
			limits = append(limits, validity.Limits(res, expected)...)
		}
	}
	common := slices.Concat(validity.CheckNeighbours(results), validity.CheckCPUs(results, in.Run.Spec.Design.CPUs))
	if len(results) > 1 {
		common = append(common, validity.CheckClients(all.skew)...)
		common = append(common, validity.CheckAnswers(results)...)
	}
	return append(out, allRecorded(common)...), limitsOf(limits)
}

// besideIn is how many of the clients with a result use the server of one of them, with it.
func besideIn(asked contract.Trial, client int, results []contract.Result) (n int32) {
	beside := asked.Beside(client)
	for _, res := range results {
		if slices.Contains(beside, res.Trial.Client) {
			n++
		}
	}
	return n
}

// expectations that the result of one client is checked against.
func expectations(in Input, e Execution, client int) (runner.Expectations, error) {
	asked := message(in, e).Of(client)
	asked.Deadline = in.Now
	expected, err := expectationsOf(in, asked)
	if err != nil {
		return expected, err
	}
	demand, _, err := in.Work.Tool.Demand(asked)
	expected.Connections = demand.Connections
	return expected, err
}

// expectationsOf a trial. Nobody has said which storage engine tables of an external server that exist have, so that it is not known which
// counters of the server see their rows.
func expectationsOf(in Input, asked contract.Trial) (runner.Expectations, error) {
	expected, err := in.Work.Tool.Expectations(asked)
	expected.Shared = expected.Shared || groups.Shared(asked)
	delay, wrong := runner.Delay(asked)
	if !expected.Verified { // drivers may send many statements at once
		expected.Delay = delay
	}
	if asked.Existing && in.Run.Target(asked.Ref.Target).External != nil {
		expected.Rows = runner.Rows{}
	}
	return expected, cmp.Or(err, wrong)
}

// checkTogether asks of the results of a trial what one client's alone cannot say: what
// the server did for all of them, and whether its data was still what was loaded.
func checkTogether(in Input, e Execution, all outcome, ask *decision.Asking) []contract.RecordedFinding {
	asked := message(in, e).Of(0)
	asked.Deadline = in.Now
	expected, err := expectationsOf(in, asked)
	if err != nil {
		return nil // check has said so
	}
	var out []contract.RecordedFinding
	for i, s := range all.each() {
		expected.Clients = int32(len(s.results))
		if len(all.servers) == 0 { // a second load works on it, too
			expected.Clients = int32(e.Clients)
		}
		found := validity.CheckMerged(s.merged, expected, s.skew)
		if mayDrift(in, asked) && s.merged.State == contract.Succeeded && s.merged.Server != nil && s.merged.Server.Rows != nil {
			if loaded := loadResultOn(in, e.Ref.Target, i, ask); saysData(loaded) {
				found = append(found, validity.CheckDrift(loaded.Value.Result, s.merged, asked.Existing)...)
			}
		}
		for _, f := range found {
			one := recorded(f)
			if len(all.servers) > 0 {
				one.Client = new(int32(s.first))
			}
			out = append(out, one)
		}
	}
	return out
}

// saysData: the result of a load is there, and says what the tables held. That of a
// target that is reached by JDBC does not.
func saysData(loaded decision.Fact[decision.Delivered]) bool {
	return loaded.Exists && loaded.Value.Err == nil && loaded.Value.Result.Data != nil
}

// mayDrift says whether the rows that the server counted between loading and a trial are
// those of the target's own data. What a reset loads counts as inserted too, and the agent
// has compared the tables then. A server that other targets share counts what they loaded
// and did.
func mayDrift(in Input, trial contract.Trial) bool { return !in.resets() && !trial.SharedServer }

// throttledIn a trial, of all clients.
func throttledIn(results []contract.Result) []contract.RecordedLimit {
	var shares []validity.Limit
	for _, res := range results {
		shares = append(shares, validity.Throttled(res)...)
	}
	return limitsOf(shares)
}

// recorded is what the journal keeps of a check.
func recorded(f validity.Finding) contract.RecordedFinding {
	return contract.RecordedFinding{Check: f.Check, Severity: string(f.Severity), Message: f.Message}
}

func allRecorded(found []validity.Finding) []contract.RecordedFinding {
	var out []contract.RecordedFinding
	for _, f := range found {
		out = append(out, recorded(f))
	}
	return out
}

// limitsOf all clients as the journal keeps them.
func limitsOf(limits []validity.Limit) []contract.RecordedLimit {
	var out []contract.RecordedLimit
	for _, l := range validity.JoinLimits(limits...) {
		out = append(out, contract.RecordedLimit{By: string(l.By), ThrottledShare: l.ThrottledShare})
	}
	return out
}
