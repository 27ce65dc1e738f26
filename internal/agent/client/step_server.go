package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// reach retries until the server answers: its DNS name and its route may be new.
func reach(ctx context.Context, s session, question func(context.Context) error) *contract.Failure {
	patience, cancel := context.WithTimeout(ctx, s.Timeouts.Connect)
	defer cancel()
	var final *contract.Failure
	err := s.retry(patience, "reach the server", func(ctx context.Context) error {
		err := question(ctx)
		if err == nil {
			return nil
		}
		// A server that did not answer, or had no connection left, may answer later.
		final = database.FailureOf(err)
		if final.Reason != contract.ReasonTargetUnreachable && database.KindOf(err) != servererror.TooManyConnections {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return err
	})
	if err != nil {
		return final
	}
	return nil
}

// waitForServer waits until the server answers; the first client records its facts.
func waitForServer(ctx context.Context, s session) *contract.Failure {
	return reach(ctx, s, func(ctx context.Context) error {
		_, _, err := s.server.Version(ctx)
		return err
	})
}

// reachSchemas waits for the server, and reaches the schemas of all tenants before any is loaded: where one is missing, or may not be used, no client
// leaves tables behind.
func reachSchemas(ctx context.Context, s session) *contract.Failure {
	if s.helps() {
		if failure := waitForServer(ctx, s); failure != nil {
			return failure
		}
	}
	for _, schema := range s.all.Schemas() {
		endpoint := s.trial.Endpoint
		endpoint.Database = schema
		other := s
		var err error
		if other.server, err = s.Connect(endpoint, s.credentials); err != nil {
			return failed(contract.ReasonTLSFailed, "%v", err)
		}
		failure := waitForServer(ctx, other)
		other.close()
		if failure != nil {
			failure.Message = fmt.Sprintf("schema %s: %s", schema, failure.Message)
			return failure
		}
	}
	return nil
}

// serverFacts are the facts of a server.
type serverFacts struct {
	// server has the facts that the server reported; nil when it did not answer.
	server *contract.Server
	// connect is the time of a connection with one query.
	connect time.Duration
}

// queryServer waits until the server answers, and records its facts.
func queryServer(ctx context.Context, s session) (o outcome[serverFacts]) {
	server := &contract.Server{}
	failure := reach(ctx, s, func(ctx context.Context) error {
		var err error
		server.Version, server.VersionComment, err = s.server.Version(ctx)
		if err == nil {
			server.Variables, err = s.server.Variables(ctx)
		}
		return err
	})
	if failure != nil {
		return o.failed(failure)
	}
	o.found.server = server
	var err error
	if statement := engines.Of(*server).Facts.NonDefault; statement == "" {
		o.problem("server/variables", "which variables are not the server's default is not known: %q (%s) has no statement for it, or is of no flavor that is known",
			server.Version, server.VersionComment)
	} else if server.NonDefault, err = s.server.NonDefault(ctx, statement); err != nil {
		o.problem("server/variables", "the server does not say which are not its default: %v", err)
	}
	began := time.Now()
	if server.TLSVersion, server.Cipher, err = s.server.Session(ctx); err != nil {
		o.problem("server/tls", "the server does not say whether its connections are encrypted: %v", err)
	}
	if why, untold := engines.Of(*server).Facts.Lacks[engine.Encryption]; untold && s.trial.Endpoint.TLS == contract.TLSRequired {
		o.problem("server/tls", "whether connections are encrypted is not known: %s", why)
	}
	o.found.connect = time.Since(began)
	return o.failed(s.keepPairs("server/variables-before.txt", server.Variables))
}

// timeRoundTrip measures the round trip to the server. The time to connect is that of one
// connection.
func timeRoundTrip(ctx context.Context, s session, connect time.Duration) (o outcome[*contract.Probe]) {
	probe, err := s.server.RoundTrip(ctx)
	if err != nil {
		o.problem("server/round-trip", "%v", err)
		return o
	}
	o.found = probe
	_, all, err := s.demand()
	if err != nil || probe == nil {
		return o // checkLimits has reported why
	}
	if text := slowStart(all.Connections, connect.Seconds(), probe.MinSeconds); text != "" {
		o.problem("server/connect", "%s", text)
	}
	return o
}

// timeCommits measures the cost of commits before the data is loaded. Its failure, such as on
// a read-only server, is only a problem.
func timeCommits(ctx context.Context, s session) (o outcome[*contract.Durability]) {
	if s.skips(s.phase()) {
		return o // the data is the user's, and so is the schema
	}
	durability, err := s.server.Durability(ctx, preflightTable(s.trial.Ref), s.trial.Endpoint.StorageEngine)
	if err != nil {
		o.problem("server/durability", "what commits cost is not known: %v", err)
		return o
	}
	o.found = durability
	return o
}

// preflightTable is a name that no other run and no user has. It is the same for every
// attempt, so the next attempt drops the table of a killed one.
func preflightTable(ref contract.TrialRef) string {
	return fmt.Sprintf("assay_preflight_%x", sha256.Sum256([]byte(ref.RunUID+"/"+ref.Target)))[:32]
}

// readStatus reads the server's counters before the start of a tool that connects before its
// window, to count its handshakes.
func readStatus(ctx context.Context, s session) (o outcome[map[string]string]) {
	return counted(ctx, s)
}

// counted are the server's counters; none where it refuses them to the account, which is only a problem: what needs a counter is absent
// then, and not 0.
func counted(ctx context.Context, s session) (o outcome[map[string]string]) {
	status, err := s.server.Status(ctx)
	switch {
	case err == nil:
		o.found = status
	case database.KindOf(err) == servererror.NoPrivilege:
		o.problem("server/status", "the server refuses its counters, so that what is counted by it is absent from the result, and checks that need it did not look: %v: %s",
			err, servererror.NoPrivilege.RemedyFor(err.Error()))
	default:
		return o.failed(lost(err))
	}
	return o
}

// lost is the failure for a server that no longer answers.
func lost(err error) *contract.Failure {
	f := database.FailureOf(err)
	if f.Reason == contract.ReasonTargetUnreachable {
		f.Reason = contract.ReasonConnectionLost
	}
	return f
}

// keepPairs writes names and values among the raw files.
func (s session) keepPairs(name string, values map[string]string) *contract.Failure {
	path := filepath.Join(s.tool.work, "raw", name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, formatPairs(values), 0o600))
	if err != nil {
		return failed(contract.ReasonToolFailed, "keeping what the server said: %v", err)
	}
	return nil
}
