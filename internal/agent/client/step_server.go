package client

import (
	"context"
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
func (e *execution) reach(ctx context.Context, question func(context.Context) error) *contract.Failure {
	patience, cancel := context.WithTimeout(ctx, e.Limits.Connect)
	defer cancel()
	var final *contract.Failure
	err := e.retry(patience, "reach the server", func(ctx context.Context) error {
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

// knock makes sure that the server answers; what it is, the first client takes down.
func (e *execution) knock(ctx context.Context) *contract.Failure {
	return e.reach(ctx, func(ctx context.Context) error {
		_, _, err := e.server.Version(ctx)
		return err
	})
}

// ask makes sure that the server answers, and takes down what it is.
func (e *execution) ask(ctx context.Context) *contract.Failure {
	server := &contract.Server{}
	failure := e.reach(ctx, func(ctx context.Context) error {
		var err error
		server.Version, server.VersionComment, err = e.server.Version(ctx)
		if err == nil {
			server.Variables, err = e.server.Variables(ctx)
		}
		return err
	})
	if failure != nil {
		return failure
	}
	e.res.Server = server
	var err error
	if server.NonDefault, err = e.server.NonDefault(ctx, server.Version); err != nil {
		e.problem("server/variables", "the server does not tell which are not its default: %v", err)
	}
	began := time.Now()
	if server.TLSVersion, server.Cipher, err = e.server.Session(ctx); err != nil {
		e.problem("server/tls", "the server does not tell whether its connections are encrypted: %v", err)
	}
	e.connect = time.Since(began)
	return e.keep("server/variables-before.txt", server.Variables)
}

// after is before, for the end of the measured window.
func (e *execution) after(ctx context.Context) *contract.Failure {
	status, err := e.server.Status(ctx)
	if err != nil {
		return lost(err)
	}
	e.targetAfter(ctx)
	variables, err := e.server.Variables(ctx)
	if err != nil {
		return lost(err)
	}
	e.res.Server.StatusDelta = statusDelta(e.statusBefore, status)
	if n, known := statusDelta(e.statusStarted, status)[contract.StatusTLSAccepts]; known {
		e.res.Server.StatusDelta[contract.StatusTLSAccepts] = n
	}
	e.res.Server.VariablesChanged = changed(e.res.Server.Variables, variables)
	if failure := e.keep("server/variables-after.txt", variables); failure != nil {
		return failure
	}
	return e.keep("server/status-after.txt", status)
}

// lost is the failure for a server that answered before and does not any more.
func lost(err error) *contract.Failure {
	f := database.FailureOf(err)
	if f.Reason == contract.ReasonTargetUnreachable {
		f.Reason = contract.ReasonTargetLost
	}
	return f
}

// keep writes names and values among the raw files.
func (e *execution) keep(name string, values map[string]string) *contract.Failure {
	path := filepath.Join(e.Work, "raw", name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, formatPairs(values), 0o600))
	if err != nil {
		return &contract.Failure{Reason: contract.ReasonToolFailed, Message: fmt.Sprintf("keeping what the server said: %v", err)}
	}
	return nil
}
