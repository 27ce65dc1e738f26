package tpcc

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

var (
	// statLine is a line of statistics (pkg/measurement): of an interval, or of the whole.
	statLine = regexp.MustCompile(`^\[(Current|Summary)\] +([A-Z_]+) - (.+)$`)
	// statFigure is one of its figures: "TPM: 14773.2", "95th(ms): 3.7".
	statFigure = regexp.MustCompile(`^([A-Za-z0-9.]+(?:\((?:s|ms)\))?): ([0-9.]+)$`)
	totalsLine = regexp.MustCompile(`^tpmC: ([0-9.]+)(?:, tpmTotal: ([0-9.]+))?(?:, efficiency: ([0-9.]+)%)?$`)
	// errorLine is a transaction that failed, or a terminal that gave up (without a time).
	errorLine = regexp.MustCompile(`^(\[[0-9: -]+\] )?execute (run|check|prepare|cleanup) failed, err (.+)$`)
	// insertLine is an INSERT of the load that failed.
	insertLine = regexp.MustCompile(`^exec statement error: (.+), try again later\.\.\.$`)
	pingLine   = regexp.MustCompile(`^failed to ping db, err (.+)$`)
	loadLine   = regexp.MustCompile(`^load to ([a-z_]+)(?: in warehouse ([0-9]+)(?: district ([0-9]+))?)?$`)
	checkLine  = regexp.MustCompile(`^begin to check warehouse ([0-9]+) at condition ([0-9.]+)$`)
	brokenLine = regexp.MustCompile(`^check warehouse ([0-9]+) at condition ([0-9.]+) failed (.+)$`)
	dropLine   = regexp.MustCompile(`^DROP TABLE IF EXISTS ([a-z_]+)$`)
	// plainLine is what says nothing that matters here.
	plainLine = regexp.MustCompile(`^(creating (table|index|view) .+|creating (nation|region|supplier)|generating (nation|region|suppliers) table|generate (nation|region|suppliers) table done|DROP VIEW IF EXISTS .+|Finished(: .+)?|prepare statement error: .+|.* maxprocs: .+|\[(Current|Summary)\] +(KEYINGTIME|THINKINGTIME)-.+)$`)
)

// failedSuffix ends the name of the transactions that failed.
const failedSuffix = "_err"

// figures of one kind of transaction by their names, such as Count and 95th(ms).
type figures map[string]float64

// reading is what the lines of an output said.
type reading struct {
	// summary by the kind of transaction, in lower case; those that failed end with _err.
	summary map[string]figures
	// current are the intervals, in their order. One without a single transaction is not
	// printed, so that their number says whether any is missing.
	current []map[string]figures
	totals  map[string]float64
	// errors of transactions, and stopped terminals, in the words of the driver.
	errors, stopped []string
	inserts         []string
	// fatal is what ended a load.
	ping, fatal     string
	loaded, checked map[string]bool
	broken          []string
	dropped         map[string]bool
	finished        bool
	problems        runner.Problems
	// executions of queries beside the transactions, and those that failed.
	executions  []gotpc.Execution
	queryErrors []queryFailure
	// interrupted are queries that were ended with the transactions, and refused is why the server would not end them.
	interrupted []gotpc.Execution
	refused     string
	// end of the transactions; nil without queries.
	end *end
	// queried: go-tpc reported queries.
	queried bool
}

// queryFailure is a query that failed, in the words of the driver.
type queryFailure struct{ query, text string }

// read the lines of an output.
func read(source string, stdout []byte) *reading {
	r := &reading{
		summary: map[string]figures{}, totals: map[string]float64{},
		loaded: map[string]bool{}, checked: map[string]bool{}, dropped: map[string]bool{},
	}
	for i, line := range runner.Lines(stdout) {
		line = strings.TrimSpace(line)
		if line != "" && !r.statistics(line) && !r.analytical(line) && !r.event(line) {
			r.problems.Add(source, i+1, line)
		}
	}
	return r
}

// statistics reads a line with figures.
func (r *reading) statistics(line string) bool {
	if m := totalsLine.FindStringSubmatch(line); m != nil {
		for i, name := range []string{"tpmC", "tpmTotal", "efficiency"} {
			if v, err := strconv.ParseFloat(m[i+1], 64); err == nil {
				r.totals[name] = v
			}
		}
		return true
	}
	m := statLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	f, ok := parseFigures(m[3])
	if !ok {
		return false
	}
	kind := strings.ToLower(m[2])
	if m[1] == "Summary" {
		_, twice := r.summary[kind]
		r.summary[kind] = f
		return !twice
	}
	// The kinds of an interval are sorted: one that does not follow begins the next interval.
	if n := len(r.current); n == 0 || slices.Max(slices.Collect(maps.Keys(r.current[n-1]))) >= kind {
		r.current = append(r.current, map[string]figures{})
	}
	r.current[len(r.current)-1][kind] = f
	return true
}

func parseFigures(text string) (figures, bool) {
	out := figures{}
	for part := range strings.SplitSeq(text, ", ") {
		m := statFigure.FindStringSubmatch(part)
		if m == nil {
			return nil, false
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, false
		}
		out[m[1]] = v
	}
	return out, true
}

// event reads a line about what is done, or what went wrong.
func (r *reading) event(line string) bool {
	if m := errorLine.FindStringSubmatch(line); m != nil {
		query := queryError.FindStringSubmatch(m[3])
		switch broken := brokenLine.FindStringSubmatch(m[3]); {
		case query != nil:
			r.queryErrors = append(r.queryErrors, queryFailure{query[1], query[2]})
		case m[2] == "check" && broken != nil && violated(broken[3]):
			r.broken = append(r.broken, "condition "+broken[2]+" in warehouse "+broken[1]+": "+runner.Abridge(broken[3]))
		case m[1] == "":
			r.stopped = append(r.stopped, m[3])
		default:
			r.errors = append(r.errors, m[3])
		}
		return true
	}
	if m := insertLine.FindStringSubmatch(line); m != nil {
		r.inserts = append(r.inserts, m[1])
		return true
	}
	if m := pingLine.FindStringSubmatch(line); m != nil {
		r.ping = m[1]
		return true
	}
	for pattern, seen := range map[*regexp.Regexp]map[string]bool{loadLine: r.loaded, checkLine: r.checked, dropLine: r.dropped} {
		if m := pattern.FindStringSubmatch(line); m != nil {
			seen[strings.TrimRight(strings.Join(m[1:], "/"), "/")] = true
			return true
		}
	}
	r.finished = r.finished || line == "Finished" || strings.HasPrefix(line, "Finished: ")
	return plainLine.MatchString(line)
}

// violated tells what the data breaks from a query that failed: that names the warehouse, this
// begins with the query, or is what the driver said.
func violated(text string) bool {
	return strings.Contains(text, " in warehouse ") && !strings.HasPrefix(text, "exec ")
}
