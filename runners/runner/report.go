package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Failed is a failure with a message of this format.
func Failed(reason contract.Reason, format string, args ...any) *contract.Failure {
	return &contract.Failure{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// MaxProblems bounds what a report quotes. The whole output is kept beside it.
const MaxProblems = 100

// Problems are the first lines of an output that were not understood. The zero value has none.
type Problems struct {
	lines []contract.Problem
	more  int
}

// Add a line, counted from 1; 0 for what is about the whole.
func (p *Problems) Add(source string, line int, text string) {
	if len(p.lines) >= MaxProblems {
		p.more++
		return
	}
	p.lines = append(p.lines, contract.Problem{Source: source, Line: line, Text: Abridge(text)})
}

// List them for a report; source is that of the note on how many more there are.
func (p *Problems) List(source string) []contract.Problem {
	if p.more == 0 {
		return p.lines
	}
	return append(slices.Clip(p.lines), contract.Problem{Source: source, Text: fmt.Sprintf("and %d more lines", p.more)})
}

// Complaint quotes the first line of stderr, such as "invalid option", and then says the hint.
func (p *Problems) Complaint(hint string) string {
	for _, line := range p.lines {
		if strings.HasSuffix(line.Source, "/stderr") {
			return ": " + line.Text + hint
		}
	}
	return " and said nothing: look at the raw output"
}

// AfterSignal says where to look when a signal ended a tool; killed and crashed is what the tool adds.
func AfterSignal(signal, killed, crashed string) string {
	switch signal {
	case "SIGKILL":
		return "look for an OOM kill or an eviction of the client pod" + killed
	case "SIGSEGV", "SIGABRT", "SIGBUS":
		return "it crashed; look at the raw output" + crashed
	}
	return "a signal from outside stopped it early"
}

// Few names the first few.
func Few(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// UnitNewOrders is the unit of the rate of new orders. The rules of the TPC want every figure that is
// not audited to be called derived; so that no table shows it without, the unit says so.
const UnitNewOrders = "new orders/min, derived from TPC-C, not audited"

// UnitQueryMean is the unit of the geometric mean over the queries of TPC-H, which says what that of new orders does.
const UnitQueryMean = "s, geometric mean, derived from TPC-H, not audited"

// Number is a plain measurement.
func Number(name, unit string, direction contract.Direction, value float64) contract.Measurement {
	return contract.Measurement{Name: name, Unit: unit, Direction: direction, Value: &value}
}

// Latency is a measurement of n latencies in ms.
func Latency(name string, labels map[string]string, ms float64, n int64) contract.Measurement {
	m := Number(name, "ms", contract.LowerIsBetter, ms)
	m.Labels, m.N = labels, &n
	return m
}

// Reported are the measurements of which a tool told anything.
func Reported(ms []contract.Measurement) []contract.Measurement {
	ms = slices.DeleteFunc(ms, func(m contract.Measurement) bool {
		return m.Value == nil && m.N == nil && m.Histogram == nil && len(m.Intervals) == 0
	})
	if len(ms) == 0 {
		return nil
	}
	return ms
}
