package gotpc

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// numbered finds the number of an error of the server in the words of the driver.
var numbered = regexp.MustCompile(`\bError ([0-9]{4})(?: \([0-9A-Z]{5}\))?:`)

// fatalLine is what ends a load that cannot go on, or a client that cannot begin, on stderr.
var fatalLine = regexp.MustCompile(`^panic: a fatal occurred when (?:preparing (?:view )?data|asking for the id of a connection): (.+)$`)

// Fatal is what ended a load, in the words of the driver; empty where the line is another one.
func Fatal(line string) string {
	if m := fatalLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func errorNumber(text string) string {
	if m := numbered.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
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

// lostWords tell a connection that was lost from a statement that failed.
var lostWords = []string{"invalid connection", "bad connection", "unexpected EOF", "broken pipe", "connection refused"}

// Lost is the failure of the first error that is a lost connection; nil where none is.
func Lost(texts []string) *contract.Failure {
	gone := slices.IndexFunc(texts, func(text string) bool {
		return slices.ContainsFunc(lostWords, func(word string) bool { return strings.Contains(text, word) })
	})
	if gone < 0 {
		return nil
	}
	return runner.Failed(servererror.Lost.Reason(), "go-tpc: %s: %s", runner.Abridge(lastWord(texts[gone])), servererror.Lost.Remedy())
}

// Explain an error in the words of the driver.
func Explain(text string, refusals runner.Refusals) *contract.Failure {
	kind, remedy := servererror.Of(errorNumber(text)), ""
	for _, w := range wordings {
		if kind == servererror.Unknown && strings.Contains(text, w.text) {
			kind, remedy = w.kind, w.remedy
		}
	}
	why := refusals.CauseOf(kind, text)
	return runner.Failed(why.Reason, "go-tpc: %s: %s", runner.Abridge(lastWord(text)), cmp.Or(remedy, why.Remedy))
}

// lastWord is what the driver said, without the statement before it.
func lastWord(text string) string {
	const separator = " failed "
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[i+len(separator):]
	}
	return text
}
