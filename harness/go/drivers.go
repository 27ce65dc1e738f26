package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// drivers is the list of all drivers. A new driver adds its own file and a line here.
var drivers = []driver{goSQLDriver, goMySQL, nullDriver}

// driver has the facts of a driver before any connection.
type driver struct {
	name        string
	module      string                       // its path in go.mod, which pins the version; empty for null
	can, cannot map[string]string            // as in the answer to hello
	open        func(target) (client, error) // looks at options; connects nothing
}

// target is the address and the options of a connection.
type target struct {
	host           string
	port           int
	database       string
	user, password string
	tls            *tls.Config // nil: not encrypted
	options        map[string]string
}

// client makes connections of one driver to one target.
type client interface {
	connect(context.Context) (session, error)
	pool(size int) (pool, error)
	close() error
}

// pool is the driver's own pool of so many connections. Closing the session that acquire returns gives the connection back.
type pool interface {
	acquire(context.Context) (session, error)
	close() error
}

// session is one connection. A sink of nil means that the statement is executed and has no rows; else all rows of the
// answer go there.
type session interface {
	call(text string, args []any, sink *rows) error
	calls(text template, rows [][]any) error // the group once per row, in one text, without rows in the answers
	prepare(text string) (statement, error)
	close() error
}

type statement interface {
	call(args []any, sink *rows) error
	close() error
}

// whole is a session that takes all rows of an operation in one call (ExecuteMany, Pipelined, Batch). The drivers of Go
// have no such call; null has.
type whole interface {
	all(text string, rows [][]any) error
}

// encoder is a client that turns a statement and its parameters into what is sent, without a server. Only null.
type encoder interface {
	encode(text string, args []any) error
}

func (d driver) version() string {
	if d.module == "" {
		return "1"
	}
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == d.module {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	panic("the build does not say which version of " + d.module + " is in it")
}

// encryption reads the authority that the server's certificate is verified against.
func encryption(host, authority string) (*tls.Config, error) {
	pem, err := os.ReadFile(authority)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in it", authority)
	}
	return &tls.Config{RootCAs: authorities, ServerName: host}, nil
}

// goroutines is how every driver of Go does several operations at once.
const goroutines = "goroutines on all CPUs (GOMAXPROCS)"

// noEncoder is why no driver of Go can do Encode.
const noEncoder = "it has no public function that encodes a statement without a server"
