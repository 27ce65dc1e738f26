package sysbench

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// errorNumber finds the number of a MySQL error in the ways sysbench words it.
var errorNumber = regexp.MustCompile(`(?:\berror (\d{3,5})[: ]|MySQL error: (\d{3,5}) |errno = (\d{3,5}),)`)

// cause is the meaning of a MySQL error for a run, and what to do.
type cause struct {
	reason contract.Reason
	remedy string
}

var (
	rejected    = cause{contract.ReasonCredentialsRejected, "check the username and password in the target's Secret, and that the account may connect from this host"}
	unreachable = cause{contract.ReasonTargetUnreachable, "check the target's address and port, and that network policies let the clients through"}
	lost        = cause{contract.ReasonConnectionLost, "look for a crash, a restart or an OOM kill of the server in its logs"}
	missing     = cause{reason: contract.ReasonSchemaMissing} // runner.MissingRemedy
	tlsFailed   = cause{contract.ReasonTLSFailed, "check that the server speaks TLS and that the target's Secret has its CA and a client certificate that this CA signed"}
)

// wordings are causes of FATAL lines without the number of an error, by how they
// begin. The numbers in them are built into sysbench 1.0 (sysbench.c): 131072 places of
// the queue (MAX_QUEUE_LEN), 30 s for the threads (THREAD_INIT_TIMEOUT).
var wordings = []struct {
	begins string
	cause
}{
	{"FATAL: The event queue is full.", overloaded},
	{"FATAL: Worker threads failed to initialize within", cause{contract.ReasonToolFailed,
		"every thread connects and prepares its statements first, and sysbench 1.0 waits 30 s for all of them: use fewer threads " +
			"with more clients (clients.count), fewer tables, or dbPsMode: disable"}},
	{"FATAL: The --max-time limit has expired, forcing shutdown", cause{contract.ReasonOperationsUnfinished,
		"transactions were still under way when options[forced-shutdown] had passed: look for locks and stalls of the server, or raise it"}},
	{"FATAL: Invalid random numbers distribution", cause{contract.ReasonToolFailed,
		"sysbench 1.0 has no zipfian: choose another workload.sysbench.randType, or a runner image with sysbench 1.1"}},
}

var overloaded = cause{contract.ReasonTargetOverloaded, "131072 transactions waited: the server, or the client with so few threads, " +
	"cannot keep up with the rate: lower workload.sysbench.rate, or raise threads"}

// wording is the cause of a line that names no error.
func wording(line string) (cause, bool) {
	for _, w := range wordings {
		if strings.HasPrefix(line, w.begins) {
			return w.cause, true
		}
	}
	return cause{}, false
}

// causes by MySQL error number.
var causes = map[string]cause{
	"1045": rejected,
	"1044": {contract.ReasonCredentialsRejected, "grant the account the privileges on the schema"},
	"1142": {contract.ReasonCredentialsRejected, "grant the account the privileges on the schema"},
	"2002": unreachable, "2003": unreachable, "2005": unreachable,
	"2006": lost, "2013": lost, "1053": lost,
	"1049": missing, "1146": missing,
	"1050": {contract.ReasonSchemaNotEmpty, "drop the tables sbtest1, sbtest2, ... first, or use an empty schema"},
	"2026": tlsFailed, "3159": tlsFailed,
	"1040": {contract.ReasonLimitTooLow, "raise max_connections of the server above the number of threads, or use fewer threads"},
	"1461": {contract.ReasonLimitTooLow, "raise max_prepared_stmt_count of the server, use fewer threads or tables, or dbPsMode: disable"},
	"1062": {contract.ReasonToolFailed, "with skipTrx, two threads may delete and insert the same row at the same time: set skipTrx to false, or use more rows"},
	"1286": {contract.ReasonToolFailed, "name a storage engine that the server has"},
}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(t contract.Trial, phase contract.Phase, p Params, o runner.Output) *contract.Failure {
	switch {
	case len(r.fatals) > 0:
		return r.fatalFailure(t.Endpoint.TLS, runner.MissingRemedy(phase, p.Script == nil || hasPhase(p.Script, contract.PhasePrepare)))
	case signalOf(o) != "":
		return failed(contract.ReasonToolFailed, "sysbench was ended by %s: %s", signalOf(o), afterSignal(signalOf(o)))
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "sysbench ended with exit code %d%s", o.ExitCode, r.firstComplaint())
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
		return failed(contract.ReasonToolFailed, "sysbench ended well, but its report gives these figures more than once: %s: look at the raw output", list(r.doubled))
	}
	if names := r.missing(p); len(names) > 0 {
		return failed(contract.ReasonOutputTruncated, "sysbench ended well, but its report lacks: %s: look at the raw output", list(names))
	}
	if phase == contract.PhaseRun {
		return r.unfinished(t, p)
	}
	return nil
}

