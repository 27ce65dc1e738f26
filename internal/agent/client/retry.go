package client

import (
	"context"
	"errors"
	"time"
)

// retry calls try until it succeeds, fails with ErrRefused, or the context ends; then it returns
// the last error.
func (a *Agent) retry(ctx context.Context, what string, try func(context.Context) error) error {
	pause := a.Retry
	var before error
	for {
		err := try(ctx)
		if err == nil || errors.Is(err, ErrRefused) {
			return err
		}
		if before != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			// This try was interrupted: the previous error has more information.
			return before
		}
		before = err
		a.Log.Warn("trying again", "what", what, "error", err, "pause", pause)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause = min(2*pause, a.RetryMax)
	}
}
