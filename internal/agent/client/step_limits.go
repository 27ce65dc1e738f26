package client

import (
	"context"
	"fmt"
	"strings"
	"syscall"

	"github.com/assay-bench/assay/internal/contract"
)

// limits refuses what cannot fit, before anything is loaded or measured.
func (e *execution) limits(ctx context.Context) *contract.Failure {
	own, all, err := e.demand()
	if err != nil {
		return invalid(err)
	}
	short, err := allowFiles(own.Connections)
	if err != nil {
		e.problem("client/limits", "asking for the limit of open files: %v", err)
	}
	if e.asks() && all != (contract.Demand{}) {
		status, err := e.server.Status(ctx)
		if err != nil {
			return lost(err)
		}
		short = append(short, shortfalls(all, e.res.Server.Variables, status)...)
	}
	if len(short) > 0 {
		return &contract.Failure{Reason: contract.ReasonLimitTooLow, Message: fmt.Sprintf(
			"the workload needs more than a limit allows: %s", strings.Join(short, "; "))}
	}
	return nil
}

// demand of this client and of all of them: what the manager said, or else this cell's.
func (e *execution) demand() (own, all contract.Demand, err error) {
	all = e.trial.Demand
	clients := int64(max(e.trial.Clients, 1))
	if e.runner.Demand == nil {
		own.Connections = (all.Connections + clients - 1) / clients
		return own, all, nil
	}
	if own, err = e.runner.Demand(e.trial); err != nil {
		return own, all, err
	}
	if all == (contract.Demand{}) {
		all = contract.Demand{Connections: own.Connections * clients, PreparedStatements: own.PreparedStatements * clients, Tables: own.Tables}
	}
	return own, all, nil
}

// allowFiles raises the limit of open files as far as the tool needs. The kernel hands
// it on to the tool.
func allowFiles(connections int64) (short []string, err error) {
	var is syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &is); err != nil {
		return nil, err
	}
	limit, shortfall := fileLimit{now: is.Cur, most: is.Max}.needed(connections)
	if shortfall != "" {
		return []string{shortfall}, nil
	}
	// Also where it is enough: Go raises the limit for itself, and takes that back for its
	// children unless it was set.
	return nil, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: is.Max})
}

// roundTrip times the way to the server and back.
func (e *execution) roundTrip(ctx context.Context) *contract.Failure {
	probe, err := e.server.RoundTrip(ctx)
	if err != nil {
		e.problem("server/round-trip", "%v", err)
		return nil
	}
	e.res.Server.RoundTrip = probe
	_, all, err := e.demand()
	if err != nil || probe == nil {
		return nil // the limits have said why
	}
	if text := slowStart(all.Connections, e.connect.Seconds(), probe.MinSeconds); text != "" {
		e.problem("server/connect", "%s", text)
	}
	return nil
}
