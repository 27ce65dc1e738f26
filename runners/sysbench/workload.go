package sysbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/assay-bench/assay/runners/runner"
)

// Names of the OLTP tests.
const (
	TestReadWrite   = "oltp_read_write"
	TestReadOnly    = "oltp_read_only"
	TestWriteOnly   = "oltp_write_only"
	TestPointSelect = "oltp_point_select"
)

// quantileError is the relative width of sysbench's latency buckets: 1024 of
// them, logarithmic between 0.001 and 100000 ms (sb_logger.c).
const quantileError = 0.0182

// maxInt is the largest value that sysbench accepts for an integer option.
const maxInt = 1<<31 - 1

// Params are spec.workload.sysbench. The API has the defaults; nothing is
// defaulted here.
type Params struct {
	// Test is one of the OLTP tests.
	Test string `json:"test"`
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
	// RandSeed is the seed of the random numbers, 1 to 2147483647. sysbench takes
	// 0 for "seed from the clock", which cannot be repeated.
	RandSeed int64 `json:"randSeed"`
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

// Script is a Lua script of the user.
type Script struct {
	// ConfigMap that the files of the trial come from.
	ConfigMap struct {
		Name string `json:"name"`
	} `json:"configMap"`
	// File is the name of the script among them; absent for script.lua.
	File string `json:"file,omitempty"`
	// Phases that the script has besides run: Prepare, Cleanup.
	Phases []string `json:"phases,omitempty"`
	// PreparedStatements of each connection.
	PreparedStatements int32 `json:"preparedStatements,omitempty"`
}

// decodeParams reads the workload of a trial strictly: a field that is not
// understood would silently change what is measured.
func decodeParams(workload json.RawMessage) (Params, error) {
	var p Params
	dec := json.NewDecoder(bytes.NewReader(workload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return Params{}, fmt.Errorf("workload.sysbench: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Params{}, errors.New("workload.sysbench: more data after the end of the object")
	}
	if err := p.validate(); err != nil {
		return Params{}, err
	}
	return p, nil
}

func (p Params) validate() error {
	tests := []string{TestReadWrite, TestReadOnly, TestWriteOnly, TestPointSelect}
	if !slices.Contains(tests, p.Test) {
		return fmt.Errorf("workload.sysbench.test: %q is not known: use one of %v", p.Test, tests)
	}
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
		{"randSeed", p.RandSeed, 1, maxInt},
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

// queriesPerEvent counts the statements of one event with the tests' default
// numbers: 10 point selects, 4 range selects, 2 updates, 1 delete and 1 insert,
// BEGIN and COMMIT. A point select has no transaction around it.
func (p Params) queriesPerEvent() int32 {
	counts := map[string]int32{TestReadWrite: 18, TestReadOnly: 14, TestWriteOnly: 4, TestPointSelect: 1}
	n := counts[p.Test]
	if !p.SkipTrx && p.Test != TestPointSelect {
		n += 2
	}
	return n
}

func facts(t runner.Trial) (runner.Facts, error) {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Facts{}, err
	}
	f := runner.Facts{
		DurationSeconds:       t.DurationSeconds,
		Operations:            p.Events,
		Rate:                  float64(p.Rate),
		Threads:               p.Threads,
		QueriesPerOperation:   p.queriesPerEvent(),
		ReportIntervalSeconds: p.ReportIntervalSeconds,
		QuantileError:         quantileError,
		TLSRequired:           t.Endpoint.TLS == runner.TLSRequired,
	}
	if p.Events > 0 {
		f.DurationSeconds = 0 // the longest, not the length that is to be expected
	}
	if p.Rate > 0 {
		f.Threads = 0 // they wait for work, and the wait of the work counts as latency
	}
	return f, nil
}
