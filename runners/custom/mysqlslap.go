package custom

import (
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// slap is one report of mysqlslap (client/mysqlslap.c, print_conclusions): one engine
// and one number of clients.
type slap struct {
	engine string
	// figures by the name of the line; absent ones are not there.
	figures map[string]float64
}

// Names of the figures.
const (
	slapAvg     = "avg"
	slapMin     = "min"
	slapMax     = "max"
	slapClients = "clients"
	slapQueries = "queries"
)

// slapLines are the lines of a report.
var slapLines = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{slapAvg, regexp.MustCompile(`^Average number of seconds to run all queries: ([0-9.]+) seconds$`)},
	{slapMin, regexp.MustCompile(`^Minimum number of seconds to run all queries: ([0-9.]+) seconds$`)},
	{slapMax, regexp.MustCompile(`^Maximum number of seconds to run all queries: ([0-9.]+) seconds$`)},
	{slapClients, regexp.MustCompile(`^Number of clients running queries: ([0-9]+)$`)},
	{slapQueries, regexp.MustCompile(`^Average number of queries per client: ([0-9]+)$`)},
}

var slapEngine = regexp.MustCompile(`^Running for engine (\S+)$`)

// parseMysqlslap reads what mysqlslap and mariadb-slap print, as text or with --csv.
// Their times are those of all queries of one iteration, and min and max are over the
// iterations: none of them is a latency of a query.
func parseMysqlslap(output []byte) runner.Report {
	var r runner.Report
	var all []slap
	for i, line := range runner.Lines(output) {
		line = strings.TrimSpace(line)
		switch line {
		case "":
		case "Benchmark":
			all = append(all, slap{figures: map[string]float64{}})
		default:
			if s, ok := slapRow(line); ok {
				all = append(all, s)
			} else if len(all) == 0 || !all[len(all)-1].take(line) {
				r.Problems = append(r.Problems, problem(i+1, line))
			}
		}
	}
	for _, s := range all {
		r.Measurements = append(r.Measurements, s.measurements(len(all) > 1)...)
	}
	return r
}

func (s *slap) take(line string) bool {
	if m := slapEngine.FindStringSubmatch(line); m != nil {
		s.engine = m[1]
		return true
	}
	for _, l := range slapLines {
		if m := l.pattern.FindStringSubmatch(line); m != nil {
			v, err := strconv.ParseFloat(m[1], 64)
			if err == nil {
				s.figures[l.name] = v
			}
			return err == nil
		}
	}
	return false
}

// slapRow is a line of --csv: engine,label,avg,min,max,clients,queries per client.
func slapRow(line string) (slap, bool) {
	fields := strings.Split(line, ",")
	if len(fields) != 7 {
		return slap{}, false
	}
	s := slap{engine: fields[0], figures: map[string]float64{}}
	for i, name := range []string{slapAvg, slapMin, slapMax, slapClients, slapQueries} {
		v, err := strconv.ParseFloat(fields[2+i], 64)
		if err != nil {
			return slap{}, false
		}
		s.figures[name] = v
	}
	return s, true
}

// measurements of a report; labelled when there are several. The throughput is derived:
// clients times queries per client, in the average time. mysqlslap prints 0 queries per
// client for a single --query, and then nothing can be derived.
func (s slap) measurements(several bool) []contract.Measurement {
	labels := map[string]string{}
	if s.engine != "" {
		labels[labelEngine] = s.engine
	}
	if clients, ok := s.figures[slapClients]; ok && several {
		labels[labelClients] = strconv.FormatFloat(clients, 'f', -1, 64)
	}
	var out []contract.Measurement
	add := func(m contract.Measurement, more string) {
		m.Labels = maps.Clone(labels)
		if more != "" {
			m.Labels[contract.LabelStat] = more
		}
		if len(m.Labels) == 0 {
			m.Labels = nil
		}
		out = append(out, m)
	}
	n := s.figures[slapClients] * s.figures[slapQueries]
	avg, timed := s.figures[slapAvg]
	if n > 0 && avg > 0 {
		m := runner.Number(contract.NameThroughput, "queries/s", contract.HigherIsBetter, n/avg)
		m.Operation = "query"
		add(m, "")
	}
	if timed {
		add(runner.Number(nameRoundTime, "s", contract.LowerIsBetter, avg), "avg")
	}
	for _, name := range []string{slapMin, slapMax} {
		if v, ok := s.figures[name]; ok {
			add(runner.Number(nameRoundTime, "s", contract.LowerIsBetter, v), name)
		}
	}
	return out
}
