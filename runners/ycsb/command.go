package ycsb

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	program   = "java"
	folder    = "/opt/ycsb/"
	mainClass = "dev.assay.ycsb.Main"
	binding   = "site.ycsb.db.JdbcDBClient"
	// coreWorkload is YCSB's; timedWorkload is the same that knows of the measured window, and
	// ownInserts is that with keys of its own for new rows.
	coreWorkload  = "site.ycsb.workloads.CoreWorkload"
	timedWorkload = "dev.assay.ycsb.Core"
	ownInserts    = "dev.assay.ycsb.OwnInserts"
)

// command builds the command line of a phase. Every property that has a bearing on the
// numbers is written out, also where it is YCSB's default.
func command(t contract.Trial, phase contract.Phase, c runner.Credentials) (runner.Command, error) {
	p, err := ofTrial(t)
	if err != nil {
		return runner.Command{}, err
	}
	to, err := connectionTo(t.Endpoint, p, c)
	if err != nil {
		return runner.Command{}, err
	}
	files, err := secretFiles(t.Endpoint.TLS, c)
	if err != nil {
		return runner.Command{}, err
	}
	own, err := phaseOf(t, phase, p)
	if err != nil {
		return runner.Command{}, err
	}
	args := slices.Concat(p.JVMOptions, []string{
		"-cp", p.classPath(), mainClass, own.verb, "-db", binding, "-s", "-threads", strconv.FormatInt(own.threads, 10),
	})
	if own.target > 0 {
		args = append(args, "-target", strconv.FormatInt(own.target, 10))
	}
	args = append(args, "-P", secretFile)
	properties := p.properties(to)
	maps.Copy(properties, own.properties)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		args = append(args, "-p", name+"="+properties[name])
	}
	return runner.Command{
		Path: program, Args: args, Files: files, Collect: []string{hdrPattern},
		// YCSB 0.17 draws from java.util.concurrent.ThreadLocalRandom, which cannot be seeded.
		Unseeded: phase == contract.PhaseWarmup || phase == contract.PhaseRun,
	}, nil
}

// classPath of YCSB, our binding and the drivers; Java expands it. An older version of a driver is before the newest one.
func (p Params) classPath() string {
	path := folder + "lib/*"
	if p.DriverVersion != "" {
		path = folder + strings.ToLower(p.Driver) + "-" + p.DriverVersion + "/*:" + path
	}
	return path
}

// properties that are the same in every phase.
func (p Params) properties(to connection) map[string]string {
	all := p.effective()
	maps.Copy(all, map[string]string{
		"workload":                 coreWorkload,
		"recordcount":              strconv.FormatInt(p.RecordCount, 10),
		"fieldcount":               strconv.Itoa(int(p.FieldCount)),
		"fieldlength":              strconv.Itoa(int(p.FieldLength)),
		"db.url":                   to.url,
		"db.driver":                to.driver,
		"db.batchsize":             strconv.Itoa(int(p.BatchSize)),
		"jdbc.batchupdateapi":      strconv.FormatBool(p.BatchUpdateAPI),
		"jdbc.fetchsize":           strconv.Itoa(int(p.FetchSize)),
		"status.interval":          strconv.Itoa(int(p.StatusIntervalSeconds)),
		"exporter":                 "site.ycsb.measurements.exporter.TextMeasurementsExporter",
		"measurementtype":          "hdrhistogram",
		"measurement.interval":     "op",
		"hdrhistogram.fileoutput":  "true",
		"hdrhistogram.output.path": hdrPrefix,
		"hdrhistogram.percentiles": percentiles,
	})
	return all
}

// phaseArgs are what a phase differs in.
type phaseArgs struct {
	verb            string
	threads, target int64
	properties      map[string]string
}

func phaseOf(t contract.Trial, phase contract.Phase, p Params) (phaseArgs, error) {
	switch phase {
	case contract.PhasePrepare:
		return loadArgs(t, p)
	case contract.PhaseWarmup, contract.PhaseRun:
		seconds, err := runner.Seconds(t, phase, math.MaxInt32)
		return runArgs(t, phase, p, seconds), err
	case contract.PhaseCleanup:
		return phaseArgs{verb: "drop", threads: 1}, nil
	}
	return phaseArgs{}, fmt.Errorf("phase: %q is not known", phase)
}

// runName is what may stand in the comment of the table.
var runName = regexp.MustCompile(`^[A-Za-z0-9-]*$`)

// loadArgs: the first client makes the table, the others wait for it. Threads without a row
// would be left out by YCSB, with a warning; here they are not asked for.
func loadArgs(t contract.Trial, p Params) (phaseArgs, error) {
	if err := runner.CheckStorageEngine(t.Endpoint); err != nil {
		return phaseArgs{}, err
	}
	if !runName.MatchString(t.Ref.RunUID) {
		return phaseArgs{}, fmt.Errorf("ref.runUID: %q is not a UID", t.Ref.RunUID)
	}
	s, err := shareOf(t, p)
	if err != nil {
		return phaseArgs{}, err
	}
	verb := "load"
	if t.Ref.Client > 0 {
		verb = "await"
	}
	return phaseArgs{verb: verb, threads: s.threads(p), properties: map[string]string{
		"insertstart":    strconv.FormatInt(s.start, 10),
		"insertcount":    strconv.FormatInt(s.count, 10),
		"operationcount": "0", // read by the workload even so
		"assay.columns":  p.Columns,
		"assay.engine":   t.Endpoint.StorageEngine,
		"assay.run":      t.Ref.RunUID,
		"assay.wait":     strconv.Itoa(tableSeconds),
	}}, nil
}

// tableSeconds is how long clients wait for the first one to make the table: all start at the
// same time, and Java may take seconds on a small machine.
const tableSeconds = 120

// runArgs end after the operations or the seconds, whichever comes first. Without a number of
// operations it is the largest: 0.17 starts no more threads than operations, so that 0 is the
// end of all.
func runArgs(t contract.Trial, phase contract.Phase, p Params, seconds int64) phaseArgs {
	operations := p.OperationCount
	if phase == contract.PhaseWarmup {
		operations = 0
	}
	own := map[string]string{
		"insertstart":      "0",
		"insertcount":      strconv.FormatInt(p.RecordCount, 10),
		"operationcount":   strconv.FormatInt(cmp.Or(operations, math.MaxInt32), 10),
		"maxexecutiontime": strconv.FormatInt(seconds, 10),
	}
	if p.Target > 0 {
		own["measurement.interval"] = "both"
	}
	if p.isTimed(t, phase) {
		own["workload"] = timedWorkload
	}
	if p.inserts() {
		own["workload"] = ownInserts
		own["assay.operations"] = strconv.FormatInt(operations, 10)
		own["assay.insertrange"] = strconv.Itoa(insertRange(t, phase))
	}
	if phase == contract.PhaseRun {
		maps.Copy(own, p.windowArgs(t))
	}
	return phaseArgs{verb: "run", threads: int64(p.Threads), target: int64(p.Target), properties: own}
}
