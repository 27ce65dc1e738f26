package target

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// maxLog is how much of the server's log goes into a termination message, in bytes.
const maxLog = 2 << 10

// failure is the end of the agent, with the reason that the manager reads.
type failure struct {
	reason contract.TargetReason
	// what happened, and what to do about it.
	what string
	// log is the telling part of the server's log, which the pod's log has already.
	log string
}

// Error leaves the server's log out.
func (f *failure) Error() string { return fmt.Sprintf("%s: %s", f.reason, f.what) }

func (f *failure) termination() contract.TargetTermination {
	message := f.what
	if f.log != "" {
		message += ". Its log said:\n" + f.log
	}
	return contract.TargetTermination{Reason: f.reason, Message: message}
}

func fail(reason contract.TargetReason, format string, args ...any) error {
	return &failure{reason: reason, what: fmt.Sprintf(format, args...)}
}

// failWithLog adds what the server complained of last; if it did not complain,
// the last lines of its log.
func failWithLog(reason contract.TargetReason, lines []string, format string, args ...any) error {
	var complaints []string
	for _, line := range lines {
		if isComplaint(line) {
			complaints = append(complaints, line)
		}
	}
	if len(complaints) > 0 {
		lines = complaints
	}
	return &failure{reason: reason, what: fmt.Sprintf(format, args...), log: lastLines(lines)}
}

// lastLines joins as many of the last lines as fit.
func lastLines(lines []string) string {
	text := strings.Join(lines, "\n")
	if over := len(text) - maxLog; over > 0 {
		text = text[over:]
		if _, whole, ok := strings.Cut(text, "\n"); ok {
			text = whole
		}
	}
	return strings.ToValidUTF8(text, "")
}
