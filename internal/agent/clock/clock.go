// Package clock compares two clocks by exchanges of messages, as NTP does (RFC 5905,
// sections 8 and 10): of some exchanges, the one with the least round trip counts, because
// it waited least on its way, and its offset is wrong by half of that round trip at most.
package clock

import (
	"context"
	"errors"
	"time"
)

// Exchange is a question and its answer. Sent and Returned are instants of the own clock,
// Received and Answered of the other one.
type Exchange struct {
	Sent, Received, Answered, Returned time.Time
}

// Offset is the other clock minus the own one, if both ways took as long.
func (x Exchange) Offset() time.Duration {
	return (wall(x.Received, x.Sent) + wall(x.Answered, x.Returned)) / 2
}

// Delay is the time of both ways, without that between Received and Answered. It is of the
// own monotonic clock, which nobody sets.
func (x Exchange) Delay() time.Duration {
	return x.Returned.Sub(x.Sent) - wall(x.Answered, x.Received)
}

// wall is a minus b by the wall clock.
func wall(a, b time.Time) time.Duration { return a.Round(0).Sub(b.Round(0)) }

// possible: the other clock did not jump between two readings.
func (x Exchange) possible() bool {
	return x.Delay() >= 0 && wall(x.Answered, x.Received) >= 0
}

// ErrNone says that no exchange can be used.
var ErrNone = errors.New("no exchange was possible")

// Best is the exchange with the least round trip.
func Best(exchanges []Exchange) (Exchange, error) {
	var best *Exchange
	for i, x := range exchanges {
		if x.possible() && (best == nil || x.Delay() < best.Delay()) {
			best = &exchanges[i]
		}
	}
	if best == nil {
		return Exchange{}, ErrNone
	}
	return *best, nil
}

// Collect makes up to n exchanges, one after the other, until the context ends. What it has
// by then it returns; an error only when that is nothing.
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
