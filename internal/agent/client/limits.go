package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// accountLimit is the variable that limits the connections of one account.
const accountLimit = "max_user_connections"

// serverLimits are the variables that limit open connections, statements and tables, and the
// status variables with their present use. A value of 0 or less is no limit.
var serverLimits = []struct {
	variable, taken, what string
	demand                func(contract.Demand) int64
	// own is what the agent needs beside the demand, for its questions before and after a window. What is taken has it already.
	own int64
}{
	{"max_connections", "Threads_connected", "connections", func(d contract.Demand) int64 { return d.Connections }, 1},
	{accountLimit, "", "connections of one account", func(d contract.Demand) int64 { return d.Connections }, 1},
	{"max_prepared_stmt_count", "Prepared_stmt_count", "prepared statements", func(d contract.Demand) int64 { return d.PreparedStatements }, 0},
}

// limits of a server as it says them.
type limits struct {
	variables, status map[string]string
	// account is the limit of connections that the account has of its own, beside those of the server; 0 for none.
	account int64
}

// of a variable; 0 where there is none.
func (l limits) of(variable string) int64 {
	if variable == accountLimit && l.account > 0 {
		return l.account
	}
	n, err := strconv.ParseInt(l.variables[variable], 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// remedy for a limit that is too low.
func (l limits) remedy(variable string, least int64) string {
	if variable == accountLimit && l.account > 0 {
		return fmt.Sprintf("the account has this limit of its own: ALTER USER it WITH MAX_USER_CONNECTIONS %d, or use fewer threads", least)
	}
	return fmt.Sprintf("set it to at least %d, or use fewer threads", least)
}

// shortfalls are the limits of a server that are too low for all clients together, with the
// arithmetic.
func shortfalls(d contract.Demand, has limits) []string {
	var out []string
	for _, l := range serverLimits {
		limit, need := has.of(l.variable), l.demand(d)
		if limit == 0 || need <= 0 {
			continue
		}
		taken, err := strconv.ParseInt(has.status[l.taken], 10, 64)
		if err != nil {
			taken = 0
		}
		taken = max(taken-l.own, 0)
		least := need + taken + l.own
		if least <= limit {
			continue
		}
		out = append(out, fmt.Sprintf("%s = %s > %s = %d (%s)", l.what, arithmetic(l.what, d, need, taken, l.own), l.variable, limit, has.remedy(l.variable, least)))
	}
	return out
}

// arithmetic shows the computation of a number: per connection where it is a multiple.
func arithmetic(what string, d contract.Demand, need, taken, own int64) string {
	sum := strconv.FormatInt(need, 10)
	if what == "prepared statements" && d.Connections > 0 && need%d.Connections == 0 {
		sum = fmt.Sprintf("%d connections x %d = %d", d.Connections, need/d.Connections, need)
	}
	if taken > 0 {
		sum = fmt.Sprintf("%s and %d that are there already", sum, taken)
	}
	if own > 0 {
		sum = fmt.Sprintf("%s and %d of the agent", sum, own)
	}
	return sum
}

// threadStart is the timeout (s) of sysbench for the connections of all threads.
const threadStart = 30.0

// neededFiles is the limit of open files for the connections, of which each takes one, or two of a relay: the present limit if it
// is enough, else the required number. The shortfall is empty if that is allowed.
func neededFiles(is toolwire.OpenFiles, connections, each int64) (limit uint64, shortfall string) {
	need := uint64(max(connections, 0)*each) + contract.SpareFiles
	switch {
	case need <= is.Now:
		return is.Now, ""
	case need <= is.Most:
		return need, ""
	}
	return is.Most, fmt.Sprintf("open files of this client = %d connections x %d + %d = %d > RLIMIT_NOFILE = %d (use more clients with fewer threads each, "+
		"or raise the limit of the container runtime)", connections, each, contract.SpareFiles, need, is.Most)
}

// slowStart warns that connecting may take longer than tools wait for their threads; times are
// in seconds. The round trips of many connections overlap, the work of the server does not.
func slowStart(connections int64, connect, trip float64) string {
	work := connect - runner.ConnectTrips*trip
	if all := float64(connections) * work; all > threadStart {
		return fmt.Sprintf("a connection costs about %.1f ms of work, so that %d of them may take %.0f s: a tool may give up before all have one, "+
			"as sysbench does after %.0f s", 1000*work, connections, all, threadStart)
	}
	return ""
}

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
		var status map[string]string
		if failure := part(&o, &status, counted(ctx, s)); failure != nil {
			return o.failed(failure)
		}
		account, err := ownLimit(ctx, s, facts)
		if err != nil {
			return o.failed(lost(err))
		}
		short = append(short, shortfalls(all, limits{facts.server.Variables, status, account})...)
	}
	if len(short) > 0 {
		return o.failed(failed(contract.ReasonLimitTooLow, "the workload needs more than a limit allows: %s", strings.Join(short, "; ")))
	}
	return o
}

// ownLimit is the limit of connections that the account has of its own; 0 where that of the server, or none, holds for it.
func ownLimit(ctx context.Context, s session, facts serverFacts) (int64, error) {
	limit, err := s.server.AccountConnections(ctx)
	if err != nil || strconv.FormatInt(limit, 10) == facts.server.Variables[accountLimit] {
		return 0, err
	}
	return limit, nil
}

// allowFiles raises the limit of open files for the tool, which inherits it.
func allowFiles(ctx context.Context, s session, connections int64) (short []string, err error) {
	is, err := s.tool.side.OpenFiles(ctx)
	if err != nil {
		return nil, err
	}
	each := int64(1)
	if delay, err := runner.Delay(s.trial); err == nil && delay > 0 && s.relays() {
		each = 2
	}
	limit, shortfall := neededFiles(is, connections, each)
	if shortfall != "" {
		return []string{shortfall}, nil
	}
	return nil, s.tool.side.AllowFiles(ctx, toolwire.OpenFiles{Now: limit, Most: is.Most})
}
