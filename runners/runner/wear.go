package runner

import "math"

// Wear is what the operations of one client do to the rows that were loaded, as far as that
// follows from the workload. The zero value: they leave as many as they find.
type Wear struct {
	// Deletes is how many rows an operation asks to delete, by keys that it draws.
	Deletes int64
	// Inserts is how many rows an operation adds.
	Inserts int64
	// RowBytes is what a row takes with its indexes, about.
	RowBytes int64
	// Warmup and Window are how many operations a trial has in them; nil for as many as fit
	// into the time.
	Warmup, Window *int64
	// Exact: a trial whose window has fewer operations than that fails.
	Exact bool
	// HotRows is the share (0 to 1) of the rows that the share HotKeys of the keys is drawn
	// from; 0 for keys that are spread over all rows, or otherwise.
	HotRows, HotKeys float64
	// Remedy is what would make the data last, in the words of the spec.
	Remedy string
}

// Of so many clients that do the same at once: the operations of all of them.
func (w Wear) Of(clients int64) Wear {
	for _, n := range []**int64{&w.Warmup, &w.Window} {
		if *n != nil {
			*n = new(**n * clients)
		}
	}
	return w
}

// Found is how many different rows a number of keys meets at most, drawn at random from a
// number of rows: as many as there would be if every draw within the hot rows, and every
// other one within all, were uniform. So a delete by key finds a row at most so often.
func (w Wear) Found(keys, rows float64) float64 {
	found := different(keys, rows)
	if w.HotRows <= 0 {
		return found
	}
	hot := max(w.HotRows*rows, 1)
	return min(found, different(keys*w.HotKeys, hot)+different(keys*(1-w.HotKeys), rows))
}

// different rows that uniform draws meet, in the mean.
func different(draws, rows float64) float64 {
	if rows <= 0 {
		return 0
	}
	return -rows * math.Expm1(-draws/rows)
}
