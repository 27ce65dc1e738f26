package sysbench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// quantileError is the relative width of sysbench's latency buckets: 1024 of
// them, logarithmic between 0.001 and 100000 ms (sb_logger.c).
const quantileError = 0.0182

// psDisable is a value of dbPsMode.
const psDisable = "disable"

// loadRandType is the distribution by which the rows are loaded, whatever is measured.
const loadRandType = "special"

// lostConnection are the errors after which sysbench connects again when it is to
// ignore them. 1.0.20 with libmariadb then ends with SIGSEGV, with and without prepared
// statements: tried with a connection that was killed.
var lostConnection = []string{"2006", "2011", "2013", "2055"}

// Params are spec.workload.sysbench, which have their defaults and are within their bounds.
type Params v1alpha1.SysbenchWorkload

func decodeParams(workload json.RawMessage) (Params, error) {
	return runner.Decode(Name, workload, Params.validate)
}

// workloadOf decodes the workload, and refuses what it cannot be with the trial.
func workloadOf(t contract.Trial) (Params, error) {
	p, err := decodeParams(t.Workload)
	if err == nil && t.Clients > 1 && bundled[p.Test].ownSchema {
		return Params{}, fmt.Errorf("clients.count: %d clients with %s would insert the same keys into the same tables: use 1 client with more threads",
			t.Clients, p.Test)
	}
	return p, err
}

// validate checks what a schema cannot express.
func (p Params) validate() error {
	for _, check := range []func() error{p.checkTest, p.checkErrors, p.checkOptions, p.checkEvent} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (p Params) checkTest() error {
	if bundled[p.Test].oneTable && p.Tables != 1 {
		return fmt.Errorf("workload.sysbench.tables: %s reads one table, and sysbench refuses %d: use 1", p.Test, p.Tables)
	}
	return nil
}

func (p Params) checkErrors() error {
	if slices.ContainsFunc(strings.Split(p.IgnoreErrors, ","), func(n string) bool { return slices.Contains(lostConnection, n) }) {
		return fmt.Errorf("workload.sysbench.ignoreErrors: %s has the error of a lost connection (%s): sysbench 1.0.20 crashes when it connects again: leave it out",
			p.IgnoreErrors, strings.Join(lostConnection, ", "))
	}
	return nil
}

// checkEvent: an event without a statement would measure sysbench alone.
func (p Params) checkEvent() error {
	if p.Script == nil && !bundled[p.Test].ownSchema && p.queriesPerEvent() == 0 {
		return fmt.Errorf("workload.sysbench.options: with these numbers an event of %s has no statement: leave at least one", p.Test)
	}
	return nil
}

func (p Params) expectations(t contract.Trial) runner.Expectations {
	changes := p.changes()
	f := runner.Expectations{
		DurationSeconds:       t.DurationSeconds,
		WritesPerOperation:    changes.writes,
		Rows:                  changes.rows,
		StorageEngine:         cmp.Or(t.Endpoint.StorageEngine, defaultEngine),
		Operations:            p.Events,
		Rate:                  float64(p.Rate),
		RandomArrivals:        p.Rate > 0, // exponential gaps
		Threads:               p.Threads,
		QueriesPerOperation:   int32(p.queriesPerEvent()), // at most 11 options of maxStatements
		ReportIntervalSeconds: p.ReportIntervalSeconds,
		QuantileError:         quantileError,
		TLSRequired:           t.Endpoint.TLS == contract.TLSRequired,
	}
	if p.Events > 0 {
		f.DurationSeconds = 0 // the longest, not the length that is to be expected
	}
	switch {
	case p.Rate > 0:
		f.Threads = 0 // they wait for work, and the wait of the work counts as latency
	case p.Script != nil:
		f.Threads = 0 // it may think between its events
	case bundled[p.Test].ownSchema:
		f.Threads = 0 // an event only puts a row aside: the time between events is as long
	}
	return f
}
