package custom

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

var (
	// tpcSummary is a line of the report at the end of go-tpc (pkg/measurement).
	tpcSummary = regexp.MustCompile(`^\[Summary\] (\S+) - (.+)$`)
	// tpcFigure is one of its figures: "TPM: 14773.2", "95th(ms): 3.7".
	tpcFigure = regexp.MustCompile(`^([A-Za-z0-9.]+(?:\((?:s|ms)\))?): ([0-9.]+)$`)
	tpcTotals = regexp.MustCompile(`^tpmC: ([0-9.]+)(?:, tpmTotal: ([0-9.]+))?(?:, efficiency: ([0-9.]+)%)?$`)
	// tpcStopped is a terminal that gave up; the others go on.
	tpcStopped = regexp.MustCompile(`^execute run failed, err (.+)$`)
)

// tpcFailed ends the name of the transactions that failed.
const tpcFailed = "_ERR"

// parseGoTPC reads the output of go-tpc: its summary, never the lines on the way.
func parseGoTPC(output []byte) runner.Report {
	var r runner.Report
	var transactions, longest float64
	for i, line := range strings.Split(string(output), "\n") {
		line = strings.TrimSpace(line)
		if m := tpcStopped.FindStringSubmatch(line); m != nil {
			r.Problems = append(r.Problems, problem(i+1, "a terminal stopped: "+m[1]))
			continue
		}
		if m := tpcTotals.FindStringSubmatch(line); m != nil {
			r.Measurements = append(r.Measurements, totals(m)...)
			continue
		}
		m := tpcSummary.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		figures, ok := tpcFigures(m[2])
		if !ok {
			r.Problems = append(r.Problems, problem(i+1, line))
			continue
		}
		if name, errs := strings.CutSuffix(m[1], tpcFailed); errs {
			if n, ok := figures["Count"]; ok {
				r.Errors = append(r.Errors, contract.ErrorCount{Name: strings.ToLower(name), Count: int64(n)})
			}
			continue
		}
		transactions += figures["Count"]
		longest = max(longest, figures["Takes(s)"])
		r.Measurements = append(r.Measurements, tpcLatencies(m[1], figures)...)
	}
	if transactions > 0 && longest > 0 {
		m := number(contract.NameThroughput, "tx/s", contract.HigherIsBetter, transactions/longest)
		m.Operation, m.N = "transaction", new(int64(transactions))
		r.Measurements = append([]contract.Measurement{m}, r.Measurements...)
		r = withErrorRate(r, longest, anyError)
	}
	return r
}

func tpcFigures(text string) (map[string]float64, bool) {
	figures := map[string]float64{}
	for _, part := range strings.Split(text, ", ") {
		m := tpcFigure.FindStringSubmatch(part)
		if m == nil {
			return nil, false
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, false
		}
		figures[m[1]] = v
	}
	return figures, true
}

// totals are those of TPC-C. Efficiency is relative to the bound of the standard,
// 12.86 new orders per minute and warehouse, which keying and thinking times set.
func totals(m []string) []contract.Measurement {
	var out []contract.Measurement
	for i, name := range []string{nameTPMC, nameTPMTotal} {
		if v, err := strconv.ParseFloat(m[1+i], 64); err == nil {
			out = append(out, number(name, "tx/min", contract.HigherIsBetter, v))
		}
	}
	if v, err := strconv.ParseFloat(m[3], 64); err == nil {
		out = append(out, number("efficiency", "%", "", v))
	}
	return out
}

// tpcLatencies of one kind of transaction. Older versions print fewer percentiles.
func tpcLatencies(kind string, figures map[string]float64) []contract.Measurement {
	var out []contract.Measurement
	n := int64(figures["Count"])
	add := func(name, percentile, figure string) {
		v, ok := figures[figure]
		if !ok {
			return
		}
		m := latency(name, v, n)
		m.Labels = map[string]string{labelOperation: strings.ToLower(kind)}
		if percentile != "" {
			m.Labels[contract.LabelPercentile] = percentile
		}
		out = append(out, m)
	}
	add(contract.NameLatencyAvg, "", "Avg(ms)")
	for _, p := range []string{"50", "90", "95", "99", "99.9"} {
		add(contract.NameLatencyPercentile, p, p+"th(ms)")
	}
	add(contract.NameLatencyMax, "", "Max(ms)")
	return out
}
