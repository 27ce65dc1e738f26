// Package quoted reads numbers that somebody else measured and published. In: the raw output
// of a tool, or tables. Out: the numbers, those that the status shows, and their ratios. A text
// without any number is refused.
//
// They are not results: the machine, the settings and the date are unknown. Unpublished
// numbers are absent. Quoted numbers are never part of a statistical test.
package quoted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Version names the format of Numbers.
const Version = "assay.dev/quoted/v1"

// MaxValues is the maximum number of values in a status.
const MaxValues = 40

// Numbers are the parsed numbers of one published target.
type Numbers struct {
	// Version is always Version.
	Version string `json:"version"`
	// Target is the name of the published target.
	Target string `json:"target"`
	// Format of the text, such as YCSB.
	Format string `json:"format"`
	// Source of the numbers: a URL or a citation.
	Source string `json:"source"`
	// Phases that were published; run comes before load.
	Phases []Phase `json:"phases"`
}

// Phase has the published numbers of one phase.
type Phase struct {
	// Phase is run or load: the key of the text.
	Phase string `json:"phase"`
	// ToolVersion as the tool printed it; empty if it was not published.
	ToolVersion string `json:"toolVersion,omitempty"`
	// Measurements in the order of the tool's adapter.
	Measurements []contract.Measurement `json:"measurements"`
	// Errors that the tool counted.
	Errors []contract.ErrorCount `json:"errors,omitempty"`
	// Problems are lines that could not be parsed.
	Problems []contract.Problem `json:"problems,omitempty"`
	// Failure of the tool according to the text.
	Failure *contract.Failure `json:"failure,omitempty"`
}

// Tools are the names of the runners that read what their tool printed, by the format of a published target.
var Tools = map[string]string{"YCSB": "ycsb", "Sysbench": "sysbench", "PytestBenchmark": "custom"}

// Keys of the texts, in the order of Numbers.Phases.
func Keys() []string { return []string{contract.KeyQuotedRun, contract.KeyQuotedLoad} }

// Read parses the texts by their keys and ignores other keys. A missing text is no error. A
// text without any number is an error that names its first unparsable line.
func Read(quote func([]byte) runner.Report, texts map[string][]byte) (Numbers, error) {
	out := Numbers{Version: Version}
	for _, key := range Keys() {
		text, has := texts[key]
		if !has {
			continue
		}
		report := quote(text)
		if !slices.ContainsFunc(report.Measurements, func(m contract.Measurement) bool { return m.Value != nil }) {
			return Numbers{}, fmt.Errorf("key %s: no number can be read from its text%s", key, why(report))
		}
		out.Phases = append(out.Phases, Phase{
			Phase: key, ToolVersion: report.ToolVersion, Measurements: report.Measurements, Errors: report.Errors, Problems: report.Problems, Failure: report.Failure,
		})
	}
	return out, nil
}

// why a text has no number: the failure that the tool's adapter found, and its first problem.
func why(report runner.Report) string {
	text := ""
	if report.Failure != nil {
		text = ": " + report.Failure.Message
	}
	if len(report.Problems) == 0 {
		return text
	}
	p := report.Problems[0]
	if p.Line > 0 {
		return fmt.Sprintf("%s; line %d: %s", text, p.Line, p.Text)
	}
	return text + "; " + p.Text
}

// stages of the benchmark by the keys of their texts.
var stages = map[string]v1alpha1.QuotedStage{contract.KeyQuotedRun: v1alpha1.QuotedRun, contract.KeyQuotedLoad: v1alpha1.QuotedLoad}

// Values are the values for the status, at most MaxValues: first the measurements of the
// names, in their order, each of the run before that of the load.
func (n Numbers) Values(names []string) []v1alpha1.QuotedValue {
	var out []v1alpha1.QuotedValue
	for _, p := range n.Phases {
		for _, m := range p.Measurements {
			if m.Value != nil {
				out = append(out, v1alpha1.QuotedValue{
					Stage: stages[p.Phase], Name: m.Name, Labels: m.Labels, Unit: m.Unit, Value: strconv.FormatFloat(*m.Value, 'f', -1, 64),
				})
			}
		}
	}
	rank := func(v v1alpha1.QuotedValue) int {
		if i := slices.Index(names, v.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(out, func(a, b v1alpha1.QuotedValue) int { return cmp.Compare(rank(a), rank(b)) })
	return out[:min(len(out), MaxValues)]
}

// Encode as JSON. It fails for infinite numbers and NaN.
func (n Numbers) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding quoted numbers: %w", err)
	}
	return data, nil
}
