package sysbench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	program = "sysbench"
	// defaultEngine is what sysbench 1.0 creates tables with when it is told
	// nothing. It has no way to leave the choice to the server: an empty value is
	// a syntax error in its CREATE TABLE.
	defaultEngine = "InnoDB"
)

// command builds the command line of a phase. Every option that has a bearing on
// the numbers is written out, also where it is sysbench's default.
func command(t contract.Trial, phase contract.Phase, c runner.Credentials) (runner.Command, error) {
	p, err := workloadOf(t)
	if err != nil {
		return runner.Command{}, err
	}
	connection, err := connectionArgs(t.Endpoint, c)
	if err != nil {
		return runner.Command{}, err
	}
	files, err := secretFiles(t.Endpoint.TLS, c)
	if err != nil {
		return runner.Command{}, err
	}
	what, err := scriptOf(t, phase, p)
	if err != nil {
		return runner.Command{}, err
	}
	own, err := phaseArgs(t, phase, p)
	if err != nil {
		return runner.Command{}, err
	}
	maps.Copy(files, what.files)
	behaviour := []string{"--db-ps-mode=" + p.DBPSMode, "--mysql-ignore-errors=" + p.IgnoreErrors}
	args := slices.Concat(connection, behaviour, schemaArgs(p), own, p.optionArgs(phase), []string{what.name, commands[phase]})
	out := runner.Command{Path: program, Args: args, Files: files}
	if phase == contract.PhaseWarmup || phase == contract.PhaseRun {
		out.Seed = runner.Seed(t, phase)
	}
	return out, nil
}

// commands of sysbench by phase.
var commands = map[contract.Phase]string{
	contract.PhasePrepare: "prepare", contract.PhaseWarmup: "run", contract.PhaseRun: "run", contract.PhaseCleanup: "cleanup",
}

// luaScript is what sysbench runs: a bundled test or a file of the working directory.
type luaScript struct {
	name  string
	files map[string][]byte
}

func scriptOf(t contract.Trial, phase contract.Phase, p Params) (luaScript, error) {
	switch {
	case p.Script != nil:
		files, err := filesOf(p.Script, t.Inputs)
		return luaScript{p.Script.File, files}, err
	case bundled[p.Test].ownSchema:
		return luaScript{bulkFile, map[string][]byte{bulkFile: []byte(bulkScript)}}, nil
	case phase == contract.PhasePrepare:
		return luaScript{loadFile, map[string][]byte{loadFile: []byte(loadScript)}}, nil
	}
	return luaScript{name: p.Test}, nil
}

// schemaArgs are options of the OLTP tests; others do not have them.
func schemaArgs(p Params) []string {
	if p.Script != nil || bundled[p.Test].ownSchema {
		return nil
	}
	return []string{
		"--tables=" + strconv.Itoa(int(p.Tables)),
		"--table-size=" + strconv.FormatInt(p.TableSize, 10),
	}
}

func connectionArgs(e contract.Endpoint, c runner.Credentials) ([]string, error) {
	if err := runner.CheckEndpoint(e); err != nil {
		return nil, err
	}
	switch {
	case e.Host == "localhost":
		return nil, fmt.Errorf("endpoint.host: localhost means a Unix socket to sysbench: use 127.0.0.1")
	case e.Database == "":
		return nil, fmt.Errorf("endpoint.database: empty: name the schema that sysbench shall work in")
	case c.Username == "":
		return nil, fmt.Errorf("credentials: the username is empty: put it into the target's Secret")
	}
	return []string{
		"--config-file=" + configFile,
		"--db-driver=mysql",
		"--mysql-host=" + e.Host,
		"--mysql-port=" + strconv.Itoa(int(e.Port)),
		"--mysql-user=" + c.Username,
		"--mysql-db=" + e.Database,
		"--mysql-ssl=" + onOff(e.TLS == contract.TLSRequired),
	}, nil
}

// phaseArgs are the options that the phase itself decides.
func phaseArgs(t contract.Trial, phase contract.Phase, p Params) ([]string, error) {
	switch phase {
	case contract.PhasePrepare:
		return prepareArgs(t, p)
	case contract.PhaseWarmup, contract.PhaseRun:
		seconds, err := runner.Seconds(t, phase, math.MaxInt32)
		if phase == contract.PhaseWarmup {
			p.Events = 0
		}
		return runArgs(runner.Seed(t, phase), p, seconds), err
	case contract.PhaseCleanup:
		return cleanupArgs(p), nil
	}
	return nil, fmt.Errorf("phase: %q is not known", phase)
}

// prepareArgs loads one table per thread at a time: more threads than tables
// would have nothing to do.
func prepareArgs(t contract.Trial, p Params) ([]string, error) {
	engine := cmp.Or(t.Endpoint.StorageEngine, defaultEngine)
	if p.Script != nil {
		return []string{"--threads=" + strconv.Itoa(int(p.Threads)), "--rand-type=" + p.RandType}, nil
	}
	if bundled[p.Test].ownSchema {
		return []string{"--mysql-storage-engine=" + engine, "--threads=" + strconv.Itoa(int(p.Threads))}, nil
	}
	own := partOf(t, contract.PhasePrepare, p)
	if own.index < 0 || own.index >= own.parts {
		return nil, fmt.Errorf("ref.client: %d is out of range: use 0 to %d", own.index, own.parts-1)
	}
	return []string{
		"--mysql-storage-engine=" + engine,
		"--threads=" + strconv.Itoa(min(int(p.Threads), own.count())),
		"--part=" + strconv.Itoa(own.index),
		"--parts=" + strconv.Itoa(own.parts),
		// Of the indexed column k, whatever distribution of keys is measured: so the data is
		// the same for all of them.
		"--rand-type=" + loadRandType,
	}, nil
}

// cleanupArgs: bulk_insert has a table per thread, so it has to know their number.
func cleanupArgs(p Params) []string {
	threads := 1
	if bundled[p.Test].ownSchema {
		threads = int(p.Threads)
	}
	return []string{"--threads=" + strconv.Itoa(threads)}
}

// runArgs ends after the events of the workload or the seconds, whichever comes first; 0 events
// for no such end.
//
// From the seed sysbench seeds the generator of libc, and from that each of its threads
// seeds its own as it starts. Which thread draws first is up to the machine: a seed gives
// another stream than any other, and never the same keys to the same thread.
func runArgs(seed int64, p Params, seconds int64) []string {
	args := []string{
		"--threads=" + strconv.Itoa(int(p.Threads)),
		"--events=" + strconv.FormatInt(p.Events, 10),
		"--time=" + strconv.FormatInt(seconds, 10),
	}
	if p.Rate > 0 {
		args = append(args, "--rate="+strconv.Itoa(int(p.Rate)))
	}
	args = append(args,
		"--rand-type="+p.RandType,
		"--rand-seed="+strconv.FormatInt(seed, 10),
		"--percentile="+strconv.Itoa(int(p.Percentile)),
		"--histogram="+onOff(runner.Value(p.Histogram)),
		"--report-interval="+strconv.Itoa(int(p.ReportIntervalSeconds)),
	)
	if p.Script == nil && !bundled[p.Test].ownSchema {
		args = append(args, "--skip-trx="+onOff(p.SkipTrx))
	}
	return args
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