// unfinished: sysbench ends well when the time is over before the events are done.
func (r *reading) unfinished(t contract.Trial, p Params) *contract.Failure {
	done := r.figures[figEvents]
	if p.Events == 0 || done.value >= float64(p.Events) {
		return nil
	}
	return failed(contract.ReasonOperationsUnfinished, "%.0f of %d events were done in %d s: raise design.duration, or lower workload.sysbench.events",
		done.value, p.Events, t.DurationSeconds)
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
	switch signal {
	case "SIGKILL":
		return "look for an OOM kill or an eviction of the client pod"
	case "SIGSEGV", "SIGABRT", "SIGBUS":
		return "it crashed; look at the raw output and at the server's log, for a lost server can make it crash"
	}
	return "something told it to stop before its time"
}

// list names the first few.
func list(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// fatalFailure classifies by the first error number in the FATAL lines and
// quotes the first FATAL line with it. ifMissing is the remedy for a schema or a table that
// is not there.
func (r *reading) fatalFailure(tls contract.TLSMode, ifMissing string) *contract.Failure {
	quoted, number := r.fatals[0], ""
	for _, line := range r.fatals {
		if n := numberIn(line); n != "" {
			quoted, number = line, n
			break
		}
	}
	why, known := causes[number]
	if number == "" {
		quoted, why, known = r.worded()
	}
	if !known {
		why = cause{contract.ReasonToolFailed, "look at the raw output and the server's log"}
	}
	switch {
	case number == "1045":
		why.remedy += tlsHint(tls)
	case why.reason == contract.ReasonSchemaMissing:
		why.remedy = ifMissing
	}
	first := ""
	if quoted != r.fatals[0] {
		first = runner.Abridge(r.fatals[0]) + "; "
	}
	return failed(why.reason, "sysbench: %s%s: %s", first, runner.Abridge(quoted), why.remedy)
}

// worded finds the first FATAL line whose wording is known; else it is the first of all.
func (r *reading) worded() (string, cause, bool) {
	for _, line := range r.fatals {
		if why, known := wording(line); known {
			return line, why, true
		}
	}
	return r.fatals[0], cause{}, false
}

// tlsHint is the other reason for "access denied": servers refuse an account
// that requires TLS with the same number as one with a wrong password, and
// sysbench falls back to plain text when the server has no TLS.
func tlsHint(tls contract.TLSMode) string {
	if tls == contract.TLSRequired {
		return "; or the server has no TLS: sysbench then goes on without it, and an account that requires TLS is refused"
	}
	return "; or the account requires TLS, and the target's tls is Disabled"
}

func numberIn(line string) string {
	for _, m := range errorNumber.FindAllStringSubmatch(line, 1) {
		return m[1] + m[2] + m[3]
	}
	return ""
}

// firstComplaint quotes the first line of stderr, such as "invalid option".
func (r *reading) firstComplaint() string {
	for _, p := range r.problems {
		if strings.HasSuffix(p.Source, "/stderr") {
			return ": " + p.Text + ": this adapter is for sysbench 1.0"
		}
	}
	return " and said nothing: look at the raw output"
}

// opensStatement says whether the statement that a FATAL line quotes goes on
// below it.
func opensStatement(line string) bool {
	_, statement, quotes := strings.Cut(line, " for query '")
	return quotes && !closesStatement(statement)
}

func closesStatement(line string) bool { return strings.HasSuffix(line, "'") }

func failed(reason contract.Reason, format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: reason, Message: fmt.Sprintf(format, args...)}
}
