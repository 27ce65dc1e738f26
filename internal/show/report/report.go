package report

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// Input is what a run has stored.
type Input struct {
	// Run with spec and status. Required.
	Run *v1alpha1.BenchmarkRun
	// Plan without the trials that decisions of the run left out; nil for a run that has none.
	Plan *plan.Plan
	// Records of all attempts, in the order in which they ended.
	Records []contract.Record
	// Entries, Comparisons, Sweeps and Searches are the summary over all cells.
	Entries     []v1alpha1.SummaryEntry
	Comparisons []v1alpha1.ComparisonEntry
	Sweeps      []v1alpha1.SweepEntry
	Searches    []v1alpha1.SearchEntry
	// Quoted are the numbers of published targets.
	Quoted []quoted.Numbers
	// Variables are all global variables of the server of each target, by the name of the target; without them the report
	// knows only what the status says of a server, which is what it has set.
	Variables map[string]map[string]string
	// Result of an attempt, its clients merged; false for one that has none. Without it there are no pictures of
	// single trials.
	Result func(contract.Record) (contract.Result, bool, error)

	// doc is what a reader is told of it.
	doc readout.Run
}

// MaxResults of clients are read for a report; one trial of each target in one cell is, however many there are.
const MaxResults = 64

// Write the report as a page. It fails for an input without a run, when a result cannot be read, and when the page
// cannot be written.
func Write(to io.Writer, in Input) error {
	if in.Run == nil {
		return errors.New("a report needs a run")
	}
	d, err := build(in)
	if err != nil {
		return err
	}
	return d.write(to)
}

// read the input: what it tells.
func (in *Input) read() {
	in.doc = readout.Of(readout.Input{Run: in.Run, Summary: in.Entries, Comparisons: in.Comparisons, Sweeps: in.Sweeps, Searches: in.Searches, Records: in.Records, View: readout.View{Name: readout.All}})
}

// build the document: the order of the sections is this list. A section without content is left out.
func build(in Input) (document, error) {
	in.read()
	d := document{Title: line(in.Run.Name), Answer: in.doc.Answer, Head: head(in), Facts: facts(in)}
	trials := trialsOf(in)
	details, err := detailsOf(in, trials)
	if err != nil {
		return d, err
	}
	for _, c := range []section{
		{"comparison", "Comparison", comparison(in, trials)},
		{"trials", "Every trial", inTime(in, trials)},
		{"load", "Over the load", overLoad(in, trials)},
		{"time", "Over time", overTime(details)},
		{"latency", "Latency spectrum", spectrum(details)},
		{"environment", "Environment", environment(in)},
		{"findings", "What the checks found", findings(in)},
		{"quoted", "Quoted numbers", quotedNumbers(in)},
		{"all", "All medians", allMedians(in)},
		{"repeat", "How to repeat it", repeat(in)},
	} {
		if len(c.Blocks) > 0 {
			d.Sections = append(d.Sections, c)
		}
	}
	return d, nil
}

// facts below the verdict.
func facts(in Input) (out []pair) {
	run, st := in.Run, in.Run.Status
	add := func(name, value string) {
		if value != "" {
			out = append(out, pair{name, line(value)})
		}
	}
	add("Run", run.Namespace+"/"+run.Name)
	if st.StartTime != nil {
		text := st.StartTime.UTC().Format("2 January 2006, 15:04 UTC")
		if st.CompletionTime != nil {
			text += ", " + figure.Duration(st.CompletionTime.Sub(st.StartTime.Time))
		}
		add("Measured", text)
	}
	add("Outcome", in.doc.Outcome)
	if st.Progress.Planned > 0 {
		text := strconv.Itoa(int(st.Progress.Done)) + " of " + strconv.Itoa(int(st.Progress.Planned))
		for i, n := range []int32{st.Progress.Invalid, st.Progress.Disturbed, st.Progress.Failed} {
			if n > 0 {
				text += ", " + strconv.Itoa(int(n)) + []string{" invalid", " disturbed", " failed"}[i]
			}
		}
		add("Trials", text)
	}
	spec := *run.Spec.DeepCopy()
	spec.SetDefaults()
	if d := spec.Design; d.Blocks > 0 {
		text := strings.TrimSuffix(strconv.Itoa(int(d.Blocks))+" blocks, "+words(string(d.Order)), ", ")
		if d.Duration.Duration > 0 {
			text += ", " + figure.Duration(d.Duration.Duration) + " each"
		}
		if d.Warmup != nil && d.Warmup.Duration > 0 {
			text += " after " + figure.Duration(d.Warmup.Duration) + " of warm-up"
		}
		add("Design", text)
	}
	return out
}
