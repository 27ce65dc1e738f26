package ycsb

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// share is the part of the rows that a client loads.
type share struct{ start, count int64 }

// threads that load it: none without a row, but for one.
func (s share) threads(p Params) int64 { return max(min(int64(p.Threads), s.count), 1) }

// shareOf a client: the first ones have a row more where the rows do not divide evenly. The
// client that is alone, or the first where the database is behind a JDBC driver, loads all:
// only MySQL's family can tell a table of this run from one that was there before.
func shareOf(t contract.Trial, p Params) (share, error) {
	clients, client := int64(max(t.Clients, 1)), int64(t.Ref.Client)
	if client < 0 || client >= clients {
		return share{}, fmt.Errorf("ref.client: %d is out of range: use 0 to %d", client, clients-1)
	}
	if t.Endpoint.JDBC != nil {
		if client > 0 {
			return share{start: p.RecordCount}, nil
		}
		return share{count: p.RecordCount}, nil
	}
	each, rest := p.RecordCount/clients, p.RecordCount%clients
	s := share{start: each*client + min(client, rest), count: each}
	if client < rest {
		s.count++
	}
	return s, nil
}

// skips: a client without a share of the rows has nothing to load.
func skips(t contract.Trial, phase contract.Phase) bool {
	if phase != contract.PhasePrepare {
		return false
	}
	p, err := ofTrial(t)
	if err != nil {
		return false // Command says what is wrong
	}
	s, err := shareOf(t, p)
	return err == nil && s.count == 0
}

// insertRange is the number of the range of keys for the rows that a phase inserts: no two
// phases, trials and clients of a run share one, also where trials have another number of clients than those before them.
func insertRange(t contract.Trial, phase contract.Phase) int {
	index := 2 * runner.Value(t.Ref.Index)
	if phase == contract.PhaseRun {
		index++
	}
	return index*contract.MostClients + t.Ref.Client
}

// loadTimes split the time of a load by the mean latencies of its INSERTs and of what ends a thread (CLEANUP, which sends the last batch and
// commits): the rest of what a thread did is outside of statements, but for the time in which it connected. None where one of these is not known.
func (r *reading) loadTimes(t contract.Trial, p Params) []contract.Measurement {
	inserts, all := r.report.of("INSERT", false), r.report.runTime.value(-3)
	ends := r.report.of(metricCleanup, false)
	if inserts == nil || ends == nil {
		return nil
	}
	n, mean, ended, end := inserts.done(), inserts.avg.ms(), ends.done(), ends.avg.ms()
	part, err := shareOf(t, p)
	if n == nil || *n == 0 || mean == nil || ended == nil || end == nil || all == nil || r.marks.setupSeconds == nil || err != nil {
		return nil
	}
	threads := float64(part.threads(p))
	writing := (*mean*float64(*n) + *end*float64(*ended)) / 1000 / threads
	generating := *all - writing - *r.marks.setupSeconds/threads
	if generating < 0 { // latencies and times are of two clocks, and rounded
		return nil
	}
	return runner.LoadTimes(generating, writing)
}
