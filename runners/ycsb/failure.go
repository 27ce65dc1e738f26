package ycsb

import (
	"fmt"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// expectation is what a phase of a client was asked for.
type expectation struct {
	phase   contract.Phase
	tls     contract.TLSMode
	threads int32
	// operations that were asked for; 0 where the phase is bounded by time.
	operations int64
	// isOpen says that a rate was asked for: intended latencies are reported then.
	isOpen bool
	// batchAPI and batchSize as in Params.
	batchAPI  bool
	batchSize int32
	// seconds that the measured window lasts at most.
	seconds int64
	// isTimed says that the process was told when its window begins.
	isTimed bool
}

func expect(t contract.Trial, phase contract.Phase, p Params) expectation {
	e := expectation{
		phase: phase, tls: t.Endpoint.TLS, threads: p.Threads, isOpen: p.Target > 0,
		batchAPI: p.BatchUpdateAPI, batchSize: p.BatchSize, seconds: t.DurationSeconds,
	}
	switch phase {
	case contract.PhasePrepare:
		e.isOpen = false
		if s, err := shareOf(t, p); err == nil { // else there was no command either
			e.operations = s.count
			e.threads = int32(max(1, min(int64(p.Threads), s.count)))
		}
	case contract.PhaseRun:
		e.operations = p.OperationCount
		e.isTimed = p.isTimed(t, phase)
	}
	return e
}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(e expectation, o runner.Output) *contract.Failure {
	if f := r.complaint(e); f != nil {
		return f
	}
	if counts := r.report.errorCounts(); len(counts) > 0 {
		return failed(contract.ReasonToolFailed, "operations failed: %s: no error was printed: look at the raw output and the server's log", describe(counts))
	}
	switch {
	case e.tls == contract.TLSRequired && r.marks.tls == "none":
		return failed(contract.ReasonTLSFailed, "the server says that the session is not encrypted: check that it speaks TLS, and workload.ycsb.urlParameters")
	case r.marks.incomplete != "":
		return failed(contract.ReasonToolFailed, "YCSB: %s: look at the raw output", runner.Abridge(r.marks.incomplete))
	case o.Signal != "":
		return failed(contract.ReasonToolFailed, "YCSB was ended by %s: %s", o.Signal, afterSignal(o.Signal))
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "YCSB ended with exit code %d and said nothing: look at the raw output", o.ExitCode)
	case r.marks.seen && !r.marks.complete || e.phase == contract.PhaseCleanup && !r.marks.complete:
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its output lacks the last line (%sCOMPLETE): look at the raw output", markPrefix)
	case e.phase == contract.PhaseCleanup:
		return nil
	case len(r.report.doubled) > 0:
		return failed(contract.ReasonToolFailed, "YCSB ended well, but its report gives these figures more than once: %s: look at the raw output", list(r.report.doubled))
	}
	if names := r.missing(e); len(names) > 0 {
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its report lacks: %s: look at the raw output", list(names))
	}
	if f := r.unfinished(e); f != nil {
		return f
	}
	if f := r.uncut(e); f != nil {
		return f
	}
	return r.batches(e)
}

// unfinished: YCSB ends well when the time is over before the operations are done, and
// when a thread gave up.
func (r *reading) unfinished(e expectation) *contract.Failure {
	n := r.report.endedWell()
	if e.operations == 0 || n != nil && *n == e.operations {
		return nil
	}
	done := int64(0)
	if n != nil {
		done = *n
	}
	if e.phase == contract.PhasePrepare {
		return failed(contract.ReasonUnfinished, "%d of %d rows were loaded: look at the raw output and the server's log", done, e.operations)
	}
	if done > e.operations {
		return failed(contract.ReasonToolFailed, "%d operations were done, and %d were asked for (workload.ycsb.operationCount): look at the raw output", done, e.operations)
	}
	return failed(contract.ReasonUnfinished, "%d of %d operations were done in %d s: raise design.duration, or lower workload.ycsb.operationCount",
		done, e.operations, e.seconds)
}

// afterSignal says where to look.
func afterSignal(signal string) string {
	switch signal {
	case "SIGKILL":
		return "look for an OOM kill or an eviction of the client pod: the JVM takes a share of the memory limit for its heap, see workload.ycsb.jvmOptions"
	case "SIGSEGV", "SIGABRT", "SIGBUS":
		return "the JVM crashed; look at the raw output"
	}
	return "something told it to stop before its time"
}

func failed(reason contract.Reason, format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: reason, Message: fmt.Sprintf(format, args...)}
}
