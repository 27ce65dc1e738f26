package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
)

// goMySQL is used by its own client package. It writes no parameters into texts: a call with parameters prepares,
// executes and closes a statement by itself. Several statements in one text take no parameters at all, so that there the
// values are written into the text here, texts by the driver's own Escape.
var goMySQL = driver{
	name:   "go-mysql",
	module: "github.com/go-mysql-org/go-mysql",
	can: map[string]string{
		"SingleRow":      "Conn.Execute: without parameters COM_QUERY; with them the driver prepares, executes and closes a statement in each call (it has no text protocol for parameters)",
		"Prepared":       "Conn.Prepare, then Stmt.Execute: COM_STMT_EXECUTE",
		"MultiRow":       "one Conn.Execute per chunk: the driver prepares, executes and closes a statement in each call",
		"MultiStatement": "one Conn.ExecuteMultiple per chunk on a connection with CLIENT_MULTI_STATEMENTS: values written into the text with the driver's Escape, COM_QUERY",
		"Pool":           "client.Pool of as many connections as the concurrency",
		"Concurrency":    goroutines,
		"InList":         "one Conn.Execute per chunk: the driver prepares, executes and closes a statement in each call",
	},
	cannot: map[string]string{"Encode": noEncoder},
	open:   openGoMySQL,
}

// openGoMySQL knows the options of the driver's connection strings, by their names there, except for those of TLS and
// collation, which are pinned: the driver's own default collation is one that MariaDB does not have.
func openGoMySQL(t target) (client, error) {
	settings := []gomysql.Option{
		func(c *gomysql.Conn) error { return c.SetCollation("utf8mb4_general_ci") },
		func(c *gomysql.Conn) error { return c.SetCapability(mysql.CLIENT_MULTI_STATEMENTS) },
	}
	if t.tls != nil {
		settings = append(settings, func(c *gomysql.Conn) error { c.SetTLSConfig(t.tls); return nil })
	}
	for name, value := range t.options {
		setting, err := goMySQLOption(name, value)
		if err != nil {
			return nil, err
		}
		settings = append(settings, setting)
	}
	return &goMySQLClient{t, net.JoinHostPort(t.host, strconv.Itoa(t.port)), settings}, nil
}

func goMySQLOption(name, value string) (gomysql.Option, error) {
	switch name {
	case "compress":
		capability, ok := map[string]uint32{"zlib": mysql.CLIENT_COMPRESS, "zstd": mysql.CLIENT_ZSTD_COMPRESSION_ALGORITHM,
			"uncompressed": 0}[value]
		if !ok {
			return nil, cannot("compress is %q; zlib, zstd and uncompressed are known", value)
		}
		return func(c *gomysql.Conn) error {
			if capability == 0 {
				return nil
			}
			return c.SetCapability(capability)
		}, nil
	case "readTimeout", "writeTimeout":
		timeout, err := time.ParseDuration(value)
		if err != nil {
			return nil, cannot("%s: %v", name, err)
		}
		return func(c *gomysql.Conn) error {
			if name == "readTimeout" {
				c.ReadTimeout = timeout
			} else {
				c.WriteTimeout = timeout
			}
			return nil
		}, nil
	default:
		return nil, cannot("go-mysql has no option %s, or it is pinned; compress, readTimeout and writeTimeout are known", name)
	}
}

type goMySQLClient struct {
	target   target
	address  string
	settings []gomysql.Option
}

func (c *goMySQLClient) connect(ctx context.Context) (session, error) {
	conn, err := gomysql.ConnectWithContext(ctx, c.address, c.target.user, c.target.password, c.target.database, 10*time.Second,
		c.settings...)
	if err != nil {
		return nil, err
	}
	return &goMySQLSession{conn: conn, pool: nil}, nil
}

// pool is of exactly so many connections with these limits: with more than 0 to be kept alive, the pool opens one beside those
// that it hands out.
func (c *goMySQLClient) pool(size int) (pool, error) {
	opened, err := gomysql.NewPoolWithOptions(c.address, c.target.user, c.target.password, c.target.database,
		gomysql.WithPoolLimits(0, size, size), gomysql.WithConnOptions(c.settings...),
		gomysql.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	if err != nil {
		return nil, err
	}
	return &goMySQLPool{opened}, nil
}

func (c *goMySQLClient) close() error { return nil }

type goMySQLPool struct{ pool *gomysql.Pool }

func (p *goMySQLPool) acquire(ctx context.Context) (session, error) {
	conn, err := p.pool.GetConn(ctx)
	if err != nil {
		return nil, err
	}
	return &goMySQLSession{conn, p.pool}, nil
}

func (p *goMySQLPool) close() error {
	p.pool.Close()
	return nil
}

type goMySQLSession struct {
	conn *gomysql.Conn
	pool *gomysql.Pool // where it goes back to; nil for one of its own
}

func (s *goMySQLSession) call(text string, args []any, sink *rows) error {
	result, err := s.conn.Execute(text, args...)
	if err != nil {
		return err
	}
	sink.take(result)
	return nil
}

func (s *goMySQLSession) calls(t template, rows [][]any) error {
	text, err := literals(t, rows)
	if err != nil {
		return err
	}
	var failure error
	_, err = s.conn.ExecuteMultiple(text, func(result *mysql.Result, err error) {
		if err != nil {
			failure = err
			return
		}
		result.Close()
	})
	return errors.Join(failure, err)
}

func (s *goMySQLSession) prepare(text string) (statement, error) {
	prepared, err := s.conn.Prepare(text)
	if err != nil {
		return nil, err
	}
	return &goMySQLStatement{prepared}, nil
}

func (s *goMySQLSession) close() error {
	if s.pool != nil {
		s.pool.PutConn(s.conn)
		return nil
	}
	if s.conn.Quit() != nil {
		_ = s.conn.Close() // the server has closed it before; nothing is left to be told
	}
	return nil
}

type goMySQLStatement struct{ prepared *gomysql.Stmt }

func (s *goMySQLStatement) call(args []any, sink *rows) error {
	result, err := s.prepared.Execute(args...)
	if err != nil {
		return err
	}
	sink.take(result)
	return nil
}

func (s *goMySQLStatement) close() error { return s.prepared.Close() }
