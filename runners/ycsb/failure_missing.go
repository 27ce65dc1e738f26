package ycsb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// missing lists what a whole report would have. A report has no last line of its own, so
// every section is held against the others and against the sum.
func (j judgement) missing() []string {
	names := slices.Clone(j.unreadable)
	add := func(format string, args ...any) { names = append(names, fmt.Sprintf(format, args...)) }
	if j.cut {
		add("the end of its last line")
	}
	if j.report.runTime.value(0) == nil {
		add("[OVERALL], %s", measureRunTime)
	}
	if j.report.throughput.value(0) == nil {
		add("[OVERALL], %s", measureThroughput)
	}
	n, counted := j.report.endedWell(), j.report.counted()
	switch {
	case n == nil:
		add("the sections of its operations")
	case counted != nil && *n != *counted:
		add("operations (%d of %d have a section)", *n, *counted)
	}
	names = append(names, j.missingSections()...)
	for _, s := range j.report.sections {
		names = append(names, j.missingIn(s)...)
	}
	return names
}

// missingSections are CLEANUP, which each thread has once, and the intended latencies of
// each operation that has others.
func (j judgement) missingSections() []string {
	var names []string
	if n := j.report.of(metricCleanup, false).done(); n == nil || *n != j.threads {
		names = append(names, fmt.Sprintf("the section %s of %d threads", metricCleanup, j.threads))
	}
	isIntended := func(s *section) bool { return parseMetric(s.name).intended }
	if (j.params.Target == 0 || j.phase == contract.PhasePrepare) && !slices.ContainsFunc(j.report.sections, isIntended) {
		return names
	}
	for _, s := range j.report.sections {
		m := parseMetric(s.name)
		if m.failed != "" || m.intended {
			continue
		}
		if n := j.report.of(m.operation, true).done(); n == nil || s.done() == nil || *n != *s.done() {
			names = append(names, fmt.Sprintf("the section %s%s of as many operations", intendedPrefix, s.name))
		}
	}
	return names
}

// missingIn lists what a section lacks beside the others.
func (j judgement) missingIn(s *section) []string {
	m := parseMetric(s.name)
	if m.failed != "" {
		return nil
	}
	var names []string
	add := func(what string) { names = append(names, "["+s.name+"], "+what) }
	if s.done() == nil {
		add(measureOperations)
	}
	for what, l := range map[string]*latency{"AverageLatency": s.avg, "MinLatency": s.min, "MaxLatency": s.max} {
		if l.ms() == nil {
			add(what)
		}
	}
	slices.Sort(names)
	if len(s.percentiles) < j.report.mostPercentiles() {
		add("PercentileLatency")
	}
	if isBasic(m.operation) && !m.intended {
		if well := s.returnedWell(); s.done() != nil && well != *s.done() {
			add(fmt.Sprintf("Return=OK of all operations (%d of %d)", well, *s.done()))
		}
	}
	if log, ok := j.logs[s.name]; len(j.logs) > 0 && s.done() != nil && *s.done() > 0 {
		if n := log.histogram.N(); !ok || n != *s.done() {
			add(fmt.Sprintf("HDR log (%d of %d operations)", n, *s.done()))
		}
	}
	return names
}

func (r *report) mostPercentiles() int {
	most := 0
	for _, s := range r.sections {
		most = max(most, len(s.percentiles))
	}
	return most
}

// returnedWell is how many operations were answered OK or BATCHED_OK.
func (s *section) returnedWell() int64 {
	var n int64
	for _, ret := range s.returns {
		if c := ret.n.count(); c != nil && endedWell(ret.status) {
			n += *c
		}
	}
	return n
}

// errorCounts are operations that did not end well, by operation and status. NOT_FOUND
// is one: the core workloads ask only for rows that were loaded or inserted before, and a
// read without a row is less work than one with it. Statuses are complete; the sections
// of failed operations are used where a report has no statuses.
func (r *report) errorCounts() []contract.ErrorCount {
	counts := map[string]int64{}
	counted := map[string]bool{}
	for _, s := range r.sections {
		for _, ret := range s.returns {
			if n := ret.n.count(); n != nil && *n > 0 && !endedWell(ret.status) {
				counts[errorName(parseMetric(s.name).label(), ret.status)] = *n
				counted[parseMetric(s.name).operation] = true
			}
		}
	}
	for _, s := range r.sections {
		m := parseMetric(s.name)
		if n := s.done(); m.failed != "" && !m.intended && !counted[m.operation] && n != nil && *n > 0 {
			counts[errorName(m.label(), m.failed)] = *n
		}
	}
	var list []contract.ErrorCount
	for name, n := range counts {
		list = append(list, contract.ErrorCount{Name: name, Count: n})
	}
	slices.SortFunc(list, func(a, b contract.ErrorCount) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// errorName such as read/ERROR.
func errorName(operation, status string) string { return operation + "/" + status }

func describe(counts []contract.ErrorCount) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%s %d times", c.Name, c.Count))
	}
	return runner.Few(parts)
}
