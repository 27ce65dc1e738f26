package ycsb

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/runners/runner"
)

// Names of the JDBC drivers in the API.
const (
	driverMySQL   = "MySQL"
	driverMariaDB = "MariaDB"
)

// maxInt is the largest value that YCSB reads for a property that is an integer.
const maxInt = 1<<31 - 1

// Params are spec.workload.ycsb, which have their defaults and are within their bounds.
type Params v1alpha1.YCSBWorkload

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

// validate checks what a schema cannot express.
func (p Params) validate() error {
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
