package custom

import (
	"cmp"
	"fmt"
	"math"
	"regexp"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// parse reads the output of a phase.
func parse(t contract.Trial, phase contract.Phase, o runner.Output, formats map[string]Format) runner.Report {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Unreadable(err)
	}
	ended := exit(o)
	if phase == contract.PhasePrepare || phase == contract.PhaseCleanup {
		return runner.Report{Failure: ended}
	}
	output := o.Stdout
	if p.Output != "" {
		written, there := o.Files[p.Output]
		if !there && ended == nil {
			return failed(contract.ReasonOutputTruncated, "the tool ended well, but did not write the file %s (workload.custom.output)", p.Output)
		}
		output = written
	}
	read := formats[p.Format]
	if p.Format == formatHistogramLog {
		read = func(b []byte) runner.Report { return parseHistogramLog(b, p.HistogramUnit) }
	}
	if read == nil {
		return failed(contract.ReasonTrialUnreadable, "workload.custom.format: %q is not known", p.Format)
	}
	report := finite(read(output))
	for i := range report.Problems {
		report.Problems[i].Source = "run/" + cmp.Or(p.Output, "stdout")
	}
	if report.Failure == nil && len(report.Measurements) == 0 {
		report.Failure = runner.Failed(contract.ReasonOutputTruncated,
			"the output has no number in the format %s (workload.custom.format)", p.Format)
	}
	if ended != nil {
		// Why a tool gave up says more than what its output lacks.
		report.Failure = ended
	}
	return report
}

// finite takes out values that are no numbers, such as NaN: absent is absent.
func finite(r runner.Report) runner.Report {
	for i, m := range r.Measurements {
		if m.Value != nil && (math.IsNaN(*m.Value) || math.IsInf(*m.Value, 0)) {
			r.Problems = append(r.Problems, problem(0, fmt.Sprintf("%s is %g", m.Name, *m.Value)))
			r.Measurements[i].Value = nil
		}
		for j, at := range m.Intervals {
			if at.Value != nil && (math.IsNaN(*at.Value) || math.IsInf(*at.Value, 0)) {
				m.Intervals[j].Value = nil
			}
		}
	}
	return r
}

// exit is the failure of a tool that did not end well.
func exit(o runner.Output) *contract.Failure {
	switch {
	case o.Signal != "":
		return runner.Failed(contract.ReasonToolFailed, "the tool was ended by %s", o.Signal)
	case o.ExitCode != 0:
		f := runner.Failed(contract.ReasonToolFailed, "the tool ended with exit code %d", o.ExitCode)
		if m := errorNumber.FindSubmatch(o.Stderr); m != nil {
			if kind := servererror.Of(string(m[2])); kind != servererror.Unknown {
				f.Reason = kind.Reason()
				f.Message += fmt.Sprintf(": %s: %s", runner.Abridge(string(m[1])), kind.RemedyFor(string(m[1])))
			}
		}
		return f
	}
	return nil
}

// errorNumber is a line with the number of a server's error, as clients in C print it: "ERROR 1045
// (28000): ...", and "mysqlslap: Error when connecting to server: 1045 ...".
var errorNumber = regexp.MustCompile(`(?mi)^(.*\berror\b[a-z :(]{0,40}\b([0-9]{4})\b.*)$`)

func failed(reason contract.Reason, format string, args ...any) runner.Report {
	return runner.Report{Failure: runner.Failed(reason, format, args...)}
}

// withErrorRate adds the rate of the errors of which a tool told the number, and the time in
// which they happened; it is 0 where there were none, and absent where the tool tells no time.
func withErrorRate(r runner.Report, isError func(name string) bool) runner.Report {
	seconds := measuredSeconds(r)
	if _, told := contract.Find(r.Measurements, contract.NameErrorRate, nil); told || seconds <= 0 {
		return r
	}
	var n int64
	for _, e := range r.Errors {
		if isError(e.Name) {
			n += e.Count
		}
	}
	m := runner.Number(contract.NameErrorRate, "errors/s", contract.LowerIsBetter, float64(n)/seconds)
	m.N = &n
	r.Measurements = append(r.Measurements, m)
	return r
}

// measuredSeconds is the length of the window as the tool told it; 0 where it did not.
func measuredSeconds(r runner.Report) float64 {
	m, ok := contract.Find(r.Measurements, contract.NameTotalTime, nil)
	if !ok || m.Value == nil || m.Unit != "s" {
		return 0
	}
	return *m.Value
}

func problem(line int, text string) contract.Problem { return contract.Problem{Line: line, Text: text} }
