package experiment

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// checkDelay refuses a trial whose round trips are delayed on a target that no relay can stand before.
func checkDelay(w Work, trial contract.Trial) error {
	for i, t := range w.spec.Targets {
		trial.Endpoint = contract.Endpoint{}
		switch {
		case t.MySQL != nil:
			trial.Endpoint.TLS = contract.TLSMode(cmp.Or(t.MySQL.TLS, v1alpha1.TLSDisabled))
		case t.External != nil:
			trial.Endpoint.TLS = contract.TLSMode(t.External.Encryption())
			if t.External.JDBC != nil {
				trial.Endpoint.JDBC = &contract.JDBC{}
			}
		}
		if _, err := runner.Delay(trial); err != nil {
			return fmt.Errorf("workload.%s.%w (spec.targets[%d])", w.Tool.Name, err, i)
		}
	}
	return nil
}
