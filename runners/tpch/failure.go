package tpch

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// remedies of this tool for errors of the server.
var remedies = map[servererror.Kind]string{
	servererror.Exists:             "drop the tables lineitem, partsupp, supplier, ... first, or use an empty schema",
	servererror.TooManyConnections: "raise max_connections of the server above three times the number of threads, or use fewer threads",
}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(t contract.Trial, phase contract.Phase, p Params, o runner.Output) *contract.Failure {
	refusals := runner.Refusals{Phase: phase, TLS: t.Endpoint.TLS, Loads: true, Remedies: remedies}
	if f := r.saidFailure(refusals); f != nil {
		return f
	}
	unproven := r.unproven(phase, p)
	switch {
	case o.Signal != "":
		return runner.Failed(contract.ReasonToolFailed, "go-tpc was ended by %s: %s", o.Signal, runner.AfterSignal(o.Signal, "", ""))
	case o.ExitCode != 0:
		return runner.Failed(contract.ReasonToolFailed, "go-tpc ended with exit code %d%s", o.ExitCode, r.problems.Complaint(""))
	case phase == contract.PhaseRun && r.finished && !r.stoppedAtAResult() && r.timeIsUp(p):
		return runner.Failed(contract.ReasonOperationsUnfinished, "%d of %d queries were executed in %d s: raise design.duration, or name fewer workload.tpch.queries",
			len(r.executions), p.operations(), t.DurationSeconds)
	case unproven != "":
		return runner.Failed(contract.ReasonOutputTruncated, "go-tpc ended well, but %s: look at the raw output and the server's log", unproven)
	}
	return nil
}

// saidFailure is one that go-tpc said; nil where it said none. A wrong result is none (answers.go).
func (r *reading) saidFailure(refusals runner.Refusals) *contract.Failure {
	fails := slices.IndexFunc(r.complaints, func(c complaint) bool { return !c.differs })
	var texts []string
	for _, c := range r.complaints {
		texts = append(texts, c.text)
	}
	lost := gotpc.Lost(append(texts, r.stopped...))
	switch {
	case r.ping != "":
		return gotpc.Explain(r.ping, refusals)
	case r.fatal != "":
		return gotpc.Explain(r.fatal, refusals)
	case lost != nil:
		return lost
	case fails >= 0:
		f := gotpc.Explain(r.complaints[fails].text, refusals)
		f.Message = r.complaints[fails].query + ": " + f.Message
		return f
	case len(r.stopped) > 0:
		return gotpc.Explain(r.stopped[0], refusals)
	}
	return nil
}

// timeIsUp: some of the queries were not executed, none more often than asked, and nothing else is wrong.
func (r *reading) timeIsUp(p Params) bool {
	if n := int64(len(r.executions)); n == 0 || n >= p.operations() {
		return false
	}
	for query, all := range gotpc.ByQuery(r.executions) {
		if len(all) > int(p.Threads) || !slices.ContainsFunc(p.Queries, func(q v1alpha1.TPCHQuery) bool { return string(q) == query }) {
			return false
		}
	}
	return true
}
