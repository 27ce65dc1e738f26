package ycsb

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/runners/runner"
)

// Names of the JDBC drivers in the API.
const (
	driverMySQL     = "MySQL"
	driverMariaDB   = "MariaDB"
	driverSQLServer = "SQLServer"
)

// Types of the table's columns.
const (
	columnsText    = "Text"
	columnsVarchar = "Varchar"
)

// maxInt is the largest value that YCSB reads for a property that is an integer.
const maxInt = 1<<31 - 1

// Params are spec.workload.ycsb. The API has the defaults; nothing is defaulted here.
type Params struct {
	// Workload is a letter of a preset, a to f.
	Workload string `json:"workload"`
	// RecordCount is the number of rows that all clients load together, 1 to 2,000,000,000.
	RecordCount int64 `json:"recordCount"`
	// OperationCount is the number of operations that each client measures; absent or 0 for
	// a workload that is bounded by time.
	OperationCount int64 `json:"operationCount,omitempty"`
	// Threads is the number of connections of a client, from 1.
	Threads int32 `json:"threads"`
	// Target is the number of operations per second that each client offers; absent or 0 for
	// a closed loop.
	Target int64 `json:"target,omitempty"`
	// Driver is the name of a JDBC driver.
	Driver string `json:"driver"`
	// URLParameters are added to the URL.
	URLParameters map[string]string `json:"urlParameters,omitempty"`
	// BatchSize is db.batchsize; absent or 0 for none.
	BatchSize int32 `json:"batchSize,omitempty"`
	// BatchUpdateAPI is jdbc.batchupdateapi.
	BatchUpdateAPI bool `json:"batchUpdateAPI,omitempty"`
	// FetchSize is jdbc.fetchsize; absent or 0 leaves it to the driver.
	FetchSize int32 `json:"fetchSize,omitempty"`
	// Columns is Text or Varchar.
	Columns string `json:"columns"`
	// FieldCount is the number of fields of a row.
	FieldCount int32 `json:"fieldCount"`
	// FieldLength is the length of a field in bytes; the largest, where a property sets
	// another distribution than constant.
	FieldLength int32 `json:"fieldLength"`
	// StatusIntervalSeconds is the length of an interval of the time series.
	StatusIntervalSeconds int32 `json:"statusIntervalSeconds"`
	// Properties are other properties of YCSB.
	Properties map[string]string `json:"properties,omitempty"`
	// JVMOptions of the Java virtual machine.
	JVMOptions []string `json:"jvmOptions,omitempty"`
}

// decodeParams reads the workload of a trial strictly: a field that is not
// understood would silently change what is measured.
func decodeParams(workload json.RawMessage) (Params, error) {
	var p Params
	if err := runner.DecodeWorkload(Name, workload, &p); err != nil {
		return Params{}, err
	}
	if err := p.validate(); err != nil {
		return Params{}, err
	}
	return p, nil
}

func (p Params) validate() error {
	names := []struct {
		field, value string
		known        []string
	}{
		{"workload", p.Workload, presetNames()},
		{"driver", p.Driver, []string{driverMySQL, driverMariaDB, driverSQLServer}},
		{"columns", p.Columns, []string{columnsText, columnsVarchar}},
	}
	for _, n := range names {
		if !slices.Contains(n.known, n.value) {
			return fmt.Errorf("workload.ycsb.%s: %q is not known: use one of %v", n.field, n.value, n.known)
		}
	}
	// The bounds of the API again: an axis of a matrix does not pass through it.
	ranges := []struct {
		field          string
		value, min, to int64
	}{
		{"recordCount", p.RecordCount, 1, 2_000_000_000},
		{"operationCount", p.OperationCount, 0, 2_000_000_000},
		{"threads", int64(p.Threads), 1, 4096},
		{"target", p.Target, 0, 10_000_000},
		{"batchSize", int64(p.BatchSize), 0, 1_000_000},
		{"fetchSize", int64(p.FetchSize), 0, 1_000_000},
		{"fieldCount", int64(p.FieldCount), 1, 100},
		{"fieldLength", int64(p.FieldLength), 1, 10_000},
		{"statusIntervalSeconds", int64(p.StatusIntervalSeconds), 1, 3600},
	}
	for _, r := range ranges {
		if r.value < r.min || r.value > r.to {
			return fmt.Errorf("workload.ycsb.%s: %d is out of range: use %d to %d", r.field, r.value, r.min, r.to)
		}
	}
	return p.validateTogether()
}

// validateTogether checks what concerns more than one field.
func (p Params) validateTogether() error {
	if p.BatchUpdateAPI && p.BatchSize == 0 {
		return errors.New("workload.ycsb.batchSize: 0 with batchUpdateAPI would hold all rows back until the end: give the size of a batch")
	}
	if p.OperationCount > 0 && p.OperationCount < int64(p.Threads) {
		return fmt.Errorf("workload.ycsb.operationCount: %d is less than threads (%d): YCSB would start fewer", p.OperationCount, p.Threads)
	}
	if err := checkProperties(p.Properties); err != nil {
		return err
	}
	if _, err := urlParameters(p.URLParameters); err != nil {
		return err
	}
	if err := checkJVMOptions(p.JVMOptions); err != nil {
		return err
	}
	return p.checkProportions()
}
