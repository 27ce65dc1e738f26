package sysbench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// quantileError is the relative width of sysbench's latency buckets: 1024 of
// them, logarithmic between 0.001 and 100000 ms (sb_logger.c).
const quantileError = 0.0182

// Values of fields.
const (
	psAuto    = "auto"
	psDisable = "disable"
	// defaultErrors are those after which sysbench repeats the transaction: 1213
	// deadlock, 1020 record has changed, 1205 lock wait timeout. They are its own,
	// written out so that another version cannot change them.
	defaultErrors = "1213,1020,1205"
	// defaultRandType is that of 1.0; 1.1 changed it to uniform.
	defaultRandType = "special"
)

// randTypes of 1.0, and the one that 1.1 added.
var randTypes = []string{"uniform", "gaussian", "special", "pareto", "zipfian"}

// lostConnection are the errors after which sysbench connects again when it is to
// ignore them. 1.0.20 with libmariadb then ends with SIGSEGV, with and without prepared
// statements: tried with a connection that was killed.
var lostConnection = []string{"2006", "2011", "2013", "2055"}

var ignorable = regexp.MustCompile(`^(none|[0-9]{1,5}(,[0-9]{1,5}){0,31})$`)

// maxInt is the largest value that sysbench accepts for an integer option.
const maxInt = 1<<31 - 1

// Params are spec.workload.sysbench. The API has the defaults; here, too, a text that
// is absent is what the API would make of it.
type Params struct {
	// Test is one of those that come with sysbench; absent with Script.
	Test string `json:"test,omitempty"`
	// Threads is the number of connections that work at the same time, from 1.
	Threads int32 `json:"threads"`
	// Tables is the number of tables, from 1.
	Tables int32 `json:"tables"`
	// TableSize is the number of rows per table, 1 to 2147483647 (the tables'
	// key is an INTEGER).
	TableSize int64 `json:"tableSize"`
	// ReportIntervalSeconds is the length of an interval of the time series; 0
	// for no time series.
	ReportIntervalSeconds int32 `json:"reportIntervalSeconds"`
	// Percentile of the latency, 1 to 100.
	Percentile int32 `json:"percentile"`
	// Histogram asks for the latency histogram.
	Histogram bool `json:"histogram"`
	// SkipTrx leaves out BEGIN and COMMIT.
	SkipTrx bool `json:"skipTrx"`
	// Events is the number of transactions that each client measures, to
	// 2147483647; absent or 0 for a workload that is bounded by time.
	Events int64 `json:"events,omitempty"`
	// Rate is the number of transactions per second that each client offers (open
	// loop), to 2147483647; absent or 0 for a closed loop.
	Rate int64 `json:"rate,omitempty"`
	// RandType is the distribution of the keys; absent for special.
	RandType string `json:"randType,omitempty"`
	// DBPSMode is auto or disable; absent for auto.
	DBPSMode string `json:"dbPsMode,omitempty"`
	// IgnoreErrors are numbers with commas between them, or none; absent for those
	// that sysbench ignores by itself.
	IgnoreErrors string `json:"ignoreErrors,omitempty"`
	// Options are further ones, by name without the leading dashes.
	Options map[string]string `json:"options,omitempty"`
	// Script of the user, in place of Test.
	Script *Script `json:"script,omitempty"`
}

// decodeParams reads the workload of a trial strictly: a field that is not
// understood would silently change what is measured.
func decodeParams(workload json.RawMessage) (Params, error) {
	var p Params
	if err := runner.DecodeWorkload(Name, workload, &p); err != nil {
		return Params{}, err
	}
	p.RandType = cmp.Or(p.RandType, defaultRandType)
	p.DBPSMode = cmp.Or(p.DBPSMode, psAuto)
	p.IgnoreErrors = cmp.Or(p.IgnoreErrors, defaultErrors)
	if p.Script != nil {
		p.Script.File = cmp.Or(p.Script.File, defaultScript)
	}
	if err := p.validate(); err != nil {
		return Params{}, err
	}
	return p, nil
}

// workloadOf decodes the workload, and refuses what it cannot be with the trial.
func workloadOf(t contract.Trial) (Params, error) {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return Params{}, err
	}
	if t.Clients > 1 && bundled[p.Test].ownSchema {
		return Params{}, fmt.Errorf("clients.count: %d clients with %s would insert the same keys into the same tables: use 1 client with more threads",
			t.Clients, p.Test)
	}
	return p, nil
}

// validate checks every field.
func (p Params) validate() error {
	for _, check := range []func() error{p.checkTest, p.checkRanges, p.checkTexts, p.checkScript, p.checkOptions, p.checkEvent} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (p Params) checkTest() error {
	switch _, known := bundled[p.Test]; {
	case p.Script != nil && p.Test != "":
		return errors.New("workload.sysbench: there are both a test and a script: use one of them; " +
			"a script cannot be measured beside bundled tests, which load other data")
	case p.Script == nil && !known:
		return fmt.Errorf("workload.sysbench.test: %q is not known: use one of %v", p.Test, slices.Sorted(maps.Keys(bundled)))
	case bundled[p.Test].oneTable && p.Tables != 1:
		return fmt.Errorf("workload.sysbench.tables: %s reads one table, and sysbench refuses %d: use 1", p.Test, p.Tables)
	}
	return nil
}

func (p Params) checkTexts() error {
	switch {
	case !slices.Contains(randTypes, p.RandType):
		return fmt.Errorf("workload.sysbench.randType: %q is not known: use one of %v", p.RandType, randTypes)
	case p.DBPSMode != psAuto && p.DBPSMode != psDisable:
		return fmt.Errorf("workload.sysbench.dbPsMode: %q is not known: use %s or %s", p.DBPSMode, psAuto, psDisable)
	case p.IgnoreErrors == "all":
		return errors.New("workload.sysbench.ignoreErrors: all is refused: sysbench would go on without a server, and crash: name the errors")
	case slices.ContainsFunc(strings.Split(p.IgnoreErrors, ","), func(n string) bool { return slices.Contains(lostConnection, n) }):
		return fmt.Errorf("workload.sysbench.ignoreErrors: %s has the error of a lost connection (%s): sysbench 1.0.20 crashes when it connects again: leave it out",
			p.IgnoreErrors, strings.Join(lostConnection, ", "))
	case !ignorable.MatchString(p.IgnoreErrors):
		return fmt.Errorf("workload.sysbench.ignoreErrors: %q are not numbers of errors: use such as %s, or none", p.IgnoreErrors, defaultErrors)
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

func (p Params) checkRanges() error {
	// The bounds of the API again: an axis of a matrix does not pass through it.
	ranges := []struct {
		field          string
		value, min, to int64
	}{
		{"threads", int64(p.Threads), 1, 4096},
		{"tables", int64(p.Tables), 1, 1000},
		{"tableSize", p.TableSize, 1, 1_000_000_000},
		{"reportIntervalSeconds", int64(p.ReportIntervalSeconds), 0, 3600},
		{"percentile", int64(p.Percentile), 1, 100},
		{"events", p.Events, 0, 1_000_000_000},
		{"rate", p.Rate, 0, 10_000_000},
	}
	for _, r := range ranges {
		if r.value < r.min || r.value > r.to {
			return fmt.Errorf("workload.sysbench.%s: %d is out of range: use %d to %d", r.field, r.value, r.min, r.to)
		}
	}
	return nil
}

func facts(t contract.Trial) (runner.Facts, error) {
	p, err := workloadOf(t)
	if err != nil {
		return runner.Facts{}, err
	}
	changes := p.changes()
	f := runner.Facts{
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
	return f, nil
}
