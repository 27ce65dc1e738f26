package ycsb

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// judgement compares what an output said with what the phase of a client was asked for.
type judgement struct {
	*reading
	params Params
	trial  contract.Trial
	phase  contract.Phase
	// threads of the phase, and the operations that were asked for; 0 where it is bounded by time.
	threads, operations int64
}

func (r *reading) judge(t contract.Trial, phase contract.Phase, p Params) judgement {
	j := judgement{reading: r, params: p, trial: t, phase: phase, threads: int64(p.Threads)}
	switch phase {
	case contract.PhasePrepare:
		if s, err := shareOf(t, p); err == nil { // else there was no command either
			j.threads, j.operations = s.threads(p), s.count
		}
	case contract.PhaseRun:
		j.operations = p.OperationCount
	}
	return j
}

// failure judges a phase. Nil means that its work is proven to be done.
func (j judgement) failure(o runner.Output) *contract.Failure {
	if f := j.complaint(); f != nil {
		return f
	}
	if counts := j.report.errorCounts(); len(counts) > 0 {
		return failed(contract.ReasonToolFailed, "operations failed: %s: no error was printed: look at the raw output and the server's log", describe(counts))
	}
	switch {
	case j.trial.Endpoint.TLS == contract.TLSRequired && j.marks.tls == "none":
		return failed(contract.ReasonTLSFailed, "the server says that the session is not encrypted: check that it speaks TLS, and workload.ycsb.urlParameters")
	case j.marks.incomplete != "":
		return failed(contract.ReasonToolFailed, "YCSB: %s: %s", runner.Abridge(j.marks.incomplete), remedyOf(j.marks.incomplete))
	case o.Signal != "":
		return failed(contract.ReasonToolFailed, "YCSB was ended by %s: %s", o.Signal,
			runner.AfterSignal(o.Signal, ": the JVM takes a share of the memory limit for its heap, see workload.ycsb.jvmOptions", ""))
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "YCSB ended with exit code %d and said nothing: look at the raw output", o.ExitCode)
	case j.marks.seen && !j.marks.complete || j.phase == contract.PhaseCleanup && !j.marks.complete:
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its output lacks the last line (%sCOMPLETE): look at the raw output", markPrefix)
	case j.phase == contract.PhaseCleanup:
		return nil
	case len(j.report.doubled) > 0:
		return failed(contract.ReasonToolFailed, "YCSB ended well, but its report gives these figures more than once: %s: look at the raw output", runner.Few(j.report.doubled))
	}
	if names := j.missing(); len(names) > 0 {
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its report lacks: %s: look at the raw output", runner.Few(names))
	}
	if f := j.unfinished(); f != nil {
		return f
	}
	if f := j.uncut(); f != nil {
		return f
	}
	return j.batches()
}

// unfinished: YCSB ends well when the time is over before the operations are done, and
// when a thread gave up.
func (j judgement) unfinished() *contract.Failure {
	n := j.report.endedWell()
	if j.operations == 0 || n != nil && *n == j.operations {
		return nil
	}
	done := runner.Value(n)
	if j.phase == contract.PhasePrepare {
		return failed(contract.ReasonOperationsUnfinished, "%d of %d rows were loaded: look at the raw output and the server's log", done, j.operations)
	}
	if done > j.operations {
		return failed(contract.ReasonToolFailed, "%d operations were done, and %d were asked for (workload.ycsb.operationCount): look at the raw output", done, j.operations)
	}
	return failed(contract.ReasonOperationsUnfinished, "%d of %d operations were done in %d s: raise design.duration, or lower workload.ycsb.operationCount",
		done, j.operations, j.trial.DurationSeconds)
}

var failed = runner.Failed
