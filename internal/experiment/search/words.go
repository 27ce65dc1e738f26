package search

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// maxText of a reason or an explanation, in bytes.
const maxText = 1024

// progress of a search, for the decision that follows one of its trials.
func (s state) progress(where string) string {
	switch {
	case s.lost != "":
		return where + ": no answer: " + s.lost
	case s.Done && s.Held == 0:
		return fmt.Sprintf("%s: no rate is known to hold: %.0f did not: %s", where, s.Failed, s.why)
	case s.Done && s.Failed == 0:
		return fmt.Sprintf("%s: %.0f or more: it held", where, s.Held)
	case s.Done:
		return fmt.Sprintf("%s: found: %.0f held, %.0f did not: %s", where, s.Held, s.Failed, s.why)
	case s.Held == 0:
		return fmt.Sprintf("%s: %.0f is not decided", where, s.Rate)
	case s.Failed == 0:
		return fmt.Sprintf("%s: %.0f held; next is %.0f", where, s.Held, s.Rate)
	}
	return fmt.Sprintf("%s: %.0f held, %.0f did not: %s; next is %.0f", where, s.Held, s.Failed, s.why, s.Rate)
}

// text of an answer.
func (s Search) text(p *plan.Plan, e v1alpha1.SearchEntry, target int32) string {
	what := ""
	switch e.Outcome {
	case v1alpha1.SearchFound:
		what = fmt.Sprintf("%s=%d held, %d did not: %s", s.Field, e.Held, e.Failed, e.Reason)
	case v1alpha1.SearchAllHeld:
		what = fmt.Sprintf("%s=%d or more: search.high held", s.Field, e.Held)
	case v1alpha1.SearchNoneHeld:
		what = fmt.Sprintf("no rate is known to hold: %s=%d (search.low) did not: %s", s.Field, e.Failed, e.Reason)
	case v1alpha1.SearchUnknown:
		what = "no answer: " + e.Reason
	case v1alpha1.SearchUnfinished:
		what = "the run ended before the search did"
		if e.Held > 0 {
			what += fmt.Sprintf("; %s=%d held", s.Field, e.Held)
		}
	}
	return contract.Cut(fmt.Sprintf("%s block %d: %s (%d trials)", place(p, e.Cell, target), e.Block, what, e.TrialCount), 2*maxText)
}

// maxHeadline in bytes.
const maxHeadline = 1024

// Headline is the answer of every target in the first cell of the plan, such as
// "highest rate: a 1200 | b 4000 or more tx/s (n=6)". Empty without answers.
func (s Search) Headline(p *plan.Plan, answers []Answer) string {
	var shown []string
	unit, n := "operations/s", 0
	for target, name := range p.Targets {
		var held []float64
		var of []Answer
		for _, a := range answers {
			if a.at.cell != 0 || a.at.target != int32(target) {
				continue
			}
			of = append(of, a)
			if a.Outcome == v1alpha1.SearchFound {
				held = append(held, float64(a.Held)*float64(s.Clients))
			}
			if a.record != nil {
				if v, has := (Objective{Name: contract.NameThroughput}).find(a.record.Values); has {
					unit = v.Unit
				}
			}
		}
		n = max(n, len(of))
		shown = append(shown, name+" "+s.inWords(of, held))
	}
	if n == 0 {
		return ""
	}
	where := ""
	for _, axis := range p.Axes {
		value := p.Cells[0][axis]
		where += axis + "=" + value.String() + " "
	}
	end := fmt.Sprintf(" %s (n=%d", unit, n)
	if cells := len(p.Cells); cells > 1 {
		end += fmt.Sprintf("; 1 of %d cells", cells)
	}
	return contract.Cut(where+"highest rate: "+strings.Join(shown, " | ")+end+")", maxHeadline)
}

// inWords are the answers of one target in one cell; held are the rates that were found.
func (s Search) inWords(of []Answer, held []float64) string {
	counts := map[v1alpha1.SearchOutcome]int{}
	for _, a := range of {
		counts[a.Outcome]++
	}
	some := func(n int) string {
		if n == len(of) {
			return ""
		}
		return fmt.Sprintf(" in %d of %d", n, len(of))
	}
	all := func(rate float64) string { return strconv.FormatFloat(rate*float64(s.Clients), 'f', -1, 64) }
	var words []string
	if n := counts[v1alpha1.SearchAllHeld]; n > 0 {
		words = append(words, all(s.Bisection.High)+" or more"+some(n))
	}
	if n := counts[v1alpha1.SearchNoneHeld]; n > 0 {
		words = append(words, "less than "+all(s.Bisection.Low)+some(n))
	}
	if sum, err := stats.Summarize(held); err == nil && len(words) == 0 {
		words = append(words, strconv.FormatFloat(sum.Median, 'f', -1, 64)+some(len(held)))
	}
	if len(words) == 0 {
		return "unknown"
	}
	return strings.Join(words, ", ")
}

// Findings about the answers as a whole: those that are bounds, and those that are unknown.
func (s Search) Findings(answers []Answer) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, kind := range []struct {
		outcome v1alpha1.SearchOutcome
		check   string
		means   string
	}{
		{v1alpha1.SearchAllHeld, "search-all-held", "search.high held, so the answer is a bound and not a value, and that target has no median and no comparison in that cell: raise search.high"},
		{v1alpha1.SearchNoneHeld, "search-none-held", "search.low did not hold, so no rate is known to hold, and that target has no median and no comparison in that cell: lower search.low"},
		{v1alpha1.SearchUnknown, "search-unknown", "the search has no answer"},
	} {
		n, first := 0, ""
		for _, a := range answers {
			if a.Outcome != kind.outcome {
				continue
			}
			if n++; n == 1 {
				first = a.Text
			}
		}
		if n > 0 {
			out = append(out, v1alpha1.Finding{Check: kind.check, Severity: v1alpha1.SeverityWarning, Message: contract.Cut(
				fmt.Sprintf("in %d of %d searches %s. The first: %s", n, len(answers), kind.means, first), 4*maxText)})
		}
	}
	return out
}
