package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is a level of repetition.
type Level string

// Levels, from the cheapest to the dearest.
const (
	// LevelTrial: one more trial on a server that runs already.
	LevelTrial Level = "Trial"
	// LevelRestart: one more start of the server, in each run.
	LevelRestart Level = "Restart"
	// LevelRun: one more run, with servers of its own.
	LevelRun Level = "Run"
)

// Component is the variance that one level adds.
type Component struct {
	// Known: the level was repeated, so that its variance can be told from that of the others.
	Known bool
	// Variance in squared units of the values, 0 or more.
	Variance float64
}

// Components says where the variance of a measurement comes from.
type Components struct {
	// Trial is the variance between trials of one start of the server, Restart that between starts,
	// Run that between runs. Where a level is not known, the next lower one that is includes it.
	Trial, Restart, Run Component
	// Runs, and the mean numbers of restarts in a run and of trials in a restart.
	Runs, Restarts, Trials float64
}

// Costs are the seconds that repetitions take.
type Costs struct {
	// Trial is the time of a trial, Restart that of a start without its trials, Run that of a run
	// without its starts.
	Trial, Restart, Run float64
}

// VarianceComponents of values by run, restart and trial: values[run][restart][trial]. Values
// should be logarithms where sizes are compared. An estimate below 0 becomes 0. Groups without
// values are left out. It fails with ErrEmpty or a NotFiniteError (its Index counts all values).
//
// Source: Henderson's method 1 for nested designs of unequal size, S. R. Searle, G. Casella, C. E.
// McCulloch, Variance Components, Wiley 1992, chapter 5 and appendix F; what to repeat: T.
// Kalibera and R. Jones, Rigorous benchmarking in reasonable time, ISMM 2013.
func VarianceComponents(values [][][]float64) (Components, error) {
	t := nestedSums(values)
	if t.values == 0 {
		return Components{}, ErrEmpty
	}
	if t.notFinite != nil {
		return Components{}, t.notFinite
	}
	c := Components{Runs: t.runs, Restarts: t.restarts / t.runs, Trials: t.values / t.restarts}
	within := 0.0
	if free := t.values - t.restarts; free > 0 {
		within = t.withinRestarts / free
		c.Trial = Component{true, within}
	}
	between := 0.0
	if free := t.restarts - t.runs; free > 0 {
		size := (t.values - t.sizesInRuns) / free
		between = (t.betweenRestarts/free - within) / size
		c.Restart = Component{true, max(0, between)}
	}
	if free := t.runs - 1; free > 0 {
		size := (t.values - t.runSizes/t.values) / free
		restarts := (t.sizesInRuns - t.restartSizes/t.values) / free
		c.Run = Component{true, max(0, (t.betweenRuns/free-within-restarts*max(0, between))/size)}
	}
	return c, nil
}

// sums of a nested design.
type sums struct {
	runs, restarts, values                       float64
	withinRestarts, betweenRestarts, betweenRuns float64 // sums of squares
	restartSizes, runSizes                       float64 // sums of squared numbers of values
	sizesInRuns                                  float64 // Σ over runs of Σ n² of restarts / n of the run
	notFinite                                    *NotFiniteError
}

func nestedSums(values [][][]float64) sums {
	var t sums
	var runMeans, runSizes []float64
	for _, run := range values {
		var means, sizes []float64
		for _, restart := range run {
			for _, v := range restart {
				if (math.IsNaN(v) || math.IsInf(v, 0)) && t.notFinite == nil {
					t.notFinite = &NotFiniteError{Index: int(t.values), Value: v}
				}
				t.values++
			}
			if n := float64(len(restart)); n > 0 {
				t.withinRestarts += variance(restart) * (n - 1)
				means, sizes = append(means, meanOf(restart)), append(sizes, n)
				t.restartSizes += n * n
			}
		}
		if len(sizes) == 0 {
			continue
		}
		mean, squares, size, sizeSquares := weighted(means, sizes)
		t.betweenRestarts += squares
		t.sizesInRuns += sizeSquares / size
		t.runSizes += size * size
		t.restarts += float64(len(sizes))
		runMeans, runSizes = append(runMeans, mean), append(runSizes, size)
	}
	t.runs = float64(len(runMeans))
	_, t.betweenRuns, _, _ = weighted(runMeans, runSizes)
	return t
}

// weighted mean of values, the weighted sum of squares about it, and the sums of the weights and
// of their squares.
func weighted(values, weights []float64) (mean, squares, weight, weightSquares float64) {
	for i, v := range values {
		weight += weights[i]
		weightSquares += weights[i] * weights[i]
		step := v - mean
		mean += step * weights[i] / weight
		squares += weights[i] * step * (v - mean)
	}
	return mean, squares, weight, weightSquares
}

// meanOf a sample with values.
func meanOf(sample []float64) float64 {
	mean := 0.0
	for i, v := range sample {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}

// meanVariance is the variance of the mean of all values of so many runs, restarts per run and trials per restart, as far as
// the levels are known: squared, the standard error of a result.
func meanVariance(c Components, runs, restarts, trials float64) float64 {
	return (c.Run.Variance + (c.Restart.Variance+c.Trial.Variance/trials)/restarts) / runs
}

// squaredWidth is that of an interval of the mean, but for a constant. With several runs it is Student's
// interval over the runs (CompareRuns), which also shrinks because more runs know their own spread
// better: the third run makes it narrower by two thirds by that alone.
func (c Components) squaredWidth(runs, restarts, trials float64) float64 {
	width := meanVariance(c, runs, restarts, trials)
	if c.Run.Known {
		t := distuv.StudentsT{Sigma: 1, Nu: runs - 1}.Quantile((1 + Confidence) / 2)
		width *= t * t
	}
	return width
}

// BuyNext is the level whose next repetition makes the squared width of the interval smaller by the most
// per second. ok is false where no level is known, or nothing varies.
//
// Where runs are not known, the advice is for the result of this run: another run may differ by
// more than its interval says.
func (c Components) BuyNext(costs Costs) (level Level, ok bool) {
	now, best := c.squaredWidth(c.Runs, c.Restarts, c.Trials), 0.0
	restart := costs.Restart + c.Trials*costs.Trial
	for _, offer := range []struct {
		level       Level
		known       bool
		after, cost float64
	}{
		{LevelTrial, c.Trial.Known, c.squaredWidth(c.Runs, c.Restarts, c.Trials+1), c.Runs * c.Restarts * costs.Trial},
		{LevelRestart, c.Restart.Known, c.squaredWidth(c.Runs, c.Restarts+1, c.Trials), c.Runs * restart},
		{LevelRun, c.Run.Known, c.squaredWidth(c.Runs+1, c.Restarts, c.Trials), costs.Run + c.Restarts*restart},
	} {
		if gain := (now - offer.after) / offer.cost; offer.known && gain > best {
			best, level, ok = gain, offer.level, true
		}
	}
	return level, ok
}
