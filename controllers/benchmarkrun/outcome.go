package benchmarkrun

import (
	"errors"
	"fmt"
	"time"
)

// outcome is how a step ended.
type outcome struct {
	kind outcomeKind
	// reason and message go into the step's condition; a step that is done needs no reason.
	reason, message string
	// after is when to look again, for a wait whose end is known; 0 for the usual poll.
	after time.Duration
	until time.Time
}

type outcomeKind int

const (
	// done: the next step may begin.
	done outcomeKind = iota
	// waiting: something has to happen first; a watch or the next poll tells.
	waiting
	// failed: it will not happen; the run ends.
	failed
)

// waitFor ends a pass: the step is not done yet.
func waitFor(reason, format string, args ...any) outcome {
	return outcome{kind: waiting, reason: reason, message: fmt.Sprintf(format, args...)}
}

// failWith ends the run.
func failWith(reason, format string, args ...any) outcome {
	return outcome{kind: failed, reason: reason, message: fmt.Sprintf(format, args...)}
}

// doneWith lets the next step begin.
func doneWith(format string, args ...any) outcome {
	return outcome{kind: done, message: fmt.Sprintf(format, args...)}
}

// refusal is an error that only the user can mend. Steps return it from deep
// inside; the pipeline turns it into a failed outcome in one place.
type refusal struct{ reason, message string }

func (r *refusal) Error() string { return r.message }

func refuse(reason, format string, args ...any) error {
	return &refusal{reason: reason, message: fmt.Sprintf(format, args...)}
}

// notYet is an error that time will mend, with words for the user.
type notYet struct{ reason, message string }

func (n *notYet) Error() string { return n.message }

func later(reason, format string, args ...any) error {
	return &notYet{reason: reason, message: fmt.Sprintf(format, args...)}
}

// translate turns a refusal into a failed outcome and a notYet into a wait; any
// other error stays one.
func translate(o outcome, err error) (outcome, error) {
	var r *refusal
	if errors.As(err, &r) {
		return outcome{kind: failed, reason: r.reason, message: r.message}, nil
	}
	var n *notYet
	if errors.As(err, &n) {
		return outcome{kind: waiting, reason: n.reason, message: n.message}, nil
	}
	return o, err
}

// deref is the outcome, or the empty one for nil.
func deref(o *outcome) outcome {
	if o == nil {
		return outcome{}
	}
	return *o
}
