package tpcc

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
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

// remedies of this tool for errors of the server.
var remedies = map[servererror.Kind]string{
	servererror.Exists:             "drop the tables warehouse, district, customer, ... first, or use an empty schema",
	servererror.TooManyConnections: "raise max_connections of the server above twice the number of threads, or use fewer threads",
	servererror.TooManyStatements:  "raise max_prepared_stmt_count of the server above 63 times the number of threads, or use fewer threads",
}

// wordings are causes of errors without a number: what kind of error of a server they are, and
// what to do where more is known.
var wordings = []struct {
	text   string
	kind   servererror.Kind
	remedy string
}{
	{"connection refused", servererror.Unreachable, ""},
	{"no such host", servererror.Unreachable, "check the target's address"},
	{"TLS requested but server does not support TLS", servererror.TLS, "give the server a certificate, or set the target's tls to Disabled"},
	{"x509:", servererror.TLS, "check that the server's certificate is of the CA in the target's Secret and of the name in its address"},
	{"invalid connection", servererror.Lost, ""}, {"bad connection", servererror.Lost, ""},
	{"unexpected EOF", servererror.Lost, ""}, {"broken pipe", servererror.Lost, ""},
}

// lostWords tell a connection that was lost from a transaction that failed.
var lostWords = []string{"invalid connection", "bad connection", "unexpected EOF", "broken pipe", "connection refused"}

// failure judges a phase. Nil means that its work is proven to be done.
func (r *reading) failure(t contract.Trial, phase contract.Phase, p Params, o runner.Output) *contract.Failure {
	refusals := runner.Refusals{Phase: phase, TLS: t.Endpoint.TLS, Loads: true, Remedies: remedies}
	unproven := r.unproven(phase, p)
	gone := slices.IndexFunc(r.errors, func(text string) bool {
		return slices.ContainsFunc(lostWords, func(word string) bool { return strings.Contains(text, word) })
	})
	switch {
	case r.ping != "":
		return explain(r.ping, refusals)
	case len(r.inserts) > 0:
		return explain(r.inserts[0], refusals)
	case gone >= 0:
		return failed(servererror.Lost.Reason(), "go-tpc: %s: %s", runner.Abridge(lastWord(r.errors[gone])), servererror.Lost.Remedy())
	case len(r.stopped) > 0:
		f := explain(r.stopped[0], refusals)
		f.Message = fmt.Sprintf("%d of %d terminals stopped: %s", len(r.stopped), p.Threads, f.Message)
		return f
	case o.Signal != "":
		return failed(contract.ReasonToolFailed, "go-tpc was ended by %s: look for an OOM kill or an eviction of the client pod", o.Signal)
	case o.ExitCode != 0:
		return failed(contract.ReasonToolFailed, "go-tpc ended with exit code %d%s", o.ExitCode, r.problems.Complaint(""))
	case unproven != "" && len(r.errors) > 0:
		return explain(r.errors[0], refusals)
	case unproven != "":
		return failed(contract.ReasonOutputTruncated, "go-tpc ended well, but %s: look at the raw output and the server's log", unproven)
	}
	return nil
}

// explain an error in the words of the driver.
func explain(text string, refusals runner.Refusals) *contract.Failure {
	kind, remedy := servererror.Of(errorNumber(text)), ""
	for _, w := range wordings {
		if kind == servererror.Unknown && strings.Contains(text, w.text) {
			kind, remedy = w.kind, w.remedy
		}
	}
	why := refusals.CauseOf(kind, text)
	return failed(why.Reason, "go-tpc: %s: %s", runner.Abridge(lastWord(text)), cmp.Or(remedy, why.Remedy))
}

// lastWord is what the driver said, without the statement before it.
func lastWord(text string) string {
	const separator = " failed "
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[i+len(separator):]
	}
	return text
}

var failed = runner.Failed
