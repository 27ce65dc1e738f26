package search

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// saying is what a trial says of its rate.
type saying int

const (
	// useless: nothing, and another trial may.
	useless saying = iota
	// holds, or fails: it is a probe.
	holds
	fails
	// mute: nothing, and no other trial will.
	mute
)

// judged is a trial.
type judged struct {
	says saying
	// saturated: the target did not achieve the rate.
	saturated bool
	// why it does not hold, or says nothing.
	why string
}

// judge a trial that no attempt follows. What it says of its rate never depends on other trials.
func (s Search) judge(rec *contract.Record) judged {
	switch {
	case overloaded(rec):
		return judged{fails, true, rec.Message}
	case rec.State != contract.Succeeded:
		return judged{useless, false, fmt.Sprintf("trial %d failed: %s: %s", rec.Index, rec.Reason, rec.Message)}
	case rec.Valid == nil || !*rec.Valid:
		return judged{useless, false, fmt.Sprintf("trial %d is invalid: %s", rec.Index, finding(rec, validity.Invalid))}
	case rec.Disturbed:
		return judged{useless, false, fmt.Sprintf("trial %d was disturbed: %s", rec.Index, finding(rec, validity.Disturbed))}
	case rec.Saturated:
		i := slices.IndexFunc(rec.Findings, func(f contract.RecordedFinding) bool { return f.Check == validity.CheckSaturated })
		why := "the target did not achieve the offered rate"
		if i >= 0 {
			why = rec.Findings[i].Message
		}
		return judged{fails, true, why}
	}
	failed, err := s.checkErrors(rec.Values)
	for i := 0; i < len(s.Objectives) && failed == "" && err == nil; i++ {
		failed, err = s.Objectives[i].check(rec.Values)
	}
	switch {
	case err != nil:
		return judged{mute, false, err.Error()}
	case failed != "":
		return judged{fails, false, failed}
	}
	return judged{says: holds}
}

// overloaded says that a trial failed because the tool could not keep up with the rate that it was to
// offer: in a search an answer, and no failure.
func overloaded(rec *contract.Record) bool {
	return rec.State == contract.Failed && rec.Reason == string(contract.ReasonTargetOverloaded)
}

// finding is the message of the first finding of a severity.
func finding(rec *contract.Record, of validity.Severity) string {
	for _, f := range rec.Findings {
		if f.Severity == string(of) {
			return f.Message
		}
	}
	return "see its findings"
}

// checkErrors compares the share of errors with the largest one: why a trial fails, empty when it
// holds. An operation that the tool repeats is one for each of its errors, and one when it succeeds.
func (s Search) checkErrors(values []contract.RecordedValue) (failed string, err error) {
	errors, hasErrors := Objective{Name: contract.NameErrorRate}.find(values)
	achieved, hasAchieved := Objective{Name: contract.NameThroughput}.find(values)
	all := errors.Value + achieved.Value
	if !hasErrors || !hasAchieved || !(all > 0) {
		return "", fmt.Errorf("a trial has no %s or no %s", contract.NameErrorRate, contract.NameThroughput)
	}
	if share := errors.Value / all; share > s.MaxErrors {
		return fmt.Sprintf("%.3g %% of the operations were errors, and at most %.3g %% holds (maxErrors)", 100*share, 100*s.MaxErrors), nil
	}
	return "", nil
}
