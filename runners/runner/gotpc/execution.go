package gotpc

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// began of a line about a query: its name, and when it began. Lines are of the image's go-tpc (runners/tpcc/image/results).
const began = `^\[Result\] (Q[0-9]+) - Began\(s\): ([0-9]{1,9}\.[0-9]{6}), `

var (
	// executionLine of a query whose rows were kept has their checksum.
	executionLine   = regexp.MustCompile(began + `Takes\(s\): ([0-9]{1,9}\.[0-9]{6}), Rows: ([0-9]{1,15})(?:, CRC-32: ([0-9a-f]{8}))?$`)
	interruptedLine = regexp.MustCompile(began + `Interrupted\(s\): ([0-9]{1,9}\.[0-9]{6})$`)
)

// Execution of a query whose result was read to its end.
type Execution struct {
	// Query is its name, such as q1.
	Query string
	// Began counts from the start of the process, and Takes reaches to the last row, or to where it was interrupted; both are in s.
	Began, Takes float64
	Rows         int64
	// Kept says that the client kept the rows, and Checksum is then the CRC-32 of them, sorted.
	Kept     bool
	Checksum uint32
}

// ReadExecution reads the line of an execution; false for any other line.
func ReadExecution(line string) (Execution, bool) {
	m := executionLine.FindStringSubmatch(line)
	if m == nil {
		return Execution{}, false
	}
	e, is := timed(m)
	rows, err := strconv.ParseInt(m[4], 10, 64)
	if e.Rows, e.Kept = rows, m[5] != ""; e.Kept {
		checksum, errSum := strconv.ParseUint(m[5], 16, 32)
		e.Checksum, err = uint32(checksum), errors.Join(err, errSum)
	}
	return e, is && err == nil
}

// ReadInterrupted reads the line of a query that was ended with the load that it was beside, before its last row; false for any other line.
func ReadInterrupted(line string) (Execution, bool) {
	m := interruptedLine.FindStringSubmatch(line)
	if m == nil {
		return Execution{}, false
	}
	return timed(m)
}

// timed query of a line: its name, and its times.
func timed(m []string) (Execution, bool) {
	began, errBegan := strconv.ParseFloat(m[2], 64)
	takes, errTakes := strconv.ParseFloat(m[3], 64)
	return Execution{Query: strings.ToLower(m[1]), Began: began, Takes: takes}, errBegan == nil && errTakes == nil
}

// Names of queries, as go-tpc takes them.
func Names(queries []v1alpha1.TPCHQuery) string {
	var all []string
	for _, q := range queries {
		all = append(all, string(q))
	}
	return strings.Join(all, ",")
}

// ByQuery are the executions of each query.
func ByQuery(all []Execution) map[string][]Execution {
	out := map[string][]Execution{}
	for _, e := range all {
		out[e.Query] = append(out[e.Query], e)
	}
	return out
}

// InOrder are the names of the queries: q2 before q10.
func InOrder(queries map[string][]Execution) []string {
	return slices.SortedFunc(maps.Keys(queries), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}

// Mean time of executions, in s; of at least one.
func Mean(all []Execution) float64 {
	sum := 0.0
	for _, e := range all {
		sum += e.Takes
	}
	return sum / float64(len(all))
}

// Latencies of executions: their mean and the longest, in ms.
func Latencies(labels map[string]string, all []Execution) []contract.Measurement {
	n, longest := int64(len(all)), 0.0
	for _, e := range all {
		longest = max(longest, e.Takes)
	}
	return []contract.Measurement{
		runner.Latency(contract.NameLatencyAvg, labels, 1000*Mean(all), n),
		runner.Latency(contract.NameLatencyMax, labels, 1000*longest, n),
	}
}

// Count of the executions of a query, and their latencies.
func Count(query string, all []Execution) []contract.Measurement {
	labels := map[string]string{contract.LabelOperation: query}
	m := runner.Number(contract.NameOperationCount, "1", "", float64(len(all)))
	m.Labels = labels
	return append([]contract.Measurement{m}, Latencies(labels, all)...)
}
