package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// clockExchanges is the number of exchanges, as in NTP's filter.
	clockExchanges = 8
	// clockTime is the timeout of all exchanges, so a slow network delays no trial. They take
	// some milliseconds.
	clockTime = 200 * time.Millisecond
	// sqlStep is the resolution of a server's time.
	sqlStep = time.Microsecond
	// maxCorrection is the maximum correction of a client's start: half of the time between
	// the publication and the start. Clocks further apart are not synchronised by NTP, which
	// is a finding, and a larger correction could miss the start.
	maxCorrection = 250 * time.Millisecond
)

// compareClocks measures the offset of this client's clock from the target's: the agent's, or
// without an agent the server's. Every client does, so their instants can be compared: with the same clock, which is that of the first server where
// tenants have servers of their own. A failure is only a problem.
func compareClocks(ctx context.Context, s session) (o outcome[*contract.ClockOffset]) {
	reference, step, collect := contract.ReferenceAgent, time.Duration(0), agentClock
	if s.trial.Agent == "" {
		reference, step, collect = contract.ReferenceServer, sqlStep, serverClock
	}
	exchanges, err := collect(ctx, s)
	var best clock.Exchange
	if err == nil {
		best, err = clock.Best(exchanges)
	}
	if err != nil {
		o.problem("target/clock", "how the client's clock stands to that of the target is not known: %v", err)
		return o
	}
	o.found = &contract.ClockOffset{
		Reference: reference, OffsetSeconds: best.Offset().Seconds(), UncertaintySeconds: (best.Delay()/2 + step).Seconds(),
		Exchanges: len(exchanges), At: best.Sent.Round(0),
	}
	return o
}

func serverClock(ctx context.Context, s session) ([]clock.Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
	return s.server.Clock(ctx, clockExchanges)
}

// agentClock uses one connection for all exchanges. It opens the connection first: a network
// policy may let a new pod through only when its plugin has learned the address of the pod.
func agentClock(ctx context.Context, s session) ([]clock.Exchange, error) {
	agent := newTargetAgent(s.all.Agent, s.key)
	kept := &http.Transport{DialContext: (&net.Dialer{}).DialContext, MaxIdleConns: 1}
	defer kept.CloseIdleConnections()
	agent.over(kept)
	ask := func(ctx context.Context) (told contract.Clock, err error) {
		err = agent.get(ctx, contract.PathClock, &told)
		return told, err
	}
	reach, stop := context.WithTimeout(ctx, reachTarget)
	defer stop()
	if _, err := ask(reach); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
	return clock.Collect(ctx, clockExchanges, func(ctx context.Context) (clock.Exchange, error) {
		sent := time.Now()
		told, err := ask(ctx)
		if err == nil && (told.Received.IsZero() || told.Answered.IsZero()) {
			err = errors.New("the agent gives no time: use agents of the same release")
		}
		return clock.Exchange{Sent: sent, Received: told.Received, Answered: told.Answered, Returned: time.Now()}, err
	})
}

// ownTime converts a published instant to this client's clock. Each client interprets the
// instant by the target's clock, so all start together although their own clocks differ. The
// offset of the manager's clock does not matter, because it moves all clients equally.
func ownTime(published time.Time, clients int, c *contract.ClockOffset) time.Time {
	if clients < 2 || c == nil || !c.Beyond() || c.Offset().Abs() > maxCorrection {
		return published
	}
	return published.Add(-c.Offset())
}
