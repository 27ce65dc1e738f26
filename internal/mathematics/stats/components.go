package stats

import "gonum.org/v1/gonum/stat/distuv"

// Level is a level of repetition.
type Level string

// Levels, from the cheaper to the dearer one.
const (
	// LevelTrial: one more trial in each run.
	LevelTrial Level = "Trial"
	// LevelRun: one more run, with servers of its own.
	LevelRun Level = "Run"
)

// Component is the variance that one level adds.
type Component struct {
	// Known: the level was repeated, so that its variance can be told from that of the other.
	Known bool
	// Variance in squared units of the values, 0 or more.
	Variance float64
}

// Components says where the variance of a measurement comes from.
type Components struct {
	// Trial is the variance between trials of one run, Run that between runs. Where that of trials is not known,
	// that of runs includes it.
	Trial, Run Component
	// Runs, and the mean number of trials in a run.
	Runs, Trials float64
}

// Costs are the seconds that repetitions take.
type Costs struct {
	// Trial is the time of a trial, Run that of a run without its trials.
	Trial, Run float64
}

// VarianceComponents of the values of each run: one run or more, each with a value. Values should be logarithms
// where sizes are compared. An estimate below 0 becomes 0.
//
// Source: Henderson's method 1 for groups of unequal size, S. R. Searle, G. Casella, C. E. McCulloch, Variance
// Components, Wiley 1992, chapter 3; what to repeat: T. Kalibera and R. Jones, Rigorous benchmarking in reasonable
// time, ISMM 2013.
func VarianceComponents(values [][]float64) Components {
	var mean, trials, squaredSizes, withinRuns, betweenRuns float64 // the last two are sums of squares
	for _, run := range values {
		size := float64(len(run))
		trials += size
		squaredSizes += size * size
		withinRuns += variance(run) * (size - 1)
		step := meanOf(run) - mean
		mean += step * size / trials
		betweenRuns += size * step * (meanOf(run) - mean)
	}
	runs := float64(len(values))
	c := Components{Runs: runs, Trials: trials / runs}
	if free := trials - runs; free > 0 {
		c.Trial = Component{true, withinRuns / free}
	}
	if free := runs - 1; free > 0 {
		c.Run = Component{true, max(0, (betweenRuns/free-c.Trial.Variance)/((trials-squaredSizes/trials)/free))}
	}
	return c
}

// meanOf a sample with values.
func meanOf(sample []float64) float64 {
	mean := 0.0
	for i, v := range sample {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}

// squaredWidth is that of an interval of the mean of so many runs with so many trials each, but for a constant: the
// variance of the mean, as far as the levels are known. With several runs it is Student's interval over the runs
// (CompareRuns), which also shrinks because more runs know their own spread better: the third run makes it narrower
// by two thirds by that alone.
func (c Components) squaredWidth(runs, trials float64) float64 {
	width := (c.Run.Variance + c.Trial.Variance/trials) / runs
	if c.Run.Known {
		t := distuv.StudentsT{Sigma: 1, Nu: runs - 1}.Quantile((1 + Confidence) / 2)
		width *= t * t
	}
	return width
}

// BuyNext is the level whose next repetition makes the squared width of the interval smaller by the most
// per second; empty where no level is known, or nothing varies.
//
// Where runs are not known, the advice is for the result of this run: another run may differ by
// more than its interval says.
func (c Components) BuyNext(costs Costs) (level Level) {
	now, best := c.squaredWidth(c.Runs, c.Trials), 0.0
	if gain := (now - c.squaredWidth(c.Runs, c.Trials+1)) / (c.Runs * costs.Trial); c.Trial.Known && gain > best {
		best, level = gain, LevelTrial
	}
	if gain := (now - c.squaredWidth(c.Runs+1, c.Trials)) / (costs.Run + c.Trials*costs.Trial); c.Run.Known && gain > best {
		level = LevelRun
	}
	return level
}
