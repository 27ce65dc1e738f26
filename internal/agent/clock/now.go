package clock

import (
	"strings"
	"time"
)

// step is set by the linker for the agent of one test, as "30s@20s": the wall clock that this
// process shows to others is stepped by 30 s, 20 s after it began. No release sets it, and
// nothing else does: the nodes of a test cluster on one machine share their clock.
var step string

var began = time.Now()

// Now is the wall clock of this machine, for those who compare it with theirs.
func Now() time.Time { return stepped(time.Now(), began, step) }

// stepped is an instant by a clock that was stepped. What cannot be read is no step.
func stepped(now, began time.Time, step string) time.Time {
	by, after, ok := strings.Cut(step, "@")
	if !ok {
		return now
	}
	size, err1 := time.ParseDuration(by)
	at, err2 := time.ParseDuration(after)
	if err1 != nil || err2 != nil || now.Sub(began) < at {
		return now
	}
	return now.Add(size)
}
