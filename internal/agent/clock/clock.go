// Package clock measures the offset between two clocks by exchanges of messages, as NTP does
// (RFC 5905, sections 8 and 10). In: times of requests and responses. Out: an offset with its
// uncertainty. The exchange with the shortest round trip counts, because it waited least; the
// error of its offset is at most half of that round trip. An exchange during which a clock
// jumped is refused.
package clock

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Exchange is a request and its response. Sent and Returned are instants of the own clock,
// Received and Answered of the other clock.
type Exchange struct {
	Sent, Received, Answered, Returned time.Time
}

// Offset is the other clock minus the own clock, if both ways took equally long.
func (x Exchange) Offset() time.Duration {
	return (wall(x.Received, x.Sent) + wall(x.Answered, x.Returned)) / 2
}

// Delay is the time of both ways, without the time between Received and Answered. It uses the
// own monotonic clock, which is never set.
func (x Exchange) Delay() time.Duration {
	return x.Returned.Sub(x.Sent) - wall(x.Answered, x.Received)
}

// wall is a minus b by the wall clock.
func wall(a, b time.Time) time.Duration { return a.Round(0).Sub(b.Round(0)) }

// possible reports whether the other clock did not jump between two readings.
func (x Exchange) possible() bool {
	return x.Delay() >= 0 && wall(x.Answered, x.Received) >= 0
}

// ErrNone is the error without a usable exchange.
var ErrNone = errors.New("no exchange was possible")

// Best is the exchange with the shortest round trip.
func Best(exchanges []Exchange) (Exchange, error) {
	possible := slices.DeleteFunc(slices.Clone(exchanges), func(x Exchange) bool { return !x.possible() })
	if len(possible) == 0 {
		return Exchange{}, ErrNone
	}
	return slices.MinFunc(possible, func(a, b Exchange) int { return cmp.Compare(a.Delay(), b.Delay()) }), nil
}

// Collect makes up to n exchanges in sequence until the context ends. It returns those so far,
// and an error only without any.
func Collect(ctx context.Context, n int, once func(context.Context) (Exchange, error)) ([]Exchange, error) {
	var out []Exchange
	for range n {
		x, err := once(ctx)
		if err != nil && len(out) == 0 {
			return nil, err
		}
		if err != nil {
			break
		}
		out = append(out, x)
	}
	return out, nil
}

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
