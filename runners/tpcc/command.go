package tpcc

import (
	"fmt"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// loadMemory is what Go's runtime of the load may take, so that it fits into a client of 512 MiB: the suppliers have texts of TPC-H, which are cut out
// of 300 MiB of text. A load took 1,180 MiB of the published go-tpc, 649 MiB with the patch, which makes that text in one piece, and 358 MiB with
// this, in the same time.
const loadMemory = "350MiB"

// command builds the command line of a phase. Every option that has a bearing on the numbers
// is written out, also where it is go-tpc's default.
func command(t contract.Trial, phase contract.Phase, c runner.Credentials) (runner.Command, error) {
	p, err := workloadOf(t)
	if err != nil {
		return runner.Command{}, err
	}
	out, err := gotpc.Connected(t, c)
	if err != nil {
		return runner.Command{}, err
	}
	own, err := phaseArgs(t, phase, p)
	if err != nil {
		return runner.Command{}, err
	}
	out.Args = append(out.Args, own...)
	if phase == contract.PhasePrepare && p.analyzes() {
		out.Env["GOMEMLIMIT"] = loadMemory
	}
	// It seeds its generators with the time, and takes no seed.
	out.Unseeded = phase == contract.PhaseWarmup || phase == contract.PhaseRun
	return out, nil
}

// phaseArgs are the options that the phase itself decides.
func phaseArgs(t contract.Trial, phase contract.Phase, p Params) ([]string, error) {
	threads := "--threads=" + strconv.Itoa(int(p.Threads))
	warehouses := "--warehouses=" + strconv.Itoa(int(p.Warehouses))
	switch phase {
	case contract.PhasePrepare:
		// It retries whatever fails, and says so; Parse takes the first such line for a failure. Its
		// own check after loading shares a connection among threads: the agent counts the rows.
		return []string{threads, benchmark(p.analyzes()), "prepare", warehouses, "--no-check", "--retry-count=1", "--retry-interval=1ms"}, nil
	case contract.PhaseWarmup, contract.PhaseRun:
		const day = 24 * 60 * 60
		seconds, err := runner.Seconds(t, phase, day)
		return runArgs(p.in(t, phase), seconds), err
	case contract.PhaseCheck:
		return []string{threads, "tpcc", "check", "--warehouses=" + strconv.Itoa(int(runner.Value(p.CheckWarehouses)))}, nil
	case contract.PhaseCleanup:
		return []string{"--threads=1", benchmark(p.analyzes()), "cleanup", warehouses}, nil
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
	if n := p.analysts(); n > 0 {
		args = append(args, "--acThreads="+strconv.Itoa(int(n)))
	}
	// Its default takes 16 s for every latency above that.
	args = append(args, benchmark(p.analysts() > 0), "run", "--warehouses="+strconv.Itoa(int(p.Warehouses)), "--weight=45,43,4,4,4", "--max-measure-latency=1h")
	if p.analysts() > 0 {
		args = append(args, "--queries="+gotpc.Names(p.AnalyticalQueries))
	}
	return args
}

// benchmark of go-tpc. Its ch loads, runs and drops what its tpcc does, and the queries' part beside it.
func benchmark(analytical bool) string {
	if analytical {
		return "ch"
	}
	return "tpcc"
}
