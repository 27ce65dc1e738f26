// Package database queries a server of the MySQL family. In: an address, credentials and a TLS
// mode. Out: variables, counters, tables and probes. Each query uses its own connection, so
// none is open during a measurement. Errors have the reason for which the server refused the
// client.
package database

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// timeout to connect. Reads have none, because counting the rows of a table sends nothing
// until it ends; the caller's context bounds them.
const timeout = 10 * time.Second

// Server is a server for queries.
type Server struct {
	// pool keeps no idle connection.
	pool     *sql.DB
	database string
	// known are the facts of its flavor; nil before the first answer.
	known atomic.Pointer[engine.Facts]
	// untold: the server has refused the gauges of its flavor, which it does to an account without a privilege.
	untold atomic.Bool
}

// Open prepares the queries; it does not connect.
func Open(e contract.Endpoint, c runner.Credentials) (*Server, error) {
	pool, err := Pool(e, c)
	if err != nil {
		return nil, err
	}
	return newServer(pool, e.Database), nil
}

// Close ends the pool. No query may follow.
func (s *Server) Close() error { return s.pool.Close() }

func newServer(pool *sql.DB, database string) *Server {
	pool.SetMaxIdleConns(-1)
	return &Server{pool: pool, database: database}
}

// Pool prepares connections to a server, for callers with statements of their own; it does not connect.
func Pool(e contract.Endpoint, c runner.Credentials) (*sql.DB, error) {
	cfg, err := configure(e, c)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// configure the driver: the address, the account, and whom the password may go to.
func configure(e contract.Endpoint, c runner.Credentials) (*mysql.Config, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.DBName = c.Username, c.Password, e.Database
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))
	cfg.Timeout, cfg.InterpolateParams = timeout, true
	cfg.Logger = &mysql.NopLogger{}
	if e.TLS == contract.TLSRequired || e.TLS == contract.TLSPreferred {
		config, err := tlsConfig(e.Host, c)
		if err != nil {
			return nil, err
		}
		cfg.TLS = config
		// Preferred means the same as for tools: encrypted if the server offers it, and
		// verified only with a given CA.
		cfg.AllowFallbackToPlaintext = e.TLS == contract.TLSPreferred
		if (cfg.AllowFallbackToPlaintext || e.InsecureSkipVerify) && len(c.CA) == 0 {
			config.InsecureSkipVerify = true
		}
	}
	return cfg, nil
}

// tlsConfig checks the server's certificate against the CA of the target's Secret, but not its
// name: self-made certificates of servers have no host name, and the tools do not check it.
// Without a CA the usual rules and the CAs of the image apply.
func tlsConfig(host string, c runner.Credentials) (*tls.Config, error) {
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, CipherSuites: cipherSuites()}
	if len(c.Cert) > 0 || len(c.Key) > 0 {
		pair, err := tls.X509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("credentials: tls.crt and tls.key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if len(c.CA) == 0 {
		return config, nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(c.CA) {
		return nil, errors.New("credentials: ca.crt holds no certificate in PEM form")
	}
	config.InsecureSkipVerify = true // VerifyConnection replaces it
	config.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(s, roots) }
	return config, nil
}

func verifyChain(s tls.ConnectionState, roots *x509.CertPool) error {
	if len(s.PeerCertificates) == 0 {
		return errors.New("the server sent no certificate")
	}
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	if _, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between}); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
	}
	return nil
}

// with opens a connection for one query.
func (s *Server) with(ctx context.Context, ask func(*sql.Conn) error) error {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return ask(conn)
}
