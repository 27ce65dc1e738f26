// Package exit has the exit codes of `kubectl assay`, one table for all of its commands.
//
// In: the error that a command ended with. Out: the code of the program, and whether the error has to be
// printed. A command that has said in its output what it found ends with an error without a text.
package exit

import (
	"context"
	"errors"
	"regexp"

	"github.com/assay-bench/assay/internal/record/bundle"
)

// Exit codes. docs/guide/kubectl-assay.md has the table.
const (
	// OK: what was asked is done or holds; a run that was followed has passed.
	OK = 0
	// Problem: the command was called wrongly, or the API server refused it or did not answer, as with kubectl.
	Problem = 1
	// Failed: the run that was followed has failed.
	Failed = 2
	// Invalid: it is complete, and its results are not valid, or none of them counts.
	Invalid = 3
	// Gate: it is complete and valid, and its gate has failed.
	Gate = 4
	// Inconclusive: it is complete and valid, and its gate could not decide.
	Inconclusive = 5
	// Differs: what a run has stored was changed, or is gone, or a bundle is damaged.
	Differs = 6
	// Outside: a repetition does not lie within what the earlier runs predict.
	Outside = 7
	// Interrupted: Ctrl-C ended the command; the run goes on.
	Interrupted = 130
)

// Coded is an error with an exit code of its own.
type Coded struct {
	// Code of the program.
	Code int
	// Text for people; empty when the output has said it already.
	Text string
}

// Error is the text.
func (c Coded) Error() string { return c.Text }

// ErrDiffers ends a command whose output has said what differs.
var ErrDiffers error = Coded{Code: Differs}

// CodeOf an error, and what has to be printed of it; nothing for an empty text.
func CodeOf(err error) (code int, text string) {
	var coded Coded
	switch {
	case err == nil:
		return OK, ""
	case errors.As(err, &coded):
		return coded.Code, coded.Text
	case errors.Is(err, bundle.ErrDamaged):
		return Differs, err.Error()
	case errors.Is(err, context.Canceled):
		return Interrupted, "interrupted: " + err.Error()
	}
	return Problem, hinted(err.Error())
}

// hints are errors of the API server, and of the same checks without one, that do not say what to do.
var hints = []struct {
	says *regexp.Regexp
	do   string
}{
	{regexp.MustCompile(`must be of type string: "(number|integer|boolean)"|expected string, got &value`), `write it in quotes, such as "9.7", and a duration with its unit, such as 5m: without them it is no text in YAML`},
	{regexp.MustCompile(`field not declared in schema`), "the API has no such field: kubectl assay plan -f FILE names all fields that are wrong, and kubectl assay explain spec those that there are"},
}

// hinted is the text of an error, with what to do about it where that is known.
func hinted(text string) string {
	for _, h := range hints {
		if h.says.MatchString(text) {
			text += "\n" + h.do
		}
	}
	return text
}
