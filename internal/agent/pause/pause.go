// Package pause waits. In: an instant of the wall clock, or a length. Out: nothing; an error when
// the context ended first.
package pause

import (
	"context"
	"syscall"
	"time"
)

const (
	// recheck is the maximum time to notice a step of the wall clock.
	recheck = 500 * time.Millisecond
	// approach is the last part of a sleep, which uses the kernel's timer: the runtime's
	// timers have a resolution of milliseconds.
	approach = 2 * time.Millisecond
)

// Until sleeps until the wall clock reaches the instant, with an error well below 1 ms,
// and returns at once when it has passed. The instant is from another machine, so it is
// compared repeatedly with the wall clock: a timer would use monotonic time. It returns early,
// with an error, when the context ends.
func Until(ctx context.Context, at time.Time) error {
	at = at.Round(0)
	for ctx.Err() == nil {
		switch left := time.Until(at); {
		case left <= 0:
			return nil
		case left > approach:
			if err := For(ctx, min(left-approach, recheck)); err != nil {
				return err
			}
		default:
			rest := syscall.NsecToTimespec(left.Nanoseconds())
			// A signal may end it early; then the loop looks again.
			_ = syscall.Nanosleep(&rest, nil)
		}
	}
	return ctx.Err()
}

// For sleeps for a length. It returns early, with an error, when the context ends.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
