package conclude

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
)

// maxSearches is how many answers of searches the status has.
const maxSearches = 64

// searched is what the searches of a run found.
type searched struct {
	entries  []v1alpha1.SearchEntry
	headline string
	findings []v1alpha1.Finding
}

// reduce the input to the experiment with one value for each search: the rate that it found. What is
// summarised and compared from here on are these. Records that are not of the search leave nothing.
func (in Input) reduce() (Input, searched) {
	answers, err := in.Search.Answers(in.Plan, in.Records)
	if err != nil {
		in.Records, in.Layout.Plan = nil, nil
		return in, searched{findings: []v1alpha1.Finding{{
			Check: "search-unknown", Severity: v1alpha1.SeverityWarning, Message: contract.Cut("the records are not those of the search: "+err.Error(), contract.MaxMessage),
		}}}
	}
	entries := search.Entries(answers)
	readout.DescribeSearches(entries)
	found := searched{entries, readout.SearchHeadline(in.Plan, entries, in.Search.Clients, search.Unit(answers)), readout.SearchFindings(entries)}
	in.Plan, in.Records = in.Search.Reduce(in.Plan, answers)
	if in.Layout.Plan != nil {
		in.Layout.Plan = in.Plan
	}
	return in, found
}
