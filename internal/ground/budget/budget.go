// Package budget computes how many bytes of etcd the objects of a run may take.
//
// In: the size of a plan (Demand) and the limits of the operator (Limits). Out: a Budget: what
// the run may take, and what the result of one client may take of it. A demand that does not
// fit is refused with a *TooSmallError, which has the arithmetic.
//
// etcd holds every ConfigMap, and when its quota is full (2 GiB unless configured otherwise)
// the API server of the whole cluster refuses every write.
package budget

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	// MostData is the most that one result, or a part of a plan, can take in its ConfigMap, in bytes, compressed. That holds 1 MiB with its
	// names and annotations, and JSON writes the data a third longer on the way to the API server.
	MostData int64 = 900 << 10
	// perObject is what a ConfigMap takes beside its data: names, labels, owner, annotations and managed fields.
	perObject int64 = 2 << 10
	// MostReport is what the report of a run that has ended may take in its ConfigMap, and
	// MostReportSummary what the document for programs may take of it.
	MostReport, MostReportSummary int64 = 384 << 10, 128 << 10
	// perRun are the Job and the trial's ConfigMap of the execution that runs now, the log of a
	// load that failed, and the report.
	perRun = 48<<10 + MostReport + perObject
	// perRecord, perClient and perValue are what the record of an attempt takes, compressed: what
	// every record has, the digests of what a client delivered, and a value with its labels.
	perRecord, perClient, perValue int64 = 16 << 10, 512, 48
	// perEntry is an entry of the summary without its values.
	perEntry int64 = 1 << 10
	// perComparison is one that the summary has, compressed.
	perComparison int64 = 256
	// PerLog is what the log that is kept of a failed attempt may always take.
	PerLog int64 = 24 << 10
)

// Demand is how many objects a run makes.
type Demand struct {
	// Trials of the plan, attempts at each at most, and clients of each; all at least 1.
	Trials, Attempts, Clients int64
	// Loads are the results of loading and of cleaning up.
	Loads int64
	// Entries of the summary: cells times targets.
	Entries int64
	// Comparisons that the summary has at most.
	Comparisons int64
	// Values of a record at most, and the bytes of the largest cell of the plan.
	Values, Cell int64
	// Fixed are the bytes that are known: the plan and copies of files.
	Fixed int64
}

// Limits of the operator, in bytes.
type Limits struct {
	// Run is what a run may take at most.
	Run int64
	// LeastResult is what each result must be allowed to take.
	LeastResult int64
}

// Budget of a run, in bytes.
type Budget struct {
	// Bytes that the objects of the run may take altogether.
	Bytes int64
	// Result is what the result of one client may take.
	Result int64
}

// TooSmallError is the error for a run that does not fit into its budget.
type TooSmallError struct {
	// Demand and Limits that do not fit.
	Demand Demand
	Limits Limits
}

// Error has the arithmetic.
func (e *TooSmallError) Error() string {
	d := e.Demand
	return fmt.Sprintf("%s: %s of results and %s of plan, records and summary are more than results.budget.run (%s)",
		d.arithmetic(e.Limits.LeastResult), Text(d.results()*(e.Limits.LeastResult+perObject)), Text(d.rest()), Text(e.Limits.Run))
}

// arithmetic of the results for people.
func (d Demand) arithmetic(result int64) string {
	return fmt.Sprintf("%d trials x %d attempts x %d clients + %d loads = %d results of at least %s",
		d.Trials, d.Attempts, d.Clients, d.Loads, d.results(), Text(result))
}

// results is the number of result ConfigMaps.
func (d Demand) results() int64 { return d.Trials*d.Attempts*d.Clients + d.Loads }

// rest is everything but the results.
func (d Demand) rest() int64 {
	attempt, entry := OfRecord(d.Clients, d.Values, d.Cell)+PerLog, perEntry+d.Values*perValue
	return d.Fixed + perRun + d.Trials*d.Attempts*attempt + d.Entries*entry + d.Comparisons*perComparison
}

// Of computes the budget of a run: each result gets an equal share of what the run may take,
// and never more than a ConfigMap holds.
func Of(d Demand, l Limits) (Budget, error) {
	share := (l.Run-d.rest())/d.results() - perObject
	if share < min(l.LeastResult, MostData) {
		return Budget{}, &TooSmallError{Demand: d, Limits: l}
	}
	share = min(share, MostData)
	return Budget{Result: share, Bytes: d.rest() + d.results()*(share+perObject)}, nil
}

// OfResult is what one result takes with the given bytes of data.
func OfResult(data int64) int64 { return data + perObject }

// OfRecord is what the record of an attempt may take: of a trial with so many clients and values, in a
// cell of so many bytes.
func OfRecord(clients, values, cell int64) int64 {
	return perRecord + clients*perClient + values*perValue + cell
}

// OfConfigMap is what a ConfigMap takes.
func OfConfigMap(cm *corev1.ConfigMap) int64 {
	n := perObject
	for k, v := range cm.Data {
		n += int64(len(k) + len(v))
	}
	for k, v := range cm.BinaryData {
		n += int64(len(k) + len(v))
	}
	return n
}

// Text is a number of bytes for people, such as 1.5 GiB.
func Text(bytes int64) string {
	v, unit := float64(bytes), "bytes"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, next
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + unit
}
