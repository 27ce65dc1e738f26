package sysbench

import (
	"regexp"
	"strings"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// errorNumber finds the number of a MySQL error in the ways sysbench words it.
var errorNumber = regexp.MustCompile(`(?:\berror (\d{3,5})[: ]|MySQL error: (\d{3,5}) |errno = (\d{3,5}),)`)

// remedies of this tool for errors of the server.
var remedies = map[servererror.Kind]string{
	servererror.Collision:         "transactions collided: name the error in workload.sysbench.ignoreErrors, so that it is counted, or use fewer threads or more rows",
	servererror.Exists:            "drop the tables sbtest1, sbtest2, ... first, or use an empty schema",
	servererror.TooManyStatements: "raise max_prepared_stmt_count of the server, use fewer threads or tables, or dbPsMode: disable",
	servererror.Duplicate:         "with skipTrx, two threads may delete and insert the same row at the same time: set skipTrx to false, or use more rows",
}

// wordings are causes of FATAL lines without the number of an error, by how they
// begin. The numbers in them are built into sysbench 1.0 (sysbench.c): 131072 places of
// the queue (MAX_QUEUE_LEN), 30 s for the threads (THREAD_INIT_TIMEOUT).
var wordings = []struct {
	begins string
	runner.Cause
}{
	{"FATAL: The event queue is full.", overloaded},
	{"FATAL: Worker threads failed to initialize within", runner.Cause{Reason: contract.ReasonToolFailed, Remedy: "every thread connects and prepares its statements first, and sysbench 1.0 waits 30 s for all of them: use fewer threads " +
		"with more clients (clients.count), fewer tables, or dbPsMode: disable"}},
	{"FATAL: The --max-time limit has expired, forcing shutdown", runner.Cause{Reason: contract.ReasonOperationsUnfinished, Remedy: "transactions were still under way when options[forced-shutdown] had passed: look for locks and stalls of the server, or raise it"}},
	{"FATAL: Invalid random numbers distribution", runner.Cause{Reason: contract.ReasonToolFailed, Remedy: "sysbench 1.0 has no zipfian: choose another workload.sysbench.randType, or a runner image with sysbench 1.1"}},
}

var overloaded = runner.Cause{Reason: contract.ReasonTargetOverloaded, Remedy: "131072 transactions waited: the server, or the client with so few threads, " +
	"cannot keep up with the rate: lower workload.sysbench.rate, or raise threads"}

// wording is the cause of a line that names no error.
func wording(line string) (runner.Cause, bool) {
	for _, w := range wordings {
		if strings.HasPrefix(line, w.begins) {
			return w.Cause, true
		}
	}
	return runner.Cause{}, false
}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(t contract.Trial, phase contract.Phase, p Params, o runner.Output) *contract.Failure {
	switch {
	case len(r.fatals) > 0:
		return r.fatalFailure(runner.Refusals{
			Phase: phase, TLS: t.Endpoint.TLS, Loads: p.Script == nil || hasPhase(p.Script, contract.PhasePrepare), Remedies: remedies,
		})
	case signalOf(o) != "":
		return failed(contract.ReasonToolFailed, "sysbench was ended by %s: %s", signalOf(o), afterSignal(signalOf(o)))
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "sysbench ended with exit code %d%s", o.ExitCode, r.problems.Complaint(": this adapter is for sysbench 1.0"))
	case p.Script != nil && (phase == contract.PhasePrepare || phase == contract.PhaseCleanup):
		if r.version == "" {
			return failed(contract.ReasonOutputTruncated, "sysbench ended well, but its output lacks the line with its version: look at the raw output")
		}
		return nil
	case phase == contract.PhasePrepare || phase == contract.PhaseCleanup:
		if unproven := r.progress.unproven(phase, p, partOf(t, phase, p)); unproven != "" {
			return failed(contract.ReasonOutputTruncated,
				"sysbench ended well, but its output proves only that %s: look at the raw output and the server's log", unproven)
		}
		return nil
	}
	if len(r.doubled) > 0 {
		return failed(contract.ReasonToolFailed, "sysbench ended well, but its report gives these figures more than once: %s: look at the raw output", runner.Few(r.doubled))
	}
	if names := r.missing(p); len(names) > 0 {
		return failed(contract.ReasonOutputTruncated, "sysbench ended well, but its report lacks: %s: look at the raw output", runner.Few(names))
	}
	if phase == contract.PhaseRun {
		return r.unfinished(t, p)
	}
	return nil
}

// unfinished: sysbench ends well when the time is over before the events are done.
func (r *reading) unfinished(t contract.Trial, p Params) *contract.Failure {
	done := runner.Value(r.figures[figEvents])
	if p.Events == 0 || done >= float64(p.Events) {
		return nil
	}
	return failed(contract.ReasonOperationsUnfinished, "%.0f of %d events were done in %d s: raise design.duration, or lower workload.sysbench.events",
		done, p.Events, t.DurationSeconds)
}

// signalOf is the signal that ended the process, be it of sysbench or, as 128 and its
// number, of a shell around it.
func signalOf(o runner.Output) string {
	if o.Signal != "" {
		return o.Signal
	}
	return map[int]string{
		128 + 2: "SIGINT", 128 + 6: "SIGABRT", 128 + 7: "SIGBUS", 128 + 9: "SIGKILL", 128 + 11: "SIGSEGV", 128 + 15: "SIGTERM",
	}[o.ExitCode]
}

// afterSignal says where to look. sysbench handles none of these signals: nothing
// follows the last interval.
func afterSignal(signal string) string {
	return runner.AfterSignal(signal, "", " and at the server's log, for a lost server can make it crash")
}

// fatalFailure classifies by the first error number in the FATAL lines and
// quotes the first FATAL line with it.
func (r *reading) fatalFailure(refusals runner.Refusals) *contract.Failure {
	quoted, number := r.fatals[0], ""
	for _, line := range r.fatals {
		if n := numberIn(line); n != "" {
			quoted, number = line, n
			break
		}
	}
	kind := servererror.Of(number)
	why := refusals.CauseOf(kind, quoted)
	if number == "" {
		line, worded, known := r.worded()
		if quoted = line; known {
			why = worded
		}
	}
	if kind == servererror.AccessDenied && refusals.TLS == contract.TLSRequired {
		why.Remedy += "; or the server has no TLS: sysbench then goes on without it, and an account that requires TLS is refused"
	}
	first := ""
	if quoted != r.fatals[0] {
		first = runner.Abridge(r.fatals[0]) + "; "
	}
	return failed(why.Reason, "sysbench: %s%s: %s", first, runner.Abridge(quoted), why.Remedy)
}

// worded finds the first FATAL line whose wording is known; else it is the first of all.
func (r *reading) worded() (string, runner.Cause, bool) {
	for _, line := range r.fatals {
		if why, known := wording(line); known {
			return line, why, true
		}
	}
	return r.fatals[0], runner.Cause{}, false
}

func numberIn(line string) string {
	for _, m := range errorNumber.FindAllStringSubmatch(line, 1) {
		return m[1] + m[2] + m[3]
	}
	return ""
}

// opensStatement says whether the statement that a FATAL line quotes goes on
// below it.
func opensStatement(line string) bool {
	_, statement, quotes := strings.Cut(line, " for query '")
	return quotes && !closesStatement(statement)
}

func closesStatement(line string) bool { return strings.HasSuffix(line, "'") }

var failed = runner.Failed
