package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// clockExchanges is how many are made; NTP's filter has as many.
	clockExchanges = 8
	// clockTime bounds them all, so that a network that is slow delays no trial. They take
	// some milliseconds.
	clockTime = 200 * time.Millisecond
	// sqlStep is the step of the time that a server gives.
	sqlStep = time.Microsecond
	// maxCorrection bounds by how much a client moves its start: half of the time that the
	// manager publishes it ahead. Clocks that are further apart do not follow NTP, which is
	// a finding, and moving the start would miss it.
	maxCorrection = 250 * time.Millisecond
)

// compareClocks measures how this client's clock stands to that of the target: the agent's, or
// where there is none, the server's. Every client does, so that the instants of all can be
// compared. Nothing fails for want of it.
func compareClocks(ctx context.Context, s session) (o outcome[*contract.ClockOffset]) {
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
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
	return s.server.Clock(ctx, clockExchanges)
}

// agentClock asks over one connection: the first exchange has to make it, and is the slowest.
func agentClock(ctx context.Context, s session) ([]clock.Exchange, error) {
	agent := newTargetAgent(s.trial.Agent, s.credentials.Password)
	kept := &http.Transport{DialContext: (&net.Dialer{}).DialContext, MaxIdleConns: 1}
	defer kept.CloseIdleConnections()
	agent.http = &http.Client{Transport: kept}
	return clock.Collect(ctx, clockExchanges, func(ctx context.Context) (clock.Exchange, error) {
		var told contract.Clock
		sent := time.Now()
		err := agent.get(ctx, contract.PathClock, &told)
		if err == nil && (told.Received.IsZero() || told.Answered.IsZero()) {
			err = errors.New("the agent gives no time: use agents of the same release")
		}
		return clock.Exchange{Sent: sent, Received: told.Received, Answered: told.Answered, Returned: time.Now()}, err
	})
}

// ownTime is a published instant on this client's clock. The manager publishes one for all
// clients; each takes it for one of the target's clock, so that they begin together though
// their own clocks differ. How the manager's clock stands to the target's does not matter
// then: it moves all of them alike.
func ownTime(published time.Time, clients int, c *contract.ClockOffset) time.Time {
	if clients < 2 || c == nil || !c.Beyond() || c.Offset().Abs() > maxCorrection {
		return published
	}
	return published.Add(-c.Offset())
}
