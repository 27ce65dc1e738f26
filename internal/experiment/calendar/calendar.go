// Package calendar says when a schedule is due. In: lines of cron and a time zone. Out: the times,
// as instants. Refused: lines that cron does not know, that never come, or that name a zone or an
// interval of their own.
//
// # Clock changes
//
// A line whose field of the hours is * comes at every instant that the clock on the wall shows its
// minute: twice in an hour that is repeated, and never in an hour that is left out. Any other line
// names hours of the day, and comes once: a time that exists twice is the first of the two, and a
// time that does not exist is the instant at which the clock jumps. This is what ISC cron does.
//
// The syntax is that of github.com/robfig/cron, which parses the lines of the CronJobs of
// Kubernetes, so that a line means the same in both. Its own times are taken in a zone without clock
// changes only: with them, it leaves out times that do not exist, and repeats those that exist twice.
package calendar

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Bounds of a schedule: lines, and bytes of one line.
const (
	maxLines = 16
	maxLine  = 256
)

// everyHour is the mark of robfig/cron for a field that is *.
const everyHour = 1 << 63

// Calendar is the union of some lines in a time zone. The zero value has no times.
type Calendar struct {
	lines []line
	zone  *time.Location
}

// line of cron.
type line struct {
	// walls are the times of the clock on the wall, as if they were UTC.
	walls cron.Schedule
	// named: the line names hours of the day.
	named bool
}

// Parse reads lines of five fields, or of one word such as @daily, and the name of a time zone; UTC
// for an empty one. Empty lines, and those that begin with #, are left out. No line at all is no
// error.
func Parse(schedule, zone string) (Calendar, error) {
	c := Calendar{zone: time.UTC}
	if zone != "" {
		if zone == "Local" {
			return Calendar{}, errors.New(`timeZone: Local is the zone of the manager: use a name such as Europe/Berlin`)
		}
		var err error
		if c.zone, err = time.LoadLocation(zone); err != nil {
			return Calendar{}, fmt.Errorf("timeZone: %q is not known: use a name of the IANA database such as Europe/Berlin", zone)
		}
	}
	for text := range strings.Lines(schedule) {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if len(c.lines) == maxLines {
			return Calendar{}, fmt.Errorf("schedule: more than %d lines", maxLines)
		}
		one, err := parseLine(text)
		if err != nil {
			return Calendar{}, fmt.Errorf("schedule: %q: %w", cut(text), err)
		}
		c.lines = append(c.lines, one)
	}
	return c, nil
}

func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxLine)], "?") }

func parseLine(text string) (line, error) {
	switch {
	case len(text) > maxLine:
		return line{}, fmt.Errorf("more than %d bytes", maxLine)
	case strings.HasPrefix(text, "@every"):
		return line{}, errors.New("an interval counts from the start of a program, and not from a time: use a line such as */30 * * * *")
	case strings.Contains(text, "TZ"):
		return line{}, errors.New("a line has no time zone of its own: use timeZone")
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return line{}, err
	}
	spec, is := parsed.(*cron.SpecSchedule)
	if !is {
		return line{}, errors.New("not five fields, and no word such as @daily")
	}
	spec.Location = time.UTC
	if spec.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return line{}, errors.New("no day is like that")
	}
	return line{walls: spec, named: spec.Hour&everyHour == 0}, nil
}

// Empty says whether the calendar has no times.
func (c Calendar) Empty() bool { return len(c.lines) == 0 }

// Next is the first time after an instant; false for none.
func (c Calendar) Next(after time.Time) (time.Time, bool) {
	var first time.Time
	for _, l := range c.lines {
		if t := l.next(after, c.zone); !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first.UTC(), !first.IsZero()
}

// next time of the line after an instant; zero for none. Between two changes of the clock, walls and
// instants differ by the offset of the zone. So it goes from one change to the next.
func (l line) next(after time.Time, zone *time.Location) time.Time {
	start, _ := after.In(zone).ZoneBounds()
	end := changeAfter(after, zone)
	offset := offsetOf(after, zone)
	from := wallOf(after, offset)
	if before := offsetBefore(start, zone); l.named && !start.IsZero() && before > offset {
		from = later(from, wallOf(start, before).Add(-time.Second)) // these walls were there already
	}
	for {
		wall := l.walls.Next(from)
		if wall.IsZero() {
			return time.Time{}
		}
		at := wall.Add(-offset)
		if end.IsZero() || at.Before(end) {
			return at
		}
		next := offsetOf(end, zone)
		if next > offset && l.named && wall.Before(wallOf(end, next)) {
			return end // the clock jumps over it
		}
		from = wallOf(end, next).Add(-time.Second)
		if next < offset && l.named {
			from = wallOf(end, offset).Add(-time.Second)
		}
		offset, end = next, changeAfter(end, zone)
	}
}

// wallOf an instant is what the clock on the wall shows, as if it were UTC.
func wallOf(t time.Time, offset time.Duration) time.Time { return t.UTC().Add(offset) }

func offsetOf(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// changeAfter an instant is when the offset of the zone may change; zero for never. On the last day
// of a leap year after 2037, Go (1.26) ends a period where it begins: it is looked at again a day later.
func changeAfter(t time.Time, zone *time.Location) time.Time {
	_, end := t.In(zone).ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		return t.Add(24 * time.Hour)
	}
	return end
}

// offsetBefore the change of the clock at an instant.
func offsetBefore(change time.Time, zone *time.Location) time.Duration {
	return offsetOf(change.Add(-time.Second), zone)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
