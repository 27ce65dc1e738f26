package client

import (
	"context"
	"strings"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// checkLimits refuses a workload beyond the limits, before anything is loaded or measured.
func checkLimits(ctx context.Context, s session, facts serverFacts) (o outcome[struct{}]) {
	own, all, err := s.demand()
	if err != nil {
		return o.failed(invalid(err))
	}
	short, err := allowFiles(ctx, s, own.Connections)
	if err != nil {
		o.problem("client/limits", "asking for the limit of open files: %v", err)
	}
	if s.asks() && all != (contract.Demand{}) {
		status, err := s.server.Status(ctx)
		if err != nil {
			return o.failed(lost(err))
		}
		short = append(short, shortfalls(all, facts.server.Variables, status)...)
	}
	if len(short) > 0 {
		return o.failed(failed(contract.ReasonLimitTooLow, "the workload needs more than a limit allows: %s", strings.Join(short, "; ")))
	}
	return o
}

// allowFiles raises the limit of open files for the tool, which inherits it.
func allowFiles(ctx context.Context, s session, connections int64) (short []string, err error) {
	is, err := s.tool.side.OpenFiles(ctx)
	if err != nil {
		return nil, err
	}
	limit, shortfall := fileLimit{now: is.Now, most: is.Most}.needed(connections)
	if shortfall != "" {
		return []string{shortfall}, nil
	}
	return nil, s.tool.side.AllowFiles(ctx, toolwire.OpenFiles{Now: limit, Most: is.Most})
}
