package gate

import (
	"cmp"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// Past is what one run of a series has shown.
type Past struct {
	// Run by its name, and when it ended.
	Run  string
	Time time.Time
	// Values of its measurements.
	Values []Value
}

// Value of one measurement in one run.
type Value struct {
	// Measurement and its Direction; without one it cannot be worse.
	Measurement v1alpha1.MeasurementKey
	Direction   contract.Direction
	// Median of the run.
	Median float64
	// Slower: the gate of the run called it slower. NotJudged: it could not say.
	Slower, NotJudged bool
}

// Regression of a series: a measurement that is worse than it was.
type Regression struct {
	// Measurement that is worse.
	Measurement v1alpha1.MeasurementKey
	// Since is the first run in which it is worse, by its name, and At is when that ended.
	Since string
	At    time.Time
	// Last is the last run in which it is worse, by its name.
	Last string
	// Runs in which it is worse: that one and all that followed.
	Runs int
	// Confirmed: it is worse in as many further runs as were asked for. Only then it is worth an alarm.
	Confirmed bool
	// Ratio of the level to the one before, and P that there was no change; both 0 where the gates of
	// the runs have decided.
	Ratio, P float64
}

// Alarm finds what the gates of a series call slower in its latest run, the oldest run first. It is
// confirmed when the given number of runs before said the same: with 1, a regression is reported by
// the second run that shows it. A run without the measurement, or whose gate could not judge it, neither
// confirms it nor ends it.
func Alarm(series []Past, confirm int) []Regression {
	var out []Regression
	for _, l := range latest(series) {
		r := Regression{Measurement: l.last.Measurement}
		for i := len(l.at) - 1; i >= 0; i-- {
			if l.values[i].NotJudged {
				continue
			}
			if !l.values[i].Slower {
				break
			}
			r.Since, r.At = series[l.at[i]].Run, series[l.at[i]].Time
			r.Last = cmp.Or(r.Last, r.Since)
			r.Runs++
		}
		if r.Runs == 0 {
			continue
		}
		r.Confirmed = r.Runs > confirm
		out = append(out, r)
	}
	return out
}

// line is one measurement over the runs of a series that have it.
type line struct {
	last   Value
	values []Value
	at     []int
}

// latest are the measurements of the last run, each with its values in all runs.
func latest(series []Past) []line {
	if len(series) == 0 {
		return nil
	}
	var out []line
	index := map[string]int{}
	for _, v := range series[len(series)-1].Values {
		key := baseline.Key(v.Measurement)
		if _, is := index[key]; !is {
			index[key] = len(out)
			out = append(out, line{last: v})
		}
	}
	for i, past := range series {
		for _, v := range past.Values {
			at, is := index[baseline.Key(v.Measurement)]
			if !is || len(out[at].at) > 0 && out[at].at[len(out[at].at)-1] == i {
				continue
			}
			out[at].values, out[at].at = append(out[at].values, v), append(out[at].at, i)
		}
	}
	return out
}
