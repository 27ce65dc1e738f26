package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-bench/assay/internal/agent/database"

	"github.com/assay-bench/assay/internal/contract"
)

// reach asks until the server answers: its name and the way to it may be newer than
// this pod knows.
func reach(ctx context.Context, s session, question func(context.Context) error) *contract.Failure {
	patience, cancel := context.WithTimeout(ctx, s.limits.Connect)
	defer cancel()
	var final *contract.Failure
	err := s.retry.do(patience, "reach the server", func(ctx context.Context) error {
		err := question(ctx)
		if err == nil {
			return nil
		}
		// Only a server that did not answer may answer later.
		if final = database.FailureOf(err); final.Reason != contract.ReasonTargetUnreachable {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return err
	})
	if err != nil {
		return final
	}
	return nil
}

// waitForServer makes sure that the server answers; the first client records what it is.
func waitForServer(ctx context.Context, s session) *contract.Failure {
	return reach(ctx, s, func(ctx context.Context) error {
		_, _, err := s.server.Version(ctx)
		return err
	})
}

// serverFacts are what a server is.
type serverFacts struct {
	// server has what it says of itself; nil when it did not answer.
	server *contract.Server
	// connect is how long a connection with one question took.
	connect time.Duration
}

// queryServer makes sure that the server answers, and records what it is.
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
	if server.NonDefault, err = s.server.NonDefault(ctx, server.Version); err != nil {
		o.problem("server/variables", "the server does not say which are not its default: %v", err)
	}
	began := time.Now()
	if server.TLSVersion, server.Cipher, err = s.server.Session(ctx); err != nil {
		o.problem("server/tls", "the server does not say whether its connections are encrypted: %v", err)
	}
	o.found.connect = time.Since(began)
	return o.failed(s.keepPairs("server/variables-before.txt", server.Variables))
}

// timeRoundTrip times the way to the server and back. The time to connect is that of one
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
		return o // the limits have said why
	}
	if text := slowStart(all.Connections, connect.Seconds(), probe.MinSeconds); text != "" {
		o.problem("server/connect", "%s", text)
	}
	return o
}

// timeCommits measures what commits cost, before the data is loaded. A server that does
// not allow it, such as one that may only be read, is measured nevertheless.
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

// preflightTable is a name that no other run and no user has, and the same for every
// attempt, so that the next one clears up after one that was killed.
func preflightTable(ref contract.TrialRef) string {
	return fmt.Sprintf("assay_preflight_%x", sha256.Sum256([]byte(ref.RunUID+"/"+ref.Target)))[:32]
}

// readStatus reads the server's counters before a tool that connects before its window: its
// handshakes are not among those that are counted inside.
func readStatus(ctx context.Context, s session) (o outcome[map[string]string]) {
	status, err := s.server.Status(ctx)
	if err != nil {
		return o.failed(lost(err))
	}
	o.found = status
	return o
}

// lost is the failure for a server that answered before and does not any more.
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
		return &contract.Failure{Reason: contract.ReasonToolFailed, Message: fmt.Sprintf("keeping what the server said: %v", err)}
	}
	return nil
}
