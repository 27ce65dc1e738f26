package merge

import (
	"fmt"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// minTogether is the minimum share of common time in the longest window to add up rates of
	// whole windows, where a client has no series.
	minTogether = 0.95
	// wholeWindow is the minimum share of common time in a client's window to use the client's
	// own rate, which the tool computed from every operation.
	wholeWindow = 0.999
)

// common is the time in which all clients measured, and its share of the longest window. ok is
// false where a window is unknown.
func common(parts []part) (from, to time.Time, share float64, ok bool) {
	var longest time.Duration
	for i, p := range parts {
		if p.started == nil || p.ended == nil {
			return time.Time{}, time.Time{}, 0, false
		}
		if i == 0 || p.started.After(from) {
			from = *p.started
		}
		if i == 0 || p.ended.Before(to) {
			to = *p.ended
		}
		longest = max(longest, p.ended.Sub(*p.started))
	}
	if longest <= 0 {
		return time.Time{}, time.Time{}, 0, false
	}
	return from, to, max(0, to.Sub(from).Seconds()) / longest.Seconds(), true
}

// rateTogether adds up the rates of the clients in the common time, because the server has
// less load while fewer clients run. Where these rates are unknown, the rates of whole windows
// are added up if the windows nearly coincide.
func rateTogether(parts []part, all []contract.Measurement) (*float64, string) {
	plain := fold(all, func(a, b float64) float64 { return a + b })
	from, to, share, ok := common(parts)
	if plain == nil || !ok {
		return plain, ""
	}
	if share == 0 {
		return nil, "left out, as there was no time in which all clients measured"
	}
	sum := 0.0
	for i, p := range parts {
		rate, ok := rateWithin(*all[i].Value, all[i].Intervals, p.ended.Sub(*p.started).Seconds(),
			from.Sub(*p.started).Seconds(), to.Sub(*p.started).Seconds())
		switch {
		case ok:
			sum += rate
		case share >= minTogether:
			return plain, ""
		default:
			return nil, fmt.Sprintf("left out, as all clients measured in only %.1f %% of the longest window, and client %s has no intervals",
				100*share, strconv.Itoa(p.client))
		}
	}
	return &sum, ""
}

// rateWithin is the rate between two instants of a window of so many seconds, all counted from
// its begin: that of the points, and where there is none (the rest behind the last point, a
// gap, a point without a number) that of all operations which the points do not hold. A point
// that lies in part within the two counts by that part.
func rateWithin(whole float64, points []contract.Interval, length, from, to float64) (float64, bool) {
	if to-from >= wholeWindow*length {
		return whole, true
	}
	usual := UsualGap(points)
	if !(usual > 0) {
		return 0, false
	}
	left, unknown := whole*length, length // operations and seconds without a point
	within, covered := 0.0, 0.0
	before := 0.0
	for _, p := range points {
		begin, end := max(before, p.AtSeconds-usual), min(p.AtSeconds, length)
		before = max(before, p.AtSeconds)
		if p.Value == nil || !(end > begin) {
			continue
		}
		left -= *p.Value * (end - begin)
		unknown -= end - begin
		if part := min(end, to) - max(begin, from); part > 0 {
			within += *p.Value * part
			covered += part
		}
	}
	if rest := to - from - covered; rest > 0 && unknown > 0 {
		within += max(0, left) / unknown * min(rest, unknown)
	}
	return within / (to - from), true
}
