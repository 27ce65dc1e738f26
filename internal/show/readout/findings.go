package readout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Finding of a validity check: all those of one check, severity and target.
type Finding struct {
	// Check is its name: docs/reference/checks.md.
	Check string `json:"check"`
	// Severity is Invalid, Disturbed or Warning.
	Severity string `json:"severity"`
	// Trial of the first one; absent for one about the run.
	Trial  *int32 `json:"trial,omitempty"`
	Target string `json:"target,omitempty"`
	// Message of the first one.
	Message string `json:"message"`
	// Count is how many there are: of the whole run, or of the newest findingsOf of it.
	Count int32 `json:"count"`

	// Trials are the first 8 that have one.
	Trials []int32 `json:"-"`
}

// Severities of findings, the worst first.
var Severities = []string{v1alpha1.SeverityInvalid, v1alpha1.SeverityDisturbed, v1alpha1.SeverityWarning, v1alpha1.SeverityNote}

// FindingsOf a run, the worst first, with notes. With records every finding counts, and each trial that failed at last is one. Without
// any it is those that the status has kept, and lastOf is how many; it is 0 where that is all of them.
func FindingsOf(run *v1alpha1.BenchmarkRun, records []contract.Record) (out []Finding, lastOf int32) {
	at := map[[3]string]int{}
	add := func(check, severity, target, message string, trial *int32) {
		key := [3]string{check, severity, target}
		i, seen := at[key]
		if !seen {
			i, at[key] = len(out), len(out)
			out = append(out, Finding{Severity: severity, Trial: trial, Target: target, Message: message})
			out[i].Check = check // of a failed trial its reason, which is no check
		}
		f := &out[i]
		f.Count++
		if trial != nil && len(f.Trials) < 8 && !slices.Contains(f.Trials, *trial) {
			f.Trials = append(f.Trials, *trial)
		}
	}
	for i := range records {
		rec := &records[i]
		for _, f := range rec.Findings {
			add(f.Check, f.Severity, rec.Target, f.Message, &rec.Index)
		}
		if rec.State == contract.Failed && rec.Final {
			add(cmp.Or(rec.Reason, "failed"), v1alpha1.SeverityInvalid, rec.Target, "the trial failed: "+rec.Message, &rec.Index)
		}
	}
	for _, f := range run.Status.Findings {
		if f.Trial == nil || len(records) == 0 { // else it is in a record
			add(f.Check, f.Severity, f.Target, f.Message, f.Trial)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return slices.Index(Severities, a.Severity) - slices.Index(Severities, b.Severity)
	})
	// A status with as many as it keeps may have had more.
	if n := len(run.Status.Findings); n >= v1alpha1.MaxFindings && len(records) == 0 {
		lastOf = int32(n)
	}
	return out, lastOf
}

// Against is what speaks against the numbers, a line each, with its heading.
func (r Run) Against() (heading string, lines []string) {
	for _, f := range r.Findings {
		lines = append(lines, f.line())
	}
	return "against the numbers" + OfTheLast(r.FindingsOf), lines
}

// OfTheLast findings, behind what counts them; empty where it counts all.
func OfTheLast(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", of the last %d findings", n)
}

// line of the findings of one kind.
func (f Finding) line() string {
	text := strings.ToLower(f.Severity) + " " + f.Check
	if f.Target != "" {
		text += " (" + f.Target + ")"
	}
	such := ""
	if f.Count > 1 {
		text, such = fmt.Sprintf("%d x %s", f.Count, text), "such as "
	}
	text += ": "
	if f.Trial != nil {
		return fmt.Sprintf("%s%strial %d: %s", text, such, *f.Trial, f.Message)
	}
	return text + such + f.Message
}
