package tpcc

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

// command builds the command line of a phase. Every option that has a bearing on the numbers
// is written out, also where it is go-tpc's default.
func command(t contract.Trial, phase contract.Phase, c runner.Credentials) (runner.Command, error) {
	p, err := workloadOf(t)
	if err != nil {
		return runner.Command{}, err
	}
	connection, err := connectionArgs(t.Endpoint, c)
	if err != nil {
		return runner.Command{}, err
	}
	own, err := phaseArgs(t, phase, p)
	if err != nil {
		return runner.Command{}, err
	}
	out := runner.Command{
		Path: program, Args: slices.Concat(connection, own), Files: map[string][]byte{},
		Env: map[string]string{passwordVariable: c.Password},
		// It seeds its generators with the time, and takes no seed.
		Unseeded: phase == contract.PhaseWarmup || phase == contract.PhaseRun,
	}
	if t.Endpoint.TLS == contract.TLSRequired {
		out.Files = c.Certificates()
	}
	return out, nil
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

// phaseArgs are the options that the phase itself decides.
func phaseArgs(t contract.Trial, phase contract.Phase, p Params) ([]string, error) {
	threads := "--threads=" + strconv.Itoa(int(p.Threads))
	warehouses := "--warehouses=" + strconv.Itoa(int(p.Warehouses))
	switch phase {
	case contract.PhasePrepare:
		// It retries whatever fails, and says so; Parse takes the first such line for a failure. Its
		// own check after loading shares a connection among threads: the agent counts the rows.
		return []string{threads, "tpcc", "prepare", warehouses, "--no-check", "--retry-count=1", "--retry-interval=1ms"}, nil
	case contract.PhaseWarmup, contract.PhaseRun:
		const day = 24 * 60 * 60
		seconds, err := runner.Seconds(t, phase, day)
		return runArgs(p, seconds), err
	case contract.PhaseCheck:
		return []string{threads, "tpcc", "check", "--warehouses=" + strconv.Itoa(int(runner.Value(p.CheckWarehouses)))}, nil
	case contract.PhaseCleanup:
		return []string{"--threads=1", "tpcc", "cleanup", warehouses}, nil
	}
	return nil, fmt.Errorf("phase: %q is not known", phase)
}

func runArgs(p Params, seconds int64) []string {
	args := []string{
		"--threads=" + strconv.Itoa(int(p.Threads)),
		"--time=" + strconv.FormatInt(seconds, 10) + "s",
		"--interval=" + strconv.Itoa(int(p.ReportIntervalSeconds)) + "s",
	}
	if runner.Value(p.IgnoreErrors) {
		args = append(args, "--ignore-error")
	}
	// Its default takes 16 s for every latency above that.
	return append(args, "tpcc", "run", "--warehouses="+strconv.Itoa(int(p.Warehouses)), "--weight=45,43,4,4,4", "--max-measure-latency=1h")
}
