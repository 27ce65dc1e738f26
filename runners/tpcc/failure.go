package tpcc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// numbered finds the number of an error of the server in the words of the driver.
var numbered = regexp.MustCompile(`\bError ([0-9]{4})(?: \([0-9A-Z]{5}\))?:`)

func errorNumber(text string) string {
	if m := numbered.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// cause is what an error means for a run, and what to do.
type cause struct {
	reason contract.Reason
	remedy string
}

// causes by the number of the server's error.
var causes = map[string]cause{
	"1044": {contract.ReasonCredentialsRejected, "grant the account the privileges on the schema"},
	"1045": {contract.ReasonCredentialsRejected, "check the username and password in the target's Secret, and whether the account needs TLS"},
	"1142": {contract.ReasonCredentialsRejected, "grant the account the privileges on the schema"},
	"1049": {reason: contract.ReasonSchemaMissing}, // runner.MissingRemedy
	"1146": {reason: contract.ReasonSchemaMissing},
	"1062": {contract.ReasonSchemaNotEmpty, "drop the tables warehouse, district, customer, ... first, or use an empty schema"},
	"1040": {contract.ReasonLimitTooLow, "raise max_connections of the server above twice the number of threads, or use fewer threads"},
	"1461": {contract.ReasonLimitTooLow, "raise max_prepared_stmt_count of the server above 63 times the number of threads, or use fewer threads"},
	"1286": {contract.ReasonToolFailed, "name a storage engine that the server has"},
}

// wordings are causes of errors without a number.
var wordings = []struct {
	text string
	cause
}{
	{"connection refused", cause{contract.ReasonTargetUnreachable, "check the target's address and port, and that network policies let the clients through"}},
	{"no such host", cause{contract.ReasonTargetUnreachable, "check the target's address"}},
	{"TLS requested but server does not support TLS", cause{contract.ReasonTLSFailed, "give the server a certificate, or set the target's tls to Disabled"}},
	{"x509:", cause{contract.ReasonTLSFailed, "check that the server's certificate is of the CA in the target's Secret and of the name in its address"}},
	{"invalid connection", lost}, {"bad connection", lost}, {"unexpected EOF", lost}, {"broken pipe", lost},
}

var lost = cause{contract.ReasonConnectionLost, "look for a crash, a restart or an OOM kill of the server in its logs"}

// lostWords tell a connection that was lost from a transaction that failed.
var lostWords = []string{"invalid connection", "bad connection", "unexpected EOF", "broken pipe", "connection refused"}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(phase contract.Phase, p Params, o runner.Output) *contract.Failure {
	unproven := r.unproven(phase, p)
	gone := slices.IndexFunc(r.errors, func(text string) bool {
		return slices.ContainsFunc(lostWords, func(word string) bool { return strings.Contains(text, word) })
	})
	switch {
	case r.ping != "":
		return explain(r.ping, phase)
	case len(r.inserts) > 0:
		return explain(r.inserts[0], phase)
	case gone >= 0:
		return failed(lost.reason, "go-tpc: %s: %s", runner.Abridge(lastWord(r.errors[gone])), lost.remedy)
	case len(r.stopped) > 0:
		f := explain(r.stopped[0], phase)
		f.Message = fmt.Sprintf("%d of %d terminals stopped: %s", len(r.stopped), p.Threads, f.Message)
		return f
	case o.Signal != "":
		return failed(contract.ReasonToolFailed, "go-tpc was ended by %s: look for an OOM kill or an eviction of the client pod", o.Signal)
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "go-tpc ended with exit code %d%s", o.ExitCode, r.firstComplaint())
	case unproven != "" && len(r.errors) > 0:
		return explain(r.errors[0], phase)
	case unproven != "":
		return failed(contract.ReasonOutputTruncated, "go-tpc ended well, but %s: look at the raw output and the server's log", unproven)
	}
	return nil
}

// explain an error in the words of the driver.
func explain(text string, phase contract.Phase) *contract.Failure {
	why, known := causes[errorNumber(text)]
	for _, w := range wordings {
		if !known && strings.Contains(text, w.text) {
			why, known = w.cause, true
		}
	}
	if !known {
		why = cause{contract.ReasonToolFailed, "look at the raw output and the server's log"}
	}
	if why.reason == contract.ReasonSchemaMissing {
		why.remedy = runner.MissingRemedy(phase, true)
	}
	return failed(why.reason, "go-tpc: %s: %s", runner.Abridge(lastWord(text)), why.remedy)
}

// lastWord is what the driver said, without the statement before it.
func lastWord(text string) string {
	const separator = " failed "
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[i+len(separator):]
	}
	return text
}

// firstComplaint quotes the first line of stderr, such as that of a panic.
func (r *reading) firstComplaint() string {
	for _, p := range r.problems {
		if strings.HasSuffix(p.Source, "/stderr") {
			return ": " + p.Text
		}
	}
	return " and said nothing: look at the raw output"
}

func failed(reason contract.Reason, format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: reason, Message: fmt.Sprintf(format, args...)}
}
