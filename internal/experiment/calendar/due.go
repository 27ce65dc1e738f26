package calendar

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// MaxCounted is how many times of a schedule are counted at most.
const MaxCounted = 1000

// longest time between two times of a schedule that is looked for: 29 February, over a year that
// is divisible by 100.
const longest = 9 * 366 * 24 * time.Hour

// Times are those of a schedule between two instants.
type Times struct {
	// Latest of them; zero for none.
	Latest time.Time
	// Earlier is how many there are before Latest, at most MaxCounted.
	Earlier int
	// More says that there are more than that.
	More bool
}

// Between are the times after one instant, up to and including another one.
func (c Calendar) Between(after, until time.Time) Times {
	out := Times{Latest: c.latest(after, until)}
	if out.Latest.IsZero() {
		return out
	}
	for t, is := c.Next(after); is && t.Before(out.Latest); t, is = c.Next(t) {
		if out.Earlier == MaxCounted {
			out.More = true
			break
		}
		out.Earlier++
	}
	return out
}

// latest time after one instant, up to another one. It looks further and further back, so that what
// was not done for years costs no more than what was not done for a day.
func (c Calendar) latest(after, until time.Time) time.Time {
	for back := time.Minute; ; back *= 2 {
		from := later(after, until.Add(-back))
		var last time.Time
		for t, is := c.Next(from); is && !t.After(until); t, is = c.Next(t) {
			last = t
		}
		if !last.IsZero() || !from.After(after) || back > longest {
			return last
		}
	}
}

// Delayed is a calendar whose times come later by up to a duration, so that not all schedules of
// one line begin at once. The delay of a time follows from the name and the time alone, and is
// always shorter than what is left until the next time.
type Delayed struct {
	Calendar
	// By is the longest delay.
	By time.Duration
	// Name that the delays follow from.
	Name string
}

// At is when a time of the calendar is due.
func (d Delayed) At(t time.Time) time.Time {
	most := d.By
	if next, is := d.Next(t); is {
		most = min(most, next.Sub(t))
	}
	if most < time.Second {
		return t
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", d.Name, t.Unix()))
	return t.Add(time.Duration(binary.BigEndian.Uint64(sum[:8])%uint64(most/time.Second)) * time.Second)
}

// Due are the times after one instant that are due at another one.
func (d Delayed) Due(after, now time.Time) Times {
	until := now
	if last := d.latest(after, now); !last.IsZero() && d.At(last).After(now) {
		until = last.Add(-time.Second) // delays keep the order: the one before it is due
	}
	return d.Between(after, until)
}
