package client

import (
	"context"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// poolStatus is where InnoDB says what became of the pages that it read in at its start.
	poolStatus = "Innodb_buffer_pool_load_status"
	// poolPoll is the interval of reads of it.
	poolPoll = 100 * time.Millisecond
)

// restart has the target's agent stop the server and start it again. InnoDB writes down which pages its buffer pool has when
// it stops.
func restart(ctx context.Context, s session) (o outcome[*contract.RestartReport]) {
	report := &contract.RestartReport{Started: time.Now()}
	done, err := operate(ctx, s, contract.PathRestart, starting(s))
	if f := refusedSetting(err); f != nil {
		return o.failed(f)
	}
	if err != nil {
		return o.failed(failed(contract.ReasonResetFailed, "starting the server again: %v", err))
	}
	report.Ended, report.StoppedSeconds = time.Now(), done.StoppedSeconds
	o.found = report
	return o
}

// fillPool waits until the server has read these pages in again, so that each start finds what the last one left, and no
// window is beside that.
func fillPool(ctx context.Context, s session, report *contract.RestartReport) (o outcome[struct{}]) {
	began := time.Now()
	status, failure := awaitPool(ctx, s)
	if failure != nil {
		return o.failed(failure)
	}
	report.Pool, report.Ended, report.PoolSeconds = status, time.Now(), time.Since(began).Seconds()
	return o
}

// awaitPool waits until the server reads no pages in, and returns what it says of that.
func awaitPool(ctx context.Context, s session) (string, *contract.Failure) {
	for {
		status, err := s.server.Status(ctx)
		if err != nil {
			return "", lost(err)
		}
		text := contract.Cut(status[poolStatus], contract.MaxMessage)
		if !filling(text) {
			return text, nil
		}
		select {
		case <-ctx.Done():
			return "", failed(contract.ReasonResetFailed, "the server was started again, and still fills its buffer pool: %s", text)
		case <-time.After(poolPoll):
		}
	}
}

// filling says whether the pages are being read. Where the server says that it has not begun, it will not: it begins before
// it accepts connections.
func filling(status string) bool {
	return strings.HasPrefix(status, "Loaded ") || strings.HasPrefix(status, "Loading buffer pool(s) from")
}
