// Package merge merges the results of the clients of one trial. In: one result per client.
// Out: one result on the clock of the first client, with one merge rule for each measurement,
// and the skew between the clients. It refuses results of different trials or tools, and two
// results of one client. A measurement without a rule stays separate per client.
package merge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// sourceMerge is the source of a Problem of merging.
const sourceMerge = "merge"

// Results merges the results of the clients of one trial, and returns their skew. The order of
// the results does not matter. A single result is returned unchanged.
//
//   - measurements are merged by the table in merge_rules.go, those of the warm-up too;
//   - it is Failed when one is, with the reason of the first client that was not just
//     interrupted;
//   - errors are added up, and problems listed with their client;
//   - instants are on the clock of the first client, as far as the offsets are known;
//   - rates are those of the time in which all clients measured, by their intervals, where it is
//     known how their clocks stand to one another, else the sums of those of whole windows; counts
//     and latencies are those of all whole windows;
//   - Times.MeasureStarted and WindowStarted are the first, MeasureEnded and WindowEnded the
//     last of them;
//   - what the server said, the data, the target, the tool and the environment are
//     those of the first client, which alone asks;
//   - RawSHA256 is empty, and Answers absent: each client has raw outputs, and results of queries, of its own.
//
// It fails for no results, for those of different trials or tools, and for two
// of one client.
func Results(results []contract.Result) (contract.Result, Skew, error) {
	sorted := byClient(results)
	if err := mergeable(sorted); err != nil {
		return contract.Result{}, Skew{}, fmt.Errorf("merge results: %w", err)
	}
	clocks := clocksOf(sorted)
	sorted = clocks.align(sorted)
	skew := clocks.judge(skewOf(sorted), sorted)
	if len(sorted) == 1 {
		return sorted[0], skew, nil
	}
	merged := sorted[0]
	merged.RawSHA256, merged.Answers = "", nil
	merged.State, merged.Failure = mergeStates(sorted)
	merged.Times = mergeTimes(sorted)
	merged.Errors = mergeErrors(sorted)
	merged.Problems = listProblems(sorted)
	parts := measured(sorted)
	if !clocks.known {
		// Without known clock offsets there is no common time: rates of whole windows are
		// added up, and Skew.ClocksUnknown is set.
		for i := range parts {
			parts[i].started, parts[i].ended = nil, nil
		}
	}
	var problems []contract.Problem
	merged.Measurements, problems = mergeMeasurements(parts)
	if merged.State == contract.Succeeded {
		// Missing numbers of failed clients need no problem beside the failure.
		merged.Problems = append(merged.Problems, problems...)
	}
	merged.Warmup, _ = mergeMeasurements(warmedUp(sorted))
	return merged, skew, nil
}

// SkewOf the clients of one trial, whose results need not be merged.
func SkewOf(results []contract.Result) Skew {
	sorted := byClient(results)
	clocks := clocksOf(sorted)
	sorted = clocks.align(sorted)
	return clocks.judge(skewOf(sorted), sorted)
}

// byClient are the results in the order of their clients.
func byClient(results []contract.Result) []contract.Result {
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b contract.Result) int { return cmp.Compare(a.Trial.Client, b.Trial.Client) })
	return sorted
}

func mergeable(sorted []contract.Result) error {
	if len(sorted) == 0 {
		return errors.New("there are none")
	}
	one := sorted[0]
	for i, r := range sorted[1:] {
		switch a, b := one.Trial, r.Trial; {
		case !a.SameTrial(b):
			return fmt.Errorf("client %d has a result of another trial than client %d", b.Client, a.Client)
		case b.Client == sorted[i].Trial.Client:
			return fmt.Errorf("client %d has two results", b.Client)
		case r.Tool.Name != one.Tool.Name:
			return fmt.Errorf("client %d ran %s, and client %d %s", b.Client, r.Tool.Name, a.Client, one.Tool.Name)
		}
	}
	return nil
}

// mergeStates uses the failure of the first client that failed by itself: when one fails, the
// others are interrupted.
func mergeStates(results []contract.Result) (contract.State, *contract.Failure) {
	var found *contract.Failure
	for _, r := range results {
		if r.State != contract.Failed || r.Failure == nil {
			continue
		}
		failure := &contract.Failure{Reason: r.Failure.Reason, Message: fmt.Sprintf("client %d: %s", r.Trial.Client, r.Failure.Message)}
		if failure.Reason != contract.ReasonInterrupted {
			return contract.Failed, failure
		}
		if found == nil {
			found = failure
		}
	}
	if found != nil {
		return contract.Failed, found
	}
	return contract.Succeeded, nil
}

func mergeTimes(results []contract.Result) contract.Times {
	times := results[0].Times
	for _, r := range results[1:] {
		times.MeasureStarted = earliest(times.MeasureStarted, r.Times.MeasureStarted)
		times.WindowStarted = earliest(times.WindowStarted, r.Times.WindowStarted)
		times.MeasureEnded = latest(times.MeasureEnded, r.Times.MeasureEnded)
		times.WindowEnded = latest(times.WindowEnded, r.Times.WindowEnded)
	}
	return times
}

// earliest of two instants; an absent instant is ignored.
func earliest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

func latest(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func mergeErrors(results []contract.Result) []contract.ErrorCount {
	var merged []contract.ErrorCount
	for _, r := range results {
		for _, e := range r.Errors {
			i := slices.IndexFunc(merged, func(m contract.ErrorCount) bool { return m.Name == e.Name })
			if i < 0 {
				merged = append(merged, e)
				continue
			}
			merged[i].Count += e.Count
		}
	}
	return merged
}

func listProblems(results []contract.Result) []contract.Problem {
	var all []contract.Problem
	for _, r := range results {
		for _, p := range r.Problems {
			p.Source = "client-" + strconv.Itoa(r.Trial.Client) + "/" + p.Source
			all = append(all, p)
		}
	}
	return all
}
