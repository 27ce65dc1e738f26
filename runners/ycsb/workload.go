package ycsb

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Names of the JDBC drivers in the API.
const (
	driverMySQL   = "MySQL"
	driverMariaDB = "MariaDB"
)

// Params are spec.workload.ycsb, which have their defaults and are within their bounds.
type Params v1alpha1.YCSBWorkload

func ofTrial(t contract.Trial) (Params, error) {
	return runner.Decode(Name, t.Workload, Params.validate)
}

// validate checks what a schema cannot express.
func (p Params) validate() error {
	if p.BatchUpdateAPI && p.BatchSize == 0 {
		return errors.New("workload.ycsb.batchSize: 0 with batchUpdateAPI would hold all rows back until the end: give the size of a batch")
	}
	if p.OperationCount > 0 && p.OperationCount < int64(p.Threads) {
		return fmt.Errorf("workload.ycsb.operationCount: %d is less than threads (%d): YCSB would start fewer", p.OperationCount, p.Threads)
	}
	if older := drivers[p.Driver].older; p.DriverVersion != "" {
		if _, has := older[p.DriverVersion]; !has {
			return fmt.Errorf("workload.ycsb.driverVersion: the image has no %s of %s: leave it out for the newest one, or use one of: %s",
				p.DriverVersion, p.Driver, cmp.Or(strings.Join(slices.Sorted(maps.Keys(older)), ", "), "none"))
		}
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
	_, _, err := sharesOf(p.effective())
	return err
}
