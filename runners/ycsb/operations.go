package ycsb

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	metricCleanup         = "CLEANUP"
	metricReadModifyWrite = "READ-MODIFY-WRITE"
	intendedPrefix        = "Intended-"
	statusOK              = "OK"
	statusBatchedOK       = "BATCHED_OK"
)

// basic are the operations that a workload consists of. READ-MODIFY-WRITE is none: each
// is a READ and an UPDATE as well, which are measured too.
var basic = []string{"READ", "UPDATE", "INSERT", "SCAN", "DELETE"}

// metric is the name of a section, taken apart.
type metric struct {
	// operation such as READ.
	operation string
	// intended: latencies count from when the operation was to begin.
	intended bool
	// failed is the status for which the section is, such as FAILED; empty for operations
	// that ended well.
	failed string
}

// parseMetric reads the name of a section: Intended-READ, READ-FAILED, READ-NOT_FOUND.
func parseMetric(name string) metric {
	rest, intended := strings.CutPrefix(name, intendedPrefix)
	m := metric{operation: rest, intended: intended}
	for _, operation := range slices.Concat([]string{metricReadModifyWrite}, basic, []string{metricCleanup}) {
		if status, ok := strings.CutPrefix(rest, operation+"-"); ok && rest != metricReadModifyWrite {
			m.operation, m.failed = operation, status
			return m
		}
	}
	return m
}

// label is the operation as our measurements name it.
func (m metric) label() string { return strings.ToLower(m.operation) }

func (m metric) labels() map[string]string {
	labels := map[string]string{contract.LabelOperation: m.label()}
	if m.intended {
		labels[contract.LabelTiming] = contract.TimingIntended
	}
	return labels
}

func isBasic(operation string) bool { return slices.Contains(basic, operation) }

func endedWell(status string) bool { return status == statusOK || status == statusBatchedOK }

// of the operation, with the timing, that ended well; nil for none.
func (r *report) of(operation string, intended bool) *section {
	for _, s := range r.sections {
		if m := parseMetric(s.name); m.operation == operation && m.intended == intended && m.failed == "" {
			return s
		}
	}
	return nil
}

// done is how many operations of a section were measured to end well; absent where the
// report does not say.
func (s *section) done() *int64 {
	if s == nil {
		return nil
	}
	return s.operations.count()
}

// endedWell is how many operations of the workload ended well, by the sections of the
// operations. One that reads, modifies and writes is one operation. It is absent when no
// section says.
func (r *report) endedWell() *int64 {
	var total int64
	known := false
	for _, operation := range basic {
		if n := r.of(operation, false).done(); n != nil {
			total += *n
			known = true
		}
	}
	if !known {
		return nil
	}
	if n := r.of(metricReadModifyWrite, false).done(); n != nil {
		total -= *n
	}
	return &total
}

// counted is how many operations YCSB counted itself, those that failed too: it prints
// their number divided by the time. It is absent when the quotient fits no whole number.
func (r *report) counted() *int64 {
	ms, rate := r.runTime.count(), r.throughput.value(0)
	if ms == nil || rate == nil || *ms == 0 || !(*rate >= 0 && *rate*float64(*ms) < 1<<53) {
		return nil
	}
	n := int64(*rate*float64(*ms)/1000 + 0.5)
	// YCSB computes 1000.0 * n / ms; a copy may be shorter by its last digits.
	if again := 1000 * float64(n) / float64(*ms); again < *rate*(1-quotientError) || again > *rate*(1+quotientError) {
		return nil
	}
	return &n
}

// quotientError is what the rate may differ from operations by time, as a share.
const quotientError = 1e-12
