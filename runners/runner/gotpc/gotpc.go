// Package gotpc has what the adapters of go-tpc share: how it is connected, and what its errors mean. Each of its benchmarks is a
// runner of its own.
package gotpc

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	program = "go-tpc"
	// passwordVariable is what the image's go-tpc takes the password from (image/password).
	passwordVariable = "GO_TPC_PASSWORD"
)

// schemaName is what go-tpc puts into a DSN, and into CREATE DATABASE, as it is.
var schemaName = regexp.MustCompile(`^[A-Za-z0-9_$]+$`)

// Connected is the command of go-tpc for the endpoint of a trial, with the options of the connection and no others.
func Connected(t contract.Trial, c runner.Credentials) (runner.Command, error) {
	args, err := connectionArgs(t.Endpoint, c)
	if err != nil {
		return runner.Command{}, err
	}
	out := runner.Command{Path: program, Args: args, Files: map[string][]byte{}, Env: map[string]string{passwordVariable: c.Password}}
	if t.Endpoint.TLS == contract.TLSRequired {
		out.Files = c.Certificates()
	}
	return out, nil
}

// CheckEndpoint refuses a target that go-tpc cannot reach.
func CheckEndpoint(e contract.Endpoint) error {
	if e.JDBC != nil {
		return errors.New("targets: go-tpc speaks the protocol of MySQL, and this target has only a JDBC URL: use external.host")
	}
	return nil
}

func connectionArgs(e contract.Endpoint, c runner.Credentials) ([]string, error) {
	if err := runner.CheckEndpoint(e); err != nil {
		return nil, err
	}
	switch {
	case !schemaName.MatchString(e.Database):
		return nil, fmt.Errorf("endpoint.database: %q is not a name: use letters, digits, underscores and dollar signs", e.Database)
	case c.Username == "" || strings.ContainsAny(c.Username, ":@/"):
		return nil, errors.New("credentials: the username is empty, or has one of : @ /, which go-tpc cannot pass on: use another account")
	}
	parameters, files := tlsArgs(e.TLS, c)
	if e.StorageEngine != "" {
		// It creates tables with the default of the session.
		parameters += "&default_storage_engine=" + url.QueryEscape("'"+e.StorageEngine+"'")
	}
	return slices.Concat([]string{
		"--driver=mysql", "--host=" + e.Host, "--port=" + strconv.Itoa(int(e.Port)), "--user=" + c.Username, "--db=" + e.Database,
		"--conn-params=" + parameters,
	}, files), nil
}

// tlsArgs override go-tpc's tls=preferred, which is plain text with a server that has no TLS.
func tlsArgs(mode contract.TLSMode, c runner.Credentials) (parameters string, files []string) {
	switch {
	case mode == contract.TLSDisabled:
		return "tls=false", nil
	case len(c.CA) == 0:
		return "tls=skip-verify", nil
	case len(c.Cert) > 0 && len(c.Key) > 0:
		files = []string{"--ssl-cert=" + runner.CertFile, "--ssl-key=" + runner.KeyFile}
	}
	return "tls=custom", append([]string{"--ssl-ca=" + runner.CAFile}, files...)
}
