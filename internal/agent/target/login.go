package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// loginTimeout is shorter than the probe's timeout, so the probe gets the reason.
	loginTimeout = 3 * time.Second
	// loginValid is the time for which a login is cached, so probes do not load the server.
	loginValid = time.Second
)

// loginFunc logs in once as the benchmark's account and returns the server's version.
type loginFunc func(ctx context.Context) (version string, err error)

// newLogin logs in over TCP as clients do, on its own connection, encrypted only where the
// server requires it.
func newLogin(in inputs) (loginFunc, error) {
	server, err := database.Open(in.endpoint(in.target.Database), in.credentials(in.target.Username))
	if err != nil {
		return nil, fmt.Errorf("preparing the login: %w", err)
	}
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, loginTimeout)
		defer cancel()
		version, _, err := server.Version(ctx)
		return version, err
	}, nil
}

// endpoint of the server, for the agent's own logins.
func (in inputs) endpoint(database string) contract.Endpoint {
	e := contract.Endpoint{Host: "127.0.0.1", Port: in.target.Port, Database: database, TLS: contract.TLSDisabled}
	if in.ca != nil {
		e.TLS = contract.TLSRequired
	}
	return e
}

// credentials of an account; all have the same password, but for the one that sets variables.
func (in inputs) credentials(username string) runner.Credentials {
	password := in.password
	if username == in.target.Setter {
		password = in.target.SetterPassword
	}
	return runner.Credentials{Username: username, Password: password, CA: in.ca}
}

// denied reports whether the server refuses the account or its schema. This is permanent,
// because the init file has already run.
func denied(err error) bool {
	switch database.KindOf(err) {
	case servererror.AccessDenied, servererror.NoPrivilege, servererror.Missing:
		return true
	}
	return false
}

// loginProbe caches the last login for loginValid.
type loginProbe struct {
	try loginFunc

	mu      sync.Mutex
	at      time.Time
	version string
	err     error
}

// check logs in unless the last login is younger than the age.
func (p *loginProbe) check(ctx context.Context, age time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.IsZero() || time.Since(p.at) >= age {
		var version string
		version, p.err = p.try(ctx)
		if p.err == nil {
			p.version = version
		}
		p.at = time.Now()
	}
	return p.err
}

// lastVersion is the server's version at the last successful login.
func (p *loginProbe) lastVersion() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// hangsUp says whether the server ended the connection instead of an answer, where it was to
// encrypt it: so does one that knows no TLS from 1.2 on, such as MySQL 5.7.22, which was
// built with yaSSL. One that is starting may do it, too.
func (in inputs) hangsUp(err error) bool {
	return in.ca != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET))
}

// cannotEncrypt is the failure of a server that is there but not over TLS.
func cannotEncrypt(flavor string, log lastWords, err error) error {
	return failWithLog(contract.ReasonInitialisationFailed, log, "%s answers, but not over TLS 1.2 or later with the certificate that it was given: %v; "+
		"use a build of the server with OpenSSL (MySQL 5.7 before 5.7.28 may have none), or set tls: Disabled", flavor, err)
}
