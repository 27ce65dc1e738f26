package calendar

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
)

// times are the next times of a schedule, as the clock on the wall shows them, with the zone.
func times(t *testing.T, schedule, zone, after string, n int) []string {
	t.Helper()
	c, err := Parse(schedule, zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, after)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for range n {
		next, is := c.Next(at)
		if !is {
			break
		}
		if !next.After(at) {
			t.Fatalf("%s after %s", next, at)
		}
		at = next
		out = append(out, at.In(c.zone).Format("Jan 2 15:04 -0700"))
	}
	return out
}

// Europe/Berlin: at 2:00 on 29 March 2026 the clock jumps to 3:00, at 3:00 on 25 October back to
// 2:00. Lord Howe: half an hour, at 2:00 on 5 April back to 1:30, at 2:00 on 4 October to 2:30.
func TestTimes(t *testing.T) {
	tests := map[string]struct {
		schedule, zone, after string
		want                  []string
	}{
		"a daily time":             {"30 2 * * *", "", "2026-01-01T02:30:00Z", []string{"Jan 2 02:30 +0000", "Jan 3 02:30 +0000"}},
		"a word":                   {"@daily", "Asia/Kolkata", "2026-01-01T00:00:00Z", []string{"Jan 2 00:00 +0530", "Jan 3 00:00 +0530"}},
		"several lines, each once": {"# twice a day\n0 3 * * *\n\n0 15 * * *\n0 3 1 1 *\n", "", "2026-01-01T00:00:00Z", []string{"Jan 1 03:00 +0000", "Jan 1 15:00 +0000", "Jan 2 03:00 +0000"}},
		"no line":                  {"\n# nothing\n", "", "2026-01-01T00:00:00Z", nil},
		"a time that does not exist is when the clock jumps": {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"Mar 29 03:00 +0200", "Mar 30 02:30 +0200"}},
		"several that do not exist are one": {"15,45 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"Mar 29 03:00 +0200", "Mar 30 02:15 +0200", "Mar 30 02:45 +0200"}},
		"one that does not exist, and the jump itself": {"0 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z",
			[]string{"Mar 29 03:00 +0200", "Mar 30 02:00 +0200"}},
		"a time that exists twice comes once": {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"Oct 25 02:30 +0200", "Oct 26 02:30 +0100"}},
		"it does not come between the two either": {"30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z",
			[]string{"Oct 26 02:30 +0100"}},
		"nor just after the clock went back": {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z",
			[]string{"Oct 26 02:30 +0100"}},
		"every half hour leaves no gap in spring": {"*/30 * * * *", "Europe/Berlin", "2026-03-29T00:15:00Z",
			[]string{"Mar 29 01:30 +0100", "Mar 29 03:00 +0200", "Mar 29 03:30 +0200"}},
		"every half hour goes on in autumn": {"*/30 * * * *", "Europe/Berlin", "2026-10-25T00:15:00Z",
			[]string{"Oct 25 02:30 +0200", "Oct 25 02:00 +0100", "Oct 25 02:30 +0100", "Oct 25 03:00 +0100"}},
		"an hourly minute in the hour that is left out": {"45 * * * *", "Europe/Berlin", "2026-03-29T00:15:00Z",
			[]string{"Mar 29 01:45 +0100", "Mar 29 03:45 +0200"}},
		"midnight does not exist": {"@daily", "America/Santiago", "2026-09-05T12:00:00Z",
			[]string{"Sep 6 01:00 -0300", "Sep 7 00:00 -0300"}},
		"a clock that jumps half an hour": {"10 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z",
			[]string{"Oct 4 02:30 +1100", "Oct 5 02:10 +1100"}},
		"a clock that goes back half an hour": {"40 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z",
			[]string{"Apr 5 01:40 +1100", "Apr 6 01:40 +1030"}},
		"a day that does not exist": {"0 12 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z",
			[]string{"Dec 29 12:00 -1000", "Dec 31 00:00 +1400", "Dec 31 12:00 +1400"}},
		"the end of a leap year": {"30 2 31 12 *", "Europe/Berlin", "2040-12-30T00:00:00Z",
			[]string{"Dec 31 02:30 +0100", "Dec 31 02:30 +0100"}},
		"a leap day": {"0 0 29 2 *", "", "2026-01-01T00:00:00Z", []string{"Feb 29 00:00 +0000", "Feb 29 00:00 +0000"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := max(len(tt.want), 1)
			if diff := cmp.Diff(tt.want, times(t, tt.schedule, tt.zone, tt.after, n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	tests := map[string]struct{ schedule, zone, want string }{
		"no cron":             {"tomorrow", "", "expected exactly 5 fields"},
		"seconds":             {"0 0 3 * * *", "", "expected exactly 5 fields"},
		"an interval":         {"@every 1h", "", "use a line such as"},
		"a zone of its own":   {"CRON_TZ=Asia/Tokyo 0 3 * * *", "", "use timeZone"},
		"a zone alone":        {"TZ=", "", "use timeZone"},
		"a day that is never": {"0 0 30 2 *", "", "no day is like that"},
		"no such zone":        {"@daily", "Mars/Olympus", `"Mars/Olympus" is not known`},
		"the manager's zone":  {"@daily", "Local", "zone of the manager"},
		"a path":              {"@daily", "../../etc/passwd", "is not known"},
		"too many lines":      {strings.Repeat("@daily\n", 17), "", "more than 16 lines"},
		"a long line":         {strings.Repeat("1,", 200) + "1 * * * *", "", "more than 256 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(tt.schedule, tt.zone)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	out, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBetween(t *testing.T) {
	tests := map[string]struct {
		schedule, after, until string
		want                   Times
	}{
		"none":                            {"@daily", "2026-05-01T00:00:00Z", "2026-05-01T23:59:59Z", Times{}},
		"one, on the second":              {"@daily", "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", Times{Latest: at(t, "2026-05-02T00:00:00Z")}},
		"three":                           {"@daily", "2026-05-01T00:00:00Z", "2026-05-04T07:00:00Z", Times{Latest: at(t, "2026-05-04T00:00:00Z"), Earlier: 2}},
		"ten years of every minute":       {"* * * * *", "2016-05-01T00:00:00Z", "2026-05-04T07:00:30Z", Times{Latest: at(t, "2026-05-04T07:00:00Z"), Earlier: MaxCounted, More: true}},
		"an hour of minutes, long ago":    {"* 3 * * *", "2026-05-01T03:58:00Z", "2026-05-01T23:00:00Z", Times{Latest: at(t, "2026-05-01T03:59:00Z")}},
		"once in four years":              {"0 0 29 2 *", "2020-01-01T00:00:00Z", "2026-05-01T00:00:00Z", Times{Latest: at(t, "2024-02-29T00:00:00Z"), Earlier: 1}},
		"the end is before the beginning": {"* * * * *", "2026-05-01T00:00:00Z", "2026-04-01T00:00:00Z", Times{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Parse(tt.schedule, "")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Between(at(t, tt.after), at(t, tt.until))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// counting counts how often the next time is asked for.
type counting struct {
	cron.Schedule
	n *int
}

// Next is that of the schedule.
func (c counting) Next(t time.Time) time.Time { *c.n++; return c.Schedule.Next(t) }

// What was not done for ten years costs about as much as what was not done for a day.
func TestBetweenAsksForFewTimes(t *testing.T) {
	c, err := Parse("* * * * *", "")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	c.lines[0].walls = counting{c.lines[0].walls, &n}
	c.Between(at(t, "2016-05-01T00:00:00Z"), at(t, "2026-05-04T07:00:30Z"))
	if most := 2 * MaxCounted; n == 0 || n > most {
		t.Errorf("%d times were asked for, want at most %d of five million", n, most)
	}
}

// Delays follow from name and time, are spread over the whole duration, and keep the order.
func TestDelays(t *testing.T) {
	c, err := Parse("0 * * * *", "")
	if err != nil {
		t.Fatal(err)
	}
	tick := at(t, "2026-05-01T03:00:00Z")
	buckets := map[int]int{}
	for i := range 1000 {
		d := Delayed{c, 10 * time.Minute, strings.Repeat("x", i)}
		delay := d.At(tick).Sub(tick)
		if delay < 0 || delay >= 10*time.Minute || delay != d.At(tick).Sub(tick) || delay%time.Second != 0 {
			t.Fatalf("delay %s", delay)
		}
		buckets[int(delay/time.Minute)]++
	}
	for minute := range 10 {
		if n := buckets[minute]; n < 60 || n > 140 {
			t.Errorf("%d of 1000 in minute %d", n, minute)
		}
	}
	d := Delayed{c, 24 * time.Hour, "n"}
	last := time.Time{}
	for range 200 {
		tick = tick.Add(time.Hour)
		due := d.At(tick)
		if !due.After(last) || due.Sub(tick) >= time.Hour {
			t.Fatalf("%s is due at %s, after %s", tick, due, last)
		}
		if got := d.Due(tick.Add(-time.Second), due.Add(-time.Second)); got != (Times{}) {
			t.Errorf("due a second too early: %v", got)
		}
		if got := d.Due(tick.Add(-time.Second), due); got.Latest != tick {
			t.Errorf("due at %s: %v, want %s", due, got, tick)
		}
		last = due
	}
	if got := (Delayed{c, 0, "n"}).At(tick); got != tick {
		t.Errorf("without a delay: %s", got)
	}
}

// Whatever is accepted has times that go forward, are whole minutes unless the clock changes, and
// are found again from the other side.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"@daily", "30 2 * * *", "*/7 1-5 * * MON-FRI", "0 0 29 2 *", "CRON_TZ=UTC 0 0 * * *", "@every 1s", "TZ=", "0 0 1 1 ?\n#\n@hourly"} {
		f.Add(seed, "Europe/Berlin", int64(1774742400))
		f.Add(seed, "Australia/Lord_Howe", int64(1759503600))
		f.Add(seed, "", int64(0))
		f.Add(seed, "Europe/Berlin", int64(2240000000))
	}
	f.Fuzz(func(t *testing.T, schedule, zone string, unix int64) {
		c, err := Parse(schedule, zone)
		if err != nil {
			return
		}
		from := time.Unix(unix%(4e9), 0)
		for range 20 {
			next, is := c.Next(from)
			if !is {
				return
			}
			if !next.After(from) {
				t.Fatalf("%s after %s", next, from)
			}
			if got := c.Between(next.Add(-time.Second), next); got.Latest != next || got.Earlier != 0 {
				t.Fatalf("%v, want %s", got, next)
			}
			if got, _ := c.Next(next.Add(-time.Second)); got != next {
				t.Fatalf("%s, and a second before it %s", next, got)
			}
			from = next
		}
	})
}
