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
	for {
		status, err := s.server.Status(ctx)
		if err != nil {
			return o.failed(lost(err))
		}
		if report.Pool = contract.Cut(status[poolStatus], contract.MaxMessage); !filling(report.Pool) {
			break
		}
		select {
		case <-ctx.Done():
			return o.failed(failed(contract.ReasonResetFailed, "the server was started again, and still fills its buffer pool: %s", report.Pool))
		case <-time.After(poolPoll):
		}
	}
	report.Ended, report.PoolSeconds = time.Now(), time.Since(began).Seconds()
	return o
}

// filling says whether the pages are being read. Where the server says that it has not begun, it will not: it begins before
// it accepts connections.
func filling(status string) bool {
	return strings.HasPrefix(status, "Loaded ") || strings.HasPrefix(status, "Loading buffer pool(s) from")
}
