package validity

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// A tool computes its rate at another moment than it prints its time: up to 1 ms later for
// sysbench on an idle machine. rateSlack (s) and rateShare allow for a busy machine; rateStep
// is the rounding of a rate with two decimals. A client that is throttled at that moment is up
// to two periods late (pauseSlack, s).
const (
	rateSlack  = 0.020
	pauseSlack = 0.250
	rateShare  = 0.001
	rateStep   = 0.005
)

func headline(r contract.Result, e runner.Expectations) string {
	name := e.Headline
	switch name {
	case "":
		name = contract.NameThroughput
	case runner.AnyHeadline:
		if !slices.ContainsFunc(r.Measurements, func(m contract.Measurement) bool { return m.Value != nil }) {
			return "the result has no number, although the tool succeeded"
		}
		return ""
	}
	if _, ok := value(r, name, nil); !ok {
		return fmt.Sprintf("the result has no %s, although the tool succeeded", name)
	}
	return ""
}

func nothingDone(r contract.Result, _ runner.Expectations) string {
	if n, ok := operations(r); ok && n == 0 {
		return "no operation was executed"
	}
	return ""
}

// wrongRate differs from count and time, and rateBeside only slightly.
func wrongRate(name string) say {
	return func(r contract.Result, _ runner.Expectations) string { return rate(r, name, pauseSlack) }
}

func rateBeside(name string) say {
	return func(r contract.Result, _ runner.Expectations) string {
		if rate(r, name, pauseSlack) != "" {
			return ""
		}
		return rate(r, name, rateSlack)
	}
}

// rate compares the time that follows from count and rate with the measured time.
func rate(r contract.Result, name string, slack float64) string {
	seconds, timed := value(r, contract.NameTotalTime, nil)
	m, ok := r.Find(name, nil)
	if !timed || !ok || m.N == nil || m.Value == nil {
		return ""
	}
	n, perSecond := float64(*m.N), *m.Value
	if perSecond <= 0 {
		if n > rateStep*seconds || perSecond < 0 {
			return fmt.Sprintf("%s is %g %s, but %.0f were counted", name, perSecond, m.Unit, n)
		}
		return "" // it was rounded to 0
	}
	implied := n / perSecond
	if allowed := slack + rateShare*seconds + rateStep*seconds/perSecond; math.Abs(implied-seconds) > allowed {
		return fmt.Sprintf("%s is %g %s, but %.0f in %.4f s are %.2f %s", name, perSecond, m.Unit, n, seconds, n/seconds, m.Unit)
	}
	return ""
}

func eventCount(r contract.Result, _ runner.Expectations) string {
	n, counted := operations(r)
	if events, ok := value(r, contract.NameEvents, nil); ok && counted && events != n {
		return fmt.Sprintf("%.0f operations were counted, but %.0f events", n, events)
	}
	return ""
}

// operationsAsked allows one more operation per thread, because threads check the count before
// their last operation.
func operationsAsked(r contract.Result, e runner.Expectations) string {
	n, counted := operations(r)
	if asked := float64(e.Operations); counted && e.Operations > 0 && n > asked+float64(e.Threads) {
		return fmt.Sprintf("%.0f operations were counted, but %d were requested", n, e.Operations)
	}
	return ""
}

// operationsMissing: the time limit came first. The rates are those of the executed
// operations. A tool that stopped at a wrong result has a finding for that.
func operationsMissing(r contract.Result, e runner.Expectations) string {
	n, counted := operations(r)
	if counted && e.Operations > 0 && n < float64(e.Operations) && !wrong(r) {
		return fmt.Sprintf("%.0f operations were counted, but %d were requested: the time limit came first", n, e.Operations)
	}
	return ""
}

func queryKinds(r contract.Result, _ runner.Expectations) string {
	total, ok := queries(r)
	if !ok {
		return ""
	}
	sum, kinds := 0.0, 0
	for _, m := range r.Measurements {
		if m.Name == contract.NameQueryCount && m.Value != nil {
			sum += *m.Value
			kinds++
		}
	}
	if kinds > 0 && sum != total {
		return fmt.Sprintf("the %d kinds of queries add up to %.0f, but %.0f queries were counted", kinds, sum, total)
	}
	return ""
}

// queriesPerOperation allows for errors that the tool ignored: the transaction is repeated,
// and the queries before the error are counted too.
func queriesPerOperation(r contract.Result, e runner.Expectations) string {
	n, counted := operations(r)
	total, ok := queries(r)
	if !ok || !counted || e.QueriesPerOperation == 0 {
		return ""
	}
	perOperation := float64(e.QueriesPerOperation)
	failed := float64(r.ErrorCount(contract.ErrorIgnored) + r.ErrorCount(contract.ErrorReconnects))
	least, most := n*perOperation, (n+failed)*perOperation
	if total < least || total > most {
		return fmt.Sprintf("%.0f operations of %.0f queries with %.0f repeated after errors are %.0f to %.0f queries, but %.0f were counted",
			n, perOperation, failed, least, most, total)
	}
	return ""
}

func histogram(r contract.Result, _ runner.Expectations) string {
	n, counted := operations(r)
	m, ok := unlabelled(r, contract.NameLatencyAvg)
	if !ok || !counted || m.Histogram == nil {
		return ""
	}
	if sum := m.Histogram.N(); float64(sum) != n {
		return fmt.Sprintf("the histogram holds %d operations, but %.0f were counted", sum, n)
	}
	return ""
}

func queries(r contract.Result) (float64, bool) { return count(r.Find(contract.NameQueries, nil)) }
