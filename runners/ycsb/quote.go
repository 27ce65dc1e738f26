package ycsb

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// quote reads a report that somebody published: whatever of it is there, in the units in
// which it was published, so that every number is the published one digit by digit. A
// line that is no line of a report is a problem; an empty answer says that there is
// nothing to read, such as a load that nobody published.
//
// Nothing is computed: no sum, no latency of all operations, no count that was not given.
func quote(text []byte) runner.Report {
	r := reading{}
	if isJSON(text) {
		r.readExport("quote", text)
	} else {
		// The end of a published text is no proof of anything.
		r.readStream("quote", append([]byte(strings.TrimRight(string(text), "\n")), '\n'), true)
	}
	made := runner.Report{ToolVersion: r.toolVersion(), Problems: r.problems.List("quote")}
	switch {
	case len(r.report.doubled) > 0:
		made.Failure = failed(contract.ReasonToolFailed, "the text gives these figures more than once: %s: give one report, of one phase", runner.Few(r.report.doubled))
		return made
	case len(r.unreadable) > 0:
		made.Failure = failed(contract.ReasonToolFailed, "the text is no report of YCSB: %s", runner.Few(r.unreadable))
		return made
	}
	made.Measurements = r.quoted()
	made.Errors = r.report.errorCounts()
	return made
}

// quoted are the numbers of a report, the main ones first.
func (r *reading) quoted() []contract.Measurement {
	var ms []contract.Measurement
	add := func(m contract.Measurement, f *figure) {
		if m.Value = f.value(0); m.Value != nil {
			ms = append(ms, m)
		}
	}
	add(contract.Measurement{Name: contract.NameThroughput, Unit: unitOperations, Direction: contract.HigherIsBetter, Operation: operationAny}, r.report.throughput)
	add(contract.Measurement{Name: contract.NameTotalTime, Unit: unitMillisecond}, r.report.runTime)
	for _, s := range r.report.sortedSections() {
		ms = append(ms, quotedSection(s)...)
	}
	for _, g := range r.report.gcs {
		add(g.measurement(), &g.figure)
	}
	return ms
}

func quotedSection(s *section) []contract.Measurement {
	m := parseMetric(s.name)
	var ms []contract.Measurement
	add := func(name string, extra [2]string, unit string, f *figure) {
		made := contract.Measurement{Name: name, Labels: m.labels(), Unit: unit, Value: f.value(0)}
		if extra[0] != "" {
			made.Labels[extra[0]] = extra[1]
		}
		if unit != unitOne {
			made.Direction, made.Operation = contract.LowerIsBetter, m.label()
		}
		if made.Value != nil {
			ms = append(ms, made)
		}
	}
	none := [2]string{}
	add(contract.NameOperationCount, none, unitOne, s.operations)
	for _, l := range []struct {
		name string
		*latency
	}{{contract.NameLatencyAvg, s.avg}, {contract.NameLatencyMin, s.min}, {contract.NameLatencyMax, s.max}} {
		if l.latency != nil {
			add(l.name, none, l.unit, &l.figure)
		}
	}
	for _, p := range s.percentiles {
		add(contract.NameLatencyPercentile, [2]string{contract.LabelPercentile, p.p}, p.unit, &p.figure)
	}
	for _, ret := range s.returns {
		add(contract.NameReturnCount, [2]string{contract.LabelStatus, ret.status}, unitOne, &ret.n)
	}
	return ms
}
