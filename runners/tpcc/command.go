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

// Files of the working directory.
const (
	caFile   = "ca.pem"
	certFile = "client-cert.pem"
	keyFile  = "client-key.pem"
)

var (
	// engineName is what may stand in a SET without quotes.
	engineName = regexp.MustCompile(`^[A-Za-z0-9_]*$`)
	// schemaName is what go-tpc puts into a DSN, and into CREATE DATABASE, as it is.
	schemaName = regexp.MustCompile(`^[A-Za-z0-9_$]+$`)
)

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
		for name, data := range map[string][]byte{caFile: c.CA, certFile: c.Cert, keyFile: c.Key} {
			if len(data) > 0 {
				out.Files[name] = data
			}
		}
	}
	return out, nil
}

func connectionArgs(e contract.Endpoint, c runner.Credentials) ([]string, error) {
	switch {
	case e.Host == "" || strings.ContainsAny(e.Host, ", \t\r\n()/?"):
		return nil, fmt.Errorf("endpoint.host: %q is not one host: go-tpc takes a comma for a list of hosts", e.Host)
	case e.Port < 1 || e.Port > 65535:
		return nil, fmt.Errorf("endpoint.port: %d is out of range: use 1 to 65535", e.Port)
	case !schemaName.MatchString(e.Database):
		return nil, fmt.Errorf("endpoint.database: %q is not a name: use letters, digits, underscores and dollar signs", e.Database)
	case !engineName.MatchString(e.StorageEngine):
		return nil, fmt.Errorf("endpoint.storageEngine: %q is not a name: use letters, digits and underscores", e.StorageEngine)
	case c.Username == "" || strings.ContainsAny(c.Username, ":@/"):
		return nil, errors.New("credentials: the username is empty, or has one of : @ /, which go-tpc cannot pass on: use another account")
	}
	parameters, files, err := tlsArgs(e.TLS, c)
	if err != nil {
		return nil, err
	}
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
func tlsArgs(mode contract.TLSMode, c runner.Credentials) (parameters string, files []string, err error) {
	switch {
	case mode == contract.TLSDisabled:
		return "tls=false", nil, nil
	case mode != contract.TLSRequired:
		return "", nil, fmt.Errorf("endpoint.tls: %q is not known: use %s or %s", mode, contract.TLSDisabled, contract.TLSRequired)
	case len(c.CA) == 0:
		return "tls=skip-verify", nil, nil
	case len(c.Cert) > 0 && len(c.Key) > 0:
		files = []string{"--ssl-cert=" + certFile, "--ssl-key=" + keyFile}
	}
	return "tls=custom", append([]string{"--ssl-ca=" + caFile}, files...), nil
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
	case contract.PhaseWarmup:
		return runArgs(p, t.WarmupSeconds, "warmupSeconds")
	case contract.PhaseRun:
		return runArgs(p, t.DurationSeconds, "durationSeconds")
	case contract.PhaseCheck:
		return []string{threads, "tpcc", "check", "--warehouses=" + strconv.Itoa(int(runner.Value(p.CheckWarehouses)))}, nil
	case contract.PhaseCleanup:
		return []string{"--threads=1", "tpcc", "cleanup", warehouses}, nil
	}
	return nil, fmt.Errorf("phase: %q is not known", phase)
}

func runArgs(p Params, seconds int64, field string) ([]string, error) {
	const day = 24 * 60 * 60
	if seconds < 1 || seconds > day {
		return nil, fmt.Errorf("%s: %d is out of range: use 1 to %d", field, seconds, day)
	}
	args := []string{
		"--threads=" + strconv.Itoa(int(p.Threads)),
		"--time=" + strconv.FormatInt(seconds, 10) + "s",
		"--interval=" + strconv.Itoa(int(p.ReportIntervalSeconds)) + "s",
	}
	if runner.Value(p.IgnoreErrors) {
		args = append(args, "--ignore-error")
	}
	// Its default takes 16 s for every latency above that.
	return append(args, "tpcc", "run", "--warehouses="+strconv.Itoa(int(p.Warehouses)), "--weight=45,43,4,4,4", "--max-measure-latency=1h"), nil
}
