package merge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxUncovered is the share of an interval that a window may cover without a point: the last
// operations end after the end of the window.
const maxUncovered = 0.05

// maxIntervals is beyond any series: a result holds some ten thousand points.
const maxIntervals = 1 << 30

// track is the series of one client on the common grid.
type track struct {
	// points by the number of the interval, from 1.
	points map[int]*float64
	// from and to are the window, in intervals since the begin of the first client.
	from, to float64
}

// mergeIntervals adds up the points of the same wall-clock time. The grid begins with the
// first client; the points of the other clients are moved to the nearest interval. A sum needs
// a point of every client that was running in the interval.
func mergeIntervals(parts []part, all []contract.Measurement) ([]contract.Interval, string) {
	for _, m := range all {
		if len(m.Intervals) == 0 {
			return nil, "" // one client has no series
		}
	}
	length := UsualGap(all[0].Intervals)
	var first time.Time
	for i, p := range parts {
		if p.started == nil {
			return nil, fmt.Sprintf("the intervals are left out, as the start of client %d is unknown", p.client)
		}
		if i == 0 || p.started.Before(first) {
			first = *p.started
		}
	}
	if !(length > 0) {
		return nil, "the intervals are left out, as their times are not in order"
	}
	tracks := make([]track, 0, len(parts))
	for i, p := range parts {
		t, ok := newTrack(p, all[i].Intervals, p.started.Sub(first).Seconds(), length)
		if !ok {
			return nil, fmt.Sprintf("the intervals are left out, as those of client %d are not of one length", p.client)
		}
		tracks = append(tracks, t)
	}
	return addUp(tracks, length), ""
}

// UsualGap is the (lower) median of the gaps between points in seconds, the first one from 0; 0 without
// points. Some may be longer, where points are missing, and the last one shorter.
func UsualGap(points []contract.Interval) float64 {
	if len(points) == 0 {
		return 0
	}
	gaps, before := make([]float64, 0, len(points)), 0.0
	for _, p := range points {
		gaps = append(gaps, p.AtSeconds-before)
		before = p.AtSeconds
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2]
}

// newTrack moves a series to the common grid. It is false when two points fall into one
// interval, or one is too far away. The end of a window in the previous interval is not a
// separate point.
func newTrack(p part, points []contract.Interval, late, length float64) (track, bool) {
	shift := math.Round(late / length)
	t := track{points: map[int]*float64{}, from: shift}
	for i, point := range points {
		at := math.Round(point.AtSeconds/length) + shift
		if !(at >= 1 && at <= maxIntervals) {
			return track{}, false
		}
		if _, twice := t.points[int(at)]; twice {
			if i == len(points)-1 {
				break
			}
			return track{}, false
		}
		t.points[int(at)] = point.Value
		t.to = max(t.to, at)
	}
	switch m, ok := contract.Find(p.measurements, contract.NameTotalTime, nil); {
	case p.ended != nil && p.started != nil:
		t.to = max(t.to, shift+p.ended.Sub(*p.started).Seconds()/length)
	case ok && m.Value != nil:
		t.to = max(t.to, shift+*m.Value/length)
	}
	return t, true
}

func addUp(tracks []track, length float64) []contract.Interval {
	var numbers []int
	for _, t := range tracks {
		numbers = slices.AppendSeq(numbers, maps.Keys(t.points))
	}
	slices.Sort(numbers)
	var merged []contract.Interval
	for _, i := range slices.Compact(numbers) {
		if value, ok := sumAt(tracks, i); ok {
			merged = append(merged, contract.Interval{AtSeconds: float64(i) * length, Value: value})
		}
	}
	return merged
}

// sumAt is the sum in an interval; nil when a client's point has no value, not ok
// when a client that was running has no point.
func sumAt(tracks []track, i int) (*float64, bool) {
	total, known := 0.0, true
	for _, t := range tracks {
		value, ok := t.points[i]
		switch {
		case !ok && t.runs(i):
			return nil, false
		case !ok: // it had not begun, or had ended
		case value == nil:
			known = false
		default:
			total += *value
		}
	}
	if !known {
		return nil, true
	}
	return &total, true
}

// runs reports whether the window covers more than maxUncovered of an interval.
func (t track) runs(i int) bool {
	return min(t.to, float64(i))-max(t.from, float64(i-1)) > maxUncovered
}
