package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Errors of Delay. A tool that verifies the name of its server would find the relay's, and the address in a URL of JDBC is the user's own.
var (
	ErrDelayedTLS  = errors.New("delay: round trips to a target with TLS cannot be delayed: use tls: Disabled (of an external target external.tls, whose default is Required), or no delay")
	ErrDelayedJDBC = errors.New("delay: round trips to a target with jdbc cannot be delayed: give its host and port, or no delay")
)

// ConnectTrips are the round trips of a connection: TCP, the greeting, TLS, two for the login, two for the first query.
const ConnectTrips = 7

// Delay that a trial adds to every round trip between tool and server, by a relay in the client's pod, whatever the tool is; 0 for none. It
// fails with ErrDelayedTLS and ErrDelayedJDBC for a server that cannot be reached by a relay, as far as its endpoint is known.
func Delay(t contract.Trial) (time.Duration, error) {
	var asked struct {
		Delay string `json:"delay"`
	}
	if len(t.Workload) == 0 {
		return 0, nil
	}
	if err := json.Unmarshal(t.Workload, &asked); err != nil {
		return 0, fmt.Errorf("the delay of a workload: %w", err)
	}
	if asked.Delay == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(asked.Delay)
	switch {
	case err != nil:
		return 0, fmt.Errorf("delay: %w", err)
	case d > 0 && (t.Endpoint.TLS == contract.TLSRequired || t.Endpoint.TLS == contract.TLSPreferred):
		return 0, ErrDelayedTLS
	case d > 0 && t.Endpoint.JDBC != nil:
		return 0, ErrDelayedJDBC
	}
	return d, nil
}
