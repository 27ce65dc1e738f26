package main

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-sql-driver/mysql"
)

// goSQLDriver is used as its users do, through database/sql: the connection of a session is one *sql.Conn.
//
// Its option interpolateParams decides what a call with parameters sends. Here it is on, since SingleRow is the text
// protocol where a driver has one; without it, each such call prepares, executes and closes a statement. An explicit
// statement is prepared on the server either way.
var goSQLDriver = driver{
	name:   "go-sql-driver",
	module: "github.com/go-sql-driver/mysql",
	can: map[string]string{
		"SingleRow":      "Conn.ExecContext, QueryContext with interpolateParams=true: parameters written into the text by the driver, COM_QUERY",
		"Prepared":       "Conn.PrepareContext, then Stmt.ExecContext, QueryContext: COM_STMT_EXECUTE",
		"MultiRow":       "one ExecContext per chunk, parameters written into the text by the driver (interpolateParams), COM_QUERY",
		"MultiStatement": "one ExecContext, QueryContext per chunk of a connection with multiStatements=true, parameters written into the text by the driver (interpolateParams), COM_QUERY",
		"Pool":           "sql.DB whose limits of open and idle connections are the concurrency",
		"Concurrency":    goroutines,
		"InList":         "one ExecContext, QueryContext per chunk, parameters written into the text by the driver (interpolateParams), COM_QUERY",
	},
	cannot: map[string]string{"Encode": noEncoder},
	open:   openGoSQLDriver,
}

// pinned are the options that the protocol decides.
var pinned = []string{"tls", "charset", "collation", "allowFallbackToPlaintext"}

func openGoSQLDriver(t target) (client, error) {
	asked := url.Values{"interpolateParams": {"true"}, "multiStatements": {"true"}}
	for name, value := range t.options {
		asked.Set(name, value)
	}
	for _, name := range pinned {
		if asked.Has(name) {
			return nil, cannot("%s is not an option here: the request says tls, and characters are utf8mb4", name)
		}
	}
	config, err := mysql.ParseDSN("/?" + strings.ReplaceAll(asked.Encode(), "+", "%20"))
	if err != nil {
		return nil, cannot("go-sql-driver does not take the options: %v", err)
	}
	// The driver sets a variable of the server by each name it does not know.
	for name := range config.Params {
		return nil, cannot("go-sql-driver has no option %s", name)
	}
	config.User, config.Passwd, config.DBName = t.user, t.password, t.database
	config.Net, config.Addr = "tcp", net.JoinHostPort(t.host, strconv.Itoa(t.port))
	config.TLS = t.tls
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, cannot("go-sql-driver does not take the options: %v", err)
	}
	// Without idle connections, each Conn is a new one and closed with its Close.
	alone := sql.OpenDB(connector)
	alone.SetMaxIdleConns(-1)
	return &sqlClient{connector: func() *sql.DB { return sql.OpenDB(connector) }, alone: alone}, nil
}

type sqlClient struct {
	connector func() *sql.DB
	alone     *sql.DB
}

func (c *sqlClient) connect(ctx context.Context) (session, error) {
	conn, err := c.alone.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &sqlSession{conn}, nil
}

func (c *sqlClient) pool(size int) (pool, error) {
	db := c.connector()
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return &sqlPool{db}, nil
}

func (c *sqlClient) close() error { return c.alone.Close() }

type sqlPool struct{ db *sql.DB }

func (p *sqlPool) acquire(ctx context.Context) (session, error) {
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &sqlSession{conn}, nil
}

func (p *sqlPool) close() error { return p.db.Close() }

type sqlSession struct{ conn *sql.Conn }

func (s *sqlSession) call(text string, args []any, sink *rows) error {
	if sink == nil {
		_, err := s.conn.ExecContext(context.Background(), text, args...)
		return err
	}
	answer, err := s.conn.QueryContext(context.Background(), text, args...)
	if err != nil {
		return err
	}
	return sink.fetch(answer)
}

func (s *sqlSession) calls(t template, rows [][]any) error {
	return s.call(t.repeated(len(rows)), flatten(nil, rows), nil)
}

func (s *sqlSession) prepare(text string) (statement, error) {
	prepared, err := s.conn.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	return &sqlStatement{prepared}, nil
}

// close gives the connection back, to a pool or to nobody. One that broke is closed already.
func (s *sqlSession) close() error {
	if err := s.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}

type sqlStatement struct{ prepared *sql.Stmt }

func (s *sqlStatement) call(args []any, sink *rows) error {
	if sink == nil {
		_, err := s.prepared.ExecContext(context.Background(), args...)
		return err
	}
	answer, err := s.prepared.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	return sink.fetch(answer)
}

func (s *sqlStatement) close() error { return s.prepared.Close() }

// serverCode is the number of the server's error that is in an error; empty for none.
func serverCode(err error) string {
	var one *mysql.MySQLError
	var other *gomysql.MyError
	switch {
	case errors.As(err, &one):
		return strconv.Itoa(int(one.Number))
	case errors.As(err, &other):
		return strconv.Itoa(int(other.Code))
	}
	return ""
}
