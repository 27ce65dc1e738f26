package target

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/agent/database"
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
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.DBName = in.target.Username, in.password, in.target.Database
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(in.target.Port)))
	cfg.Timeout, cfg.ReadTimeout, cfg.WriteTimeout = loginTimeout, loginTimeout, loginTimeout
	cfg.TLS = in.tls
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the login: %w", err)
	}
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, loginTimeout)
		defer cancel()
		db := sql.OpenDB(connector)
		defer func() { _ = db.Close() }()
		var version string
		err := db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version)
		return version, err
	}, nil
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
