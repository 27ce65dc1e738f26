package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
)

// Elements of JUnit XML, as the schema of Jenkins has them.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string    `xml:"name,attr"`
		Class   string    `xml:"classname,attr"`
		Time    string    `xml:"time,attr,omitempty"`
		Error   *junitBad `xml:"error"`
		Failure *junitBad `xml:"failure"`
		Skipped *junitBad `xml:"skipped"`
		Out     string    `xml:"system-out,omitempty"`
	}
	junitBad struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes the suites: the run with its verdicts on itself and its gate, what it compares, its searches where it
// has any, and its trials. A comparison never fails: only a gate says what is wanted. One that was not decided is skipped.
func writeJUnit(out io.Writer, run *stored.Run) error {
	name := run.Object.Namespace + "/" + run.Object.Name
	suites := junitSuites{Name: name}
	for _, s := range []struct {
		name  string
		cases []junitCase
	}{{"run", runCases(run.Object)}, {"comparisons", comparisonCases(run)}, {"searches", searchCases(run)}, {"trials", trialCases(run)}} {
		if s.name == "searches" && len(s.cases) == 0 {
			continue // of a run that searches nothing
		}
		suite := junitSuite{Name: name + " " + s.name, Tests: len(s.cases), Cases: s.cases}
		for _, c := range s.cases {
			switch {
			case c.Error != nil:
				suite.Errors++
			case c.Failure != nil:
				suite.Failures++
			case c.Skipped != nil:
				suite.Skipped++
			}
		}
		suites.Suites = append(suites.Suites, suite)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	if err := e.Encode(suites); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// runCases: that the run is complete, that its results are valid, and that its gate has passed. What became of them says the
// readout; what the outcome leaves open is skipped.
func runCases(o *v1alpha1.BenchmarkRun) (cases []junitCase) {
	kind := readout.OutcomeOf(o).Kind
	from, open := map[readout.Kind]int{readout.Going: 0, readout.Failed: 0, readout.Invalid: 1, readout.GateNotJudged: 2}[kind]
	for i, condition := range []string{v1alpha1.ConditionComplete, v1alpha1.ConditionValid, v1alpha1.ConditionPassed} {
		c := apimeta.FindStatusCondition(o.Status.Conditions, condition)
		switch {
		case c == nil && condition == v1alpha1.ConditionPassed:
			continue // a run without a gate has none
		case c == nil:
			c = &metav1.Condition{Reason: v1alpha1.ReasonNotReached}
		}
		one := junitCase{Name: condition, Class: o.Name, Out: contract.Clean(c.Message)}
		why := &junitBad{contract.Line(c.Reason), contract.Line(c.Message)}
		switch {
		case kind == readout.Failed && condition == v1alpha1.ConditionComplete:
			one.Error = why
		case kind == readout.Invalid && condition == v1alpha1.ConditionValid, kind == readout.GateFailed && condition == v1alpha1.ConditionPassed:
			one.Failure = why
		case open && i >= from:
			one.Skipped = why
		}
		cases = append(cases, one)
	}
	return cases
}

func comparisonCases(run *stored.Run) (cases []junitCase) {
	for _, v := range ReadoutOf(run).Verdicts {
		one := junitCase{Name: v.Subject, Class: run.Object.Name + "." + v.Family, Out: contract.Clean(v.Text)}
		if v.Detects != "" {
			one.Out += "\n" + contract.Clean(v.Detects)
		}
		if v.Undecided() {
			one.Skipped = &junitBad{v.Verdict, contract.Line(v.Text)}
		}
		cases = append(cases, one)
	}
	return cases
}

// searchCases: a search that has a bound for an answer has an answer. One without any is skipped.
func searchCases(run *stored.Run) (cases []junitCase) {
	for _, s := range ReadoutOf(run).Searches {
		one := junitCase{Name: s.Place(), Class: run.Object.Name + ".search", Out: contract.Clean(s.Text)}
		if s.Undecided() {
			one.Skipped = &junitBad{s.Outcome, contract.Line(s.Reason)}
		}
		cases = append(cases, one)
	}
	return cases
}

// trialCases are the last attempts: one that failed is an error, one whose result is invalid a failure,
// and one that does not count for another reason is skipped.
func trialCases(run *stored.Run) (cases []junitCase) {
	left := leftOut(run)
	for _, rec := range run.Records {
		if !rec.Final {
			continue
		}
		one := junitCase{
			Name:  contract.Line(trialName(rec)),
			Class: run.Object.Name + "." + contract.Line(rec.Target),
		}
		if start, end := windowOf(rec); end.After(start) {
			one.Time = strconv.FormatFloat(end.Sub(start).Seconds(), 'f', 3, 64)
		}
		reason := leftOutReason(rec, left)
		switch {
		case rec.State == contract.Failed:
			one.Error = &junitBad{contract.Line(rec.Reason), contract.Line(rec.Message)}
		case rec.Valid != nil && !*rec.Valid:
			one.Failure = &junitBad{"Invalid", findingsOf(rec)}
		case reason != "":
			one.Skipped = &junitBad{reason, findingsOf(rec)}
		}
		cases = append(cases, one)
	}
	return cases
}

// trialName is the place of a trial in the plan, with its cell where there is a matrix.
func trialName(rec contract.Record) string {
	name := fmt.Sprintf("trial %d, block %d", rec.Index, rec.Block)
	if cell := pairs(rec.Parameters, " "); cell != "" {
		name += ", " + cell
	}
	return name
}

func findingsOf(rec contract.Record) string {
	var words []string
	for _, f := range rec.Findings {
		words = append(words, f.Check+": "+f.Message)
	}
	return contract.Line(strings.Join(words, "; "))
}
