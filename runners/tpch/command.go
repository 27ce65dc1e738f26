package tpch

import (
	"fmt"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/runner/gotpc"
)

// command builds the command line of a phase. Every option that has a bearing on the numbers is written out, also where it is
// go-tpc's default.
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
	out.Args = append(out.Args, own...)
	return out, err
}

// phaseArgs are the options that the phase itself decides.
func phaseArgs(t contract.Trial, phase contract.Phase, p Params) ([]string, error) {
	threads := "--threads=" + strconv.Itoa(int(p.Threads))
	scale := "--sf=" + strconv.Itoa(int(p.ScaleFactor))
	switch phase {
	case contract.PhasePrepare:
		// The agent takes statistics of the tables; go-tpc's own way sets variables that only TiDB has.
		return []string{threads, "tpch", "prepare", scale, "--analyze=false", "--tiflash-replica=0"}, nil
	case contract.PhaseWarmup, contract.PhaseRun:
		const day = 24 * 60 * 60
		seconds, err := runner.Seconds(t, phase, day)
		if err != nil {
			return nil, err
		}
		// After this time no query begins; those under way go on. The count is of all threads together, 0 for no end.
		count := int64(0)
		if phase == contract.PhaseRun {
			count = p.operations()
		}
		return []string{
			threads, "--count=" + strconv.FormatInt(count, 10), "--time=" + strconv.FormatInt(seconds, 10) + "s", "--interval=24h",
			// Its tuning sets variables of TiDB, and those in one of the connections alone.
			"tpch", "run", scale, "--queries=" + gotpc.Names(p.Queries), "--check=" + strconv.FormatBool(p.checked()), "--enable-query-tuning=false",
		}, nil
	case contract.PhaseCleanup:
		return []string{"--threads=1", "tpch", "cleanup", scale}, nil
	}
	return nil, fmt.Errorf("phase: %q is not known", phase)
}
