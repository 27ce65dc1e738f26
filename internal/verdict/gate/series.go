package gate

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/changepoint"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// ChangeOptions of a search for changes in a series.
type ChangeOptions struct {
	// ErrorRate is the largest probability of any change in a series without one, over all measurements
	// of its latest run, such as 0.05. It holds for one search: a nightly search has it each night.
	ErrorRate float64
	// MinimumEffect is the smallest change of the level that matters, such as 0.05.
	MinimumEffect float64
	// Confirm is how many runs after the first of the new level have to show it. A change is found with
	// two runs at least, so that 0 is as 1.
	Confirm int
}

// mostWork bounds a search, in steps (changepoint.Work) of 3 to 4 ns: about ten seconds, where each measurement has as many changes as are
// searched.
const mostWork = 2.5e9

// leastWindow is searched in any case.
const leastWindow = 16

// window is how many of the latest values of each of so many measurements are searched. Their tests
// share the error rate, so that twice as many need twice the permutations each.
func window(errorRate float64, measurements int) int {
	most := sort.Search(changepoint.MostValues, func(n int) bool {
		return float64(measurements)*changepoint.Work(n+1, errorRate/float64(measurements)) > mostWork
	})
	return max(most, leastWindow)
}

// Searchable says whether a search of so many measurements can find a change. Of the ways to cut the n values of a window in two, two
// are as extreme as the clearest change in its middle, so that no p is below 2 / C(n, n/2), and each measurement has its share of the
// error rate.
func Searchable(errorRate float64, measurements int) bool {
	n := window(errorRate, measurements)
	return 2/math.Round(math.Exp(logFactorial(n)-logFactorial(n/2)-logFactorial(n-n/2))) <= errorRate/float64(measurements)
}

func logFactorial(n int) float64 {
	log, _ := math.Lgamma(float64(n + 1))
	return log
}

// Searched is how many measurements Changes searches: those of the latest run.
func Searched(series []Past) int { return len(latest(series)) }

// Changes finds the measurements of the latest run whose level changed for the worse when it last
// changed, by change points over the medians of the runs, the oldest run first. The gates of the runs
// and their baseline decide nothing here: a series is its own baseline. It does not depend on the day:
// the random permutations follow from the length of the series. Of very many measurements only the latest
// runs are searched, and at most changepoint.MostValues of any; of so many that none could be found (Searchable), none. It fails for medians that are not positive, and when the context ends.
func Changes(ctx context.Context, series []Past, o ChangeOptions) ([]Regression, error) {
	lines := latest(series)
	if !Searchable(o.ErrorRate, len(lines)) {
		return nil, nil
	}
	var out []Regression
	for _, l := range lines {
		old := max(0, len(l.at)-window(o.ErrorRate, len(lines)))
		l.values, l.at = l.values[old:], l.at[old:]
		r, is, err := lastChange(ctx, l, o, len(lines))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", baseline.Words(l.last.Measurement), err)
		}
		if !is {
			continue
		}
		since := series[l.at[len(l.at)-r.Runs]]
		r.Since, r.At, r.Last = since.Run, since.Time, series[l.at[len(l.at)-1]].Run
		out = append(out, r)
	}
	return out, nil
}

// lastChange of a line, one of so many; false unless it is one for the worse.
func lastChange(ctx context.Context, l line, o ChangeOptions, of int) (r Regression, is bool, err error) {
	if l.last.Direction == "" {
		return r, false, nil
	}
	logs := make([]float64, len(l.values))
	for i, v := range l.values {
		logs[i] = math.Log(v.Median) // a change by a factor is as far on any level
	}
	changes, err := changepoint.Find(ctx, logs, o.ErrorRate/float64(of))
	if err != nil || len(changes) == 0 {
		return r, false, err
	}
	last := changes[len(changes)-1]
	r = Regression{Measurement: l.last.Measurement, Runs: len(logs) - last.Index, Ratio: math.Exp(last.After - last.Before), P: last.P}
	r.Confirmed = r.Runs > o.Confirm
	return r, worse(contract.Direction(l.last.Direction), r.Ratio) >= o.MinimumEffect, nil
}
