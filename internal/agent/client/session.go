package client

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// session has the adapter and the connections for the steps of a trial. connect makes it; no
// step changes it.
type session struct {
	*Agent
	role
	credentials runner.Credentials
	// key of the target's agents; nil for a target without.
	key control.Key
	// server is nil for a database without the MySQL protocol.
	server Server
	// target is set only for the first client of a server, and only for a target with an agent.
	target *targetAgent
	// replicas of the target; only for the first client.
	replicas replicaSet
	tool     toolbox
}

// close what a later trial of the same process would not use.
func (s session) close() {
	if pool, is := s.server.(io.Closer); is {
		_ = pool.Close() // it only keeps what connections are made with
	}
}

// beginning is the session with the start of the window, for a tool that begins it by itself.
func (s session) beginning(planned time.Time) session {
	if s.timed() {
		s.trial.Begin = planned
	}
	return s
}

// connect finds the adapter of the tool and its inputs, and prepares the connections to the
// server and to the agents.
func (a *Agent) connect(ctx context.Context, t contract.Trial, side *toolside.Side) outcome[session] {
	var o outcome[session]
	adapter, known := a.Runner(t.Runner)
	if !known {
		return o.failed(invalid(fmt.Errorf("the agent has no runner %q", t.Runner)))
	}
	if t.Loads {
		var err error
		if adapter, err = adapter.Loading(t.Workload); err != nil {
			return o.failed(invalid(err))
		}
	}
	s := session{
		Agent: a, role: role{trial: t.Of(t.Ref.Client), all: t, runner: adapter},
		tool: toolbox{side: side, work: a.Work, grace: a.ToolGrace, figures: a.Figures},
	}
	s.tool.intervals = func(p contract.Phase, o runner.Output) []contract.Measurement {
		return adapter.Parse(s.trial, p, o).Measurements
	}
	if !s.speaks() && !adapter.Connection.JDBC {
		return o.failed(invalid(fmt.Errorf("endpoint.jdbc: the runner %s reaches no database behind a JDBC driver: use one that does, such as ycsb", t.Runner)))
	}
	dir, err := credentialsFor(a, t)
	if err == nil {
		s.credentials, err = loadCredentials(dir)
	}
	if err == nil {
		s.key, err = loadKey(dir, t)
	}
	if err == nil {
		s.trial.Inputs, err = loadInputs(a.Inputs)
	}
	if err != nil {
		return o.failed(invalid(err))
	}
	if t.Endpoint.TLS == contract.TLSRequired && len(s.credentials.CA) == 0 && !t.Endpoint.InsecureSkipVerify && s.speaks() {
		return o.failed(failed(contract.ReasonTLSFailed,
			"the target's Secret has no ca.crt, and without it nobody can verify the server: add it, or set insecureSkipVerify"))
	}
	if s.first() && s.trial.Agent != "" {
		s.target = newTargetAgent(s.trial.Agent, s.key)
	}
	if s.speaks() {
		s.server, err = a.Connect(s.trial.Endpoint, s.credentials)
		if err == nil {
			s.server, err = everySchemaOf(s, s.server)
		}
		if err != nil {
			return o.failed(failed(contract.ReasonTLSFailed, "%v", err))
		}
	}
	if s.replicated() {
		s.replicas = newReplicaSet(t.Replicas, s)
	}
	if t.DataSet != "" {
		if o.failure = part(&o, &s.offer, dataOffer(ctx, a, t.DataSet)); o.failure != nil {
			return o
		}
	}
	if s.prefersTLS() {
		// No command may be built before the use of TLS is decided.
		o.failure = part(&o, &s.trial.Endpoint.TLS, settleTLS(ctx, s))
	}
	o.found = s
	return o
}

// settleTLS checks whether the server offers TLS, and sets the mode of the tool and of the
// agent's later connections.
func settleTLS(ctx context.Context, s session) outcome[contract.TLSMode] {
	o := outcome[contract.TLSMode]{found: contract.TLSRequired}
	var cipher string
	o.failure = reach(ctx, s, func(ctx context.Context) error {
		var err error
		_, cipher, err = s.server.Session(ctx)
		return err
	})
	if o.failure == nil && cipher == "" {
		o.found = contract.TLSDisabled
		o.problem("server/tls", "TLS is preferred, but the server does not offer it: the tool connects without")
	}
	return o
}

// checkCommands has the adapter build every command line, so that a workload that cannot be
// expressed fails before anything runs.
func checkCommands(s session) *contract.Failure {
	for _, phase := range s.phases() {
		if s.skips(phase) {
			continue
		}
		if _, err := s.runner.Command(s.trial, phase, s.credentials); err != nil {
			return invalid(err)
		}
	}
	return nil
}

func invalid(err error) *contract.Failure {
	return failed(contract.ReasonTrialUnreadable, "%v", err)
}
