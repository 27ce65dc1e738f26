package result

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// sourceMerge is the source of a Problem of merging.
const sourceMerge = "merge"

// Merge makes one result of those of the clients of one trial, and says how well
// they measured together. The order of the results does not matter; one result
// comes back as it is.
//
//   - measurements are merged by the table in merge_rules.go, those of the warm-up too;
//   - it is Failed when one is, for the reason of the first client that was not
//     merely told to stop;
//   - errors are added up, and problems listed with their client;
//   - instants are on the clock of the first client, as far as the offsets are known;
//   - Times.MeasureStarted is the first, MeasureEnded the last of them;
//   - what the server said, the data, the target, the tool and the environment are
//     those of the first client, which alone asks;
//   - RawSHA256 is empty: each client has raw outputs of its own.
//
// It fails for no results, for those of different trials or tools, and for two
// of one client.
func Merge(results []Result) (Result, Skew, error) {
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b Result) int { return cmp.Compare(a.Trial.Client, b.Trial.Client) })
	if err := mergeable(sorted); err != nil {
		return Result{}, Skew{}, fmt.Errorf("merge results: %w", err)
	}
	clocks := clocksOf(sorted)
	sorted = clocks.align(sorted)
	skew := clocks.judge(skewOf(sorted), sorted)
	if len(sorted) == 1 {
		return sorted[0], skew, nil
	}
	merged := sorted[0]
	merged.RawSHA256 = ""
	merged.State, merged.Failure = mergeStates(sorted)
	merged.Times = mergeTimes(sorted)
	merged.Errors = mergeErrors(sorted)
	merged.Problems = listProblems(sorted)
	measured := partsOf(sorted, func(r Result) ([]Measurement, *time.Time) { return r.Measurements, r.Times.MeasureStarted })
	var problems []Problem
	merged.Measurements, problems = mergeMeasurements(measured)
	if merged.State == Succeeded {
		// That clients which failed have no numbers needs no problem beside the failure.
		merged.Problems = append(merged.Problems, problems...)
	}
	warmup := partsOf(sorted, func(r Result) ([]Measurement, *time.Time) { return r.Warmup, r.Times.WarmupStarted })
	merged.Warmup, _ = mergeMeasurements(warmup)
	return merged, skew, nil
}

func mergeable(sorted []Result) error {
	if len(sorted) == 0 {
		return errors.New("there are none")
	}
	first := sorted[0]
	for i, r := range sorted[1:] {
		switch a, b := first.Trial, r.Trial; {
		case a.RunUID != b.RunUID || a.Phase != b.Phase || a.Target != b.Target || !equal(a.Index, b.Index) || !equal(a.Block, b.Block):
			return fmt.Errorf("client %d has a result of another trial than client %d", b.Client, a.Client)
		case b.Client == sorted[i].Trial.Client:
			return fmt.Errorf("client %d has two results", b.Client)
		case r.Tool.Name != first.Tool.Name:
			return fmt.Errorf("client %d ran %s, and client %d %s", b.Client, r.Tool.Name, a.Client, first.Tool.Name)
		}
	}
	return nil
}

func equal(a, b *int) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// mergeStates takes the failure of the first client that failed by itself: when
// one fails, the others are told to stop.
func mergeStates(results []Result) (State, *Failure) {
	var found *Failure
	for _, r := range results {
		if r.State != Failed || r.Failure == nil {
			continue
		}
		failure := &Failure{Reason: r.Failure.Reason, Message: fmt.Sprintf("client %d: %s", r.Trial.Client, r.Failure.Message)}
		if failure.Reason != ReasonInterrupted {
			return Failed, failure
		}
		if found == nil {
			found = failure
		}
	}
	if found != nil {
		return Failed, found
	}
	return Succeeded, nil
}

func mergeTimes(results []Result) Times {
	times := results[0].Times
	for _, r := range results[1:] {
		if at := r.Times.MeasureStarted; at != nil && (times.MeasureStarted == nil || at.Before(*times.MeasureStarted)) {
			times.MeasureStarted = at
		}
		if at := r.Times.MeasureEnded; at != nil && (times.MeasureEnded == nil || at.After(*times.MeasureEnded)) {
			times.MeasureEnded = at
		}
	}
	return times
}

func mergeErrors(results []Result) []ErrorCount {
	var merged []ErrorCount
	for _, r := range results {
		for _, e := range r.Errors {
			i := slices.IndexFunc(merged, func(m ErrorCount) bool { return m.Name == e.Name })
			if i < 0 {
				merged = append(merged, e)
				continue
			}
			merged[i].Count += e.Count
		}
	}
	return merged
}

func listProblems(results []Result) []Problem {
	var all []Problem
	for _, r := range results {
		for _, p := range r.Problems {
			p.Source = "client-" + strconv.Itoa(r.Trial.Client) + "/" + p.Source
			all = append(all, p)
		}
	}
	return all
}
