package readout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// Search is one search for the highest rate at which the objectives hold. Rates are operations per second of each client.
type Search struct {
	Target string `json:"target"`
	// Where in the experiment: the parameters of the cell.
	Where map[string]string `json:"where,omitempty"`
	// Block of the search, from 0.
	Block int32 `json:"block"`
	// Outcome is Found, AllHeld, NoneHeld, Unknown or Unfinished.
	Outcome string `json:"outcome"`
	// Held is the highest rate that held, and Failed the lowest that did not; absent for none.
	Held   int32 `json:"held,omitempty"`
	Failed int32 `json:"failed,omitempty"`
	// Trials of the search.
	Trials int32 `json:"trials"`
	// Reason why the rate in failed did not hold, or why there is no answer.
	Reason string `json:"reason,omitempty"`
	// Text is all of it in one line.
	Text string `json:"text"`
}

// searchOf a stored entry.
func searchOf(e v1alpha1.SearchEntry) Search {
	return Search{e.Target, ParametersOf(e.Parameters), e.Block, string(e.Outcome), e.Held, e.Failed, e.TrialCount, e.Reason, SearchText(e)}
}

// Undecided says that a search has no answer: neither a rate nor a bound.
func (s Search) Undecided() bool {
	return s.Outcome == string(v1alpha1.SearchUnknown) || s.Outcome == string(v1alpha1.SearchUnfinished)
}

// Place of a search, such as "mariadb, threads=8, block 0".
func (s Search) Place() string {
	words := []string{s.Target}
	if where := whereOf(s.Where); where != "" {
		words = append(words, where)
	}
	return strings.Join(append(words, fmt.Sprintf("block %d", s.Block)), ", ")
}

// Rates that held and that did not, for people; "–" for none.
func (s Search) Rates() (held, failed string) { return rateText(s.Held), rateText(s.Failed) }

func rateText(rate int32) string {
	if rate == 0 {
		return "–"
	}
	return figure.Number(float64(rate))
}

// SearchLegend says what the rates of searches are.
const SearchLegend = "Searches for the highest rate at which the objectives hold, in operations per second of each client"

// SearchText is a search in one line, such as
//
//	mariadb, threads=8, block 0: 1,200 held, 1,260 did not: latency.percentile p=99 was 30 ms, and at most 20ms holds (8 trials)
func SearchText(e v1alpha1.SearchEntry) string {
	held, failed, text := rateText(e.Held), rateText(e.Failed), ""
	switch e.Outcome {
	case v1alpha1.SearchFound:
		text = fmt.Sprintf("%s held, %s did not: %s", held, failed, e.Reason)
	case v1alpha1.SearchAllHeld:
		text = held + " or more: search.high held"
	case v1alpha1.SearchNoneHeld:
		text = fmt.Sprintf("no rate is known to hold: %s (search.low) did not: %s", failed, e.Reason)
	case v1alpha1.SearchUnfinished:
		text = "the run ended before the search did"
		if e.Held > 0 {
			text += "; " + held + " held"
		}
	default:
		text = "no answer: " + e.Reason
	}
	place := Search{Target: e.Target, Where: ParametersOf(e.Parameters), Block: e.Block}.Place()
	return contract.Cut(contract.Line(fmt.Sprintf("%s: %s (%s)", place, text, figure.Counted(e.TrialCount, "trial"))), maxLine)
}

// DescribeSearches writes the texts of searches, which stand beside their numbers in the status and in what a run stores.
func DescribeSearches(all []v1alpha1.SearchEntry) {
	for i := range all {
		all[i].Text = SearchText(all[i])
	}
}

// SearchHeadline is the answer of every target in the first cell of the plan, in the unit, for so many clients together, such as
//
//	highest rate: a 1,200 | b 4,000 or more tx/s (n=6)
//
// It is empty without searches.
func SearchHeadline(p *plan.Plan, all []v1alpha1.SearchEntry, clients int, unit string) string {
	var shown []string
	n := 0
	for _, name := range p.Targets {
		of := slices.DeleteFunc(slices.Clone(all), func(e v1alpha1.SearchEntry) bool { return e.Cell != 0 || e.Target != name })
		n, shown = max(n, len(of)), append(shown, name+" "+highest(of, float64(clients)))
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
	return contract.Cut(contract.Line(where+"highest rate: "+strings.Join(shown, " | ")+end+")"), maxLine)
}

// highest rate of one target in one cell: bounds, or else the median of what was found. Each client offers the rates of the entries.
func highest(of []v1alpha1.SearchEntry, clients float64) string {
	counts, held := map[v1alpha1.SearchOutcome]int{}, []float64{}
	var most, least float64
	for _, e := range of {
		counts[e.Outcome]++
		switch e.Outcome {
		case v1alpha1.SearchFound:
			held = append(held, float64(e.Held)*clients)
		case v1alpha1.SearchAllHeld:
			most = float64(e.Held) * clients
		case v1alpha1.SearchNoneHeld:
			least = float64(e.Failed) * clients
		}
	}
	some := func(text string, n int) string {
		if n < len(of) {
			text += fmt.Sprintf(" in %d of %d", n, len(of))
		}
		return text
	}
	var words []string
	if n := counts[v1alpha1.SearchAllHeld]; n > 0 {
		words = append(words, some(figure.Number(most)+" or more", n))
	}
	if n := counts[v1alpha1.SearchNoneHeld]; n > 0 {
		words = append(words, some("less than "+figure.Number(least), n))
	}
	if sum, err := stats.Summarize(held); err == nil && len(words) == 0 {
		words = append(words, some(figure.Number(sum.Median), len(held)))
	}
	if len(words) == 0 {
		return "unknown"
	}
	return strings.Join(words, ", ")
}

// SearchFindings are about the searches as a whole: those whose answers are bounds, and those without an answer.
func SearchFindings(all []v1alpha1.SearchEntry) (out []v1alpha1.Finding) {
	for _, kind := range []struct {
		outcome      v1alpha1.SearchOutcome
		check, means string
	}{
		{v1alpha1.SearchAllHeld, "search-all-held", "search.high held, so the answer is a bound and not a value, and that target has no median and no comparison in that cell: raise search.high"},
		{v1alpha1.SearchNoneHeld, "search-none-held", "search.low did not hold, so no rate is known to hold, and that target has no median and no comparison in that cell: lower search.low"},
		{v1alpha1.SearchUnknown, "search-unknown", "the search has no answer"},
	} {
		var of []v1alpha1.SearchEntry
		for _, e := range all {
			if e.Outcome == kind.outcome {
				of = append(of, e)
			}
		}
		if len(of) > 0 {
			out = append(out, v1alpha1.Finding{Check: kind.check, Severity: v1alpha1.SeverityWarning, Message: contract.Cut(
				fmt.Sprintf("in %d of %d searches %s. The first: %s", len(of), len(all), kind.means, SearchText(of[0])), contract.MaxMessage)})
		}
	}
	return out
}
