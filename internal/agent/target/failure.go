package target

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxLog is how much of the server's log goes into a termination message, in bytes.
const maxLog = 2 << 10

// failure is the end of the agent, with a reason for the manager.
type failure struct {
	reason contract.TargetReason
	// message is for people: the failure and the remedy.
	what string
	// log is the relevant part of the server's log, which is also in the pod's log.
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

// failWithLog adds the last error lines of the server's log; without errors, its last lines.
func failWithLog(reason contract.TargetReason, said lastWords, format string, args ...any) error {
	lines := said.lines
	var complaints []string
	for _, line := range lines {
		if said.IsComplaint(line) {
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

// lastWords are the last lines of a server's log, and what lines of its log mean.
type lastWords struct {
	engine.Log
	lines []string
}

// classify returns why a server ended unexpectedly, from its last lines and its exit. Before its
// first readiness (starting), its settings may be the cause.
func (w lastWords) classify(exit supervise.Exit, starting bool, otherwise contract.TargetReason) contract.TargetReason {
	// SIGKILL comes from the kernel when memory runs out.
	if exit.Signal == "SIGKILL" {
		return contract.ReasonServerKilled
	}
	return cmp.Or(w.ReasonOf(w.lines, starting), otherwise)
}
