package ycsb

import (
	"fmt"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
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

// judgement compares what an output said with what was expected of it.
type judgement struct {
	*reading
	want expectation
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
	case j.want.tls == contract.TLSRequired && j.marks.tls == "none":
		return failed(contract.ReasonTLSFailed, "the server says that the session is not encrypted: check that it speaks TLS, and workload.ycsb.urlParameters")
	case j.marks.incomplete != "":
		return failed(contract.ReasonToolFailed, "YCSB: %s: look at the raw output", runner.Abridge(j.marks.incomplete))
	case o.Signal != "":
		return failed(contract.ReasonToolFailed, "YCSB was ended by %s: %s", o.Signal, afterSignal(o.Signal))
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "YCSB ended with exit code %d and said nothing: look at the raw output", o.ExitCode)
	case j.marks.seen && !j.marks.complete || j.want.phase == contract.PhaseCleanup && !j.marks.complete:
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its output lacks the last line (%sCOMPLETE): look at the raw output", markPrefix)
	case j.want.phase == contract.PhaseCleanup:
		return nil
	case len(j.report.doubled) > 0:
		return failed(contract.ReasonToolFailed, "YCSB ended well, but its report gives these figures more than once: %s: look at the raw output", list(j.report.doubled))
	}
	if names := j.missing(); len(names) > 0 {
		return failed(contract.ReasonOutputTruncated, "YCSB ended well, but its report lacks: %s: look at the raw output", list(names))
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
	if j.want.operations == 0 || n != nil && *n == j.want.operations {
		return nil
	}
	done := int64(0)
	if n != nil {
		done = *n
	}
	if j.want.phase == contract.PhasePrepare {
		return failed(contract.ReasonOperationsUnfinished, "%d of %d rows were loaded: look at the raw output and the server's log", done, j.want.operations)
	}
	if done > j.want.operations {
		return failed(contract.ReasonToolFailed, "%d operations were done, and %d were asked for (workload.ycsb.operationCount): look at the raw output", done, j.want.operations)
	}
	return failed(contract.ReasonOperationsUnfinished, "%d of %d operations were done in %d s: raise design.duration, or lower workload.ycsb.operationCount",
		done, j.want.operations, j.want.seconds)
}

// afterSignal says where to look.
func afterSignal(signal string) string {
	switch signal {
	case "SIGKILL":
		return "look for an OOM kill or an eviction of the client pod: the JVM takes a share of the memory limit for its heap, see workload.ycsb.jvmOptions"
	case "SIGSEGV", "SIGABRT", "SIGBUS":
		return "the JVM crashed; look at the raw output"
	}
	return "a signal from outside stopped it early"
}

func failed(reason contract.Reason, format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: reason, Message: fmt.Sprintf(format, args...)}
}
