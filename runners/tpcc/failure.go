package tpcc

import (
	"fmt"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// remedies of this tool for errors of the server.
var remedies = map[servererror.Kind]string{
	servererror.Exists:             "drop the tables warehouse, district, customer, ... first, or use an empty schema",
	servererror.TooManyConnections: "raise max_connections of the server above twice the number of threads, or use fewer threads",
	servererror.TooManyStatements:  "raise max_prepared_stmt_count of the server above 63 times the number of threads, or use fewer threads",
}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(t contract.Trial, phase contract.Phase, p Params, o runner.Output) *contract.Failure {
	refusals := runner.Refusals{Phase: phase, TLS: t.Endpoint.TLS, Loads: true, Remedies: remedies}
	unproven := r.unproven(phase, p)
	lost := gotpc.Lost(r.errors)
	queries := r.queriesFailed(refusals)
	switch {
	case r.ping != "":
		return gotpc.Explain(r.ping, refusals)
	case r.fatal != "":
		return gotpc.Explain(r.fatal, refusals)
	case len(r.inserts) > 0:
		return gotpc.Explain(r.inserts[0], refusals)
	case lost != nil:
		return lost
	case queries != nil:
		return queries
	case len(r.stopped) > 0:
		f := gotpc.Explain(r.stopped[0], refusals)
		f.Message = fmt.Sprintf("%d of %d terminals stopped: %s", len(r.stopped), p.Threads, f.Message)
		return f
	case o.Signal != "":
		return failed(contract.ReasonToolFailed, "go-tpc was ended by %s: look for an OOM kill or an eviction of the client pod", o.Signal)
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "go-tpc ended with exit code %d%s", o.ExitCode, r.problems.Complaint(""))
	case unproven != "" && len(r.errors) > 0:
		return gotpc.Explain(r.errors[0], refusals)
	case unproven != "":
		return failed(contract.ReasonOutputTruncated, "go-tpc ended well, but %s: look at the raw output and the server's log", unproven)
	}
	return nil
}

var failed = runner.Failed
