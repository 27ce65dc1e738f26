package custom

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

var (
	// tpccInterval is the line of an interval of tpcc-mysql (src/main.c): the number of
	// new orders in it. Percentiles are of those of the interval alone.
	tpccInterval = regexp.MustCompile(`^([0-9]+), trx: ([0-9]+), 95%: ([0-9.]+), 99%: ([0-9.]+), max_rt: ([0-9.]+), `)
	// tpccOldInterval is that line before 2014: 10, 411(2):3.794|8.120, ...
	tpccOldInterval = regexp.MustCompile(`^([0-9]+), ([0-9]+)\(([0-9]+)\):([0-9.]+)\|([0-9.]+), `)
	tpccKind        = regexp.MustCompile(`^\[([0-4])\] sc: ?([0-9]+) +lt: ?([0-9]+) +rt: ?([0-9]+) +fl: ?([0-9]+)`)
	tpccRate        = regexp.MustCompile(`^([0-9.]+) TpmC$`)
	tpccSeconds     = regexp.MustCompile(`^in ([0-9]+) sec\.`)
)

// tpccLate ends the name of the transactions that took longer than TPC-C allows: no errors.
const tpccLate = "late"

// tpccKinds are the transactions by their index.
var tpccKinds = []string{"new_order", "payment", "order_status", "delivery", "stock_level"}

// parseTPCCMySQL reads the output of Percona's tpcc-mysql. A constraint of TPC-C that
// was not kept, [NG], is a failure: the rate of such a run means nothing.
func parseTPCCMySQL(output []byte) runner.Report {
	var r runner.Report
	var broken []string
	var intervals []contract.Interval
	section, last := "", 0.0
	for i, line := range runner.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "<"):
			section = line
		case strings.Contains(line, "[NG]"):
			broken = append(broken, line)
		case section == "<Raw Results>" && tpccKind.MatchString(line):
			r.Errors = append(r.Errors, tpccErrors(tpccKind.FindStringSubmatch(line))...)
		case tpccRate.MatchString(line):
			if v, err := strconv.ParseFloat(strings.TrimSuffix(line, " TpmC"), 64); err == nil {
				r.Measurements = append(r.Measurements, tpccThroughput(v)...)
			} else {
				r.Problems = append(r.Problems, problem(i+1, line))
			}
		case tpccSeconds.MatchString(line):
			if v, err := strconv.ParseFloat(tpccSeconds.FindStringSubmatch(line)[1], 64); err == nil && section == "<Raw Results>" {
				r.Measurements = append(r.Measurements, runner.Number(contract.NameTotalTime, "s", "", v))
			}
		default:
			if at, n, ok := tpccAt(line); ok && at > last {
				intervals = append(intervals, contract.Interval{AtSeconds: at, Value: new(n / (at - last))})
				last = at
			}
		}
	}
	for i := range r.Measurements {
		if r.Measurements[i].Name == contract.NameThroughput {
			r.Measurements[i].Intervals = intervals
		}
	}
	if len(r.Measurements) > 0 {
		r = withErrorRate(r, func(name string) bool { return !strings.HasSuffix(name, tpccLate) })
	}
	if len(broken) > 0 {
		r.Failure = runner.Failed(contract.ReasonToolFailed, "constraints of TPC-C were not kept: %s", strings.Join(broken, "; "))
	}
	return r
}

// tpccAt is the end of an interval in s, and its new orders.
func tpccAt(line string) (at, n float64, ok bool) {
	m := tpccInterval.FindStringSubmatch(line)
	if m == nil {
		m = tpccOldInterval.FindStringSubmatch(line)
	}
	if m == nil {
		return 0, 0, false
	}
	at, errAt := strconv.ParseFloat(m[1], 64)
	n, errN := strconv.ParseFloat(m[2], 64)
	return at, n, errAt == nil && errN == nil
}

func tpccThroughput(tpmC float64) []contract.Measurement {
	m := runner.Number(contract.NameThroughput, "tx/s", contract.HigherIsBetter, tpmC/60)
	m.Operation = "new order"
	return []contract.Measurement{m, runner.Number(contract.NameNewOrders, runner.UnitNewOrders, contract.HigherIsBetter, tpmC)}
}

// tpccErrors are the transactions of a kind that were late, repeated or failed.
func tpccErrors(m []string) []contract.ErrorCount {
	kind, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	var out []contract.ErrorCount
	for i, what := range []string{tpccLate, "retried", "failed"} {
		if n, err := strconv.ParseInt(m[3+i], 10, 64); err == nil && n > 0 {
			out = append(out, contract.ErrorCount{Name: tpccKinds[kind] + "." + what, Count: n})
		}
	}
	return out
}
