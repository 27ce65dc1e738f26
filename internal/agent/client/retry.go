package client

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// retrier repeats failed calls.
type retrier struct {
	// first pause after an error; it doubles up to most.
	first, most time.Duration
	log         *slog.Logger
}

// do calls try until it succeeds, fails with ErrRefused, or the context ends; then it returns
// the last error.
func (r retrier) do(ctx context.Context, what string, try func(context.Context) error) error {
	pause := r.first
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
		r.log.Warn("trying again", "what", what, "error", err, "pause", pause)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		pause = min(2*pause, r.most)
	}
}
