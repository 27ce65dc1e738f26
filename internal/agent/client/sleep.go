package client

import (
	"context"
	"syscall"
	"time"
)

const (
	// recheck is how long a step of the wall clock goes unnoticed.
	recheck = 500 * time.Millisecond
	// approach is the rest that is left to the kernel: the runtime's own timers count
	// in milliseconds.
	approach = 2 * time.Millisecond
)

// sleepUntil sleeps until the wall clock shows the instant, to well below 1 ms, and
// returns at once when it has passed. The instant is another machine's, so it is
// compared with the wall clock again and again: a timer would count monotonic time.
// It returns early, with an error, when the context ends.
func sleepUntil(ctx context.Context, at time.Time) error {
	at = at.Round(0)
	for ctx.Err() == nil {
		switch left := time.Until(at); {
		case left <= 0:
			return nil
		case left > approach:
			if err := sleep(ctx, min(left-approach, recheck)); err != nil {
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

// sleep returns early, with an error, when the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
