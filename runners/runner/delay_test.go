package runner

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Round trips are delayed whatever the tool is, of a server that a relay can stand before.
func TestDelay(t *testing.T) {
	jdbc := contract.Endpoint{JDBC: &contract.JDBC{}}
	for name, tc := range map[string]struct {
		workload string
		endpoint contract.Endpoint
		want     time.Duration
		fails    error
	}{
		"no workload":           {"", contract.Endpoint{}, 0, nil},
		"none":                  {`{"threads": 4}`, jdbc, 0, nil},
		"a delay of nothing":    {`{"delay": "0s"}`, contract.Endpoint{TLS: contract.TLSRequired}, 0, nil},
		"a delay":               {`{"delay": "1.5ms", "threads": 4}`, contract.Endpoint{TLS: contract.TLSDisabled}, 1500 * time.Microsecond, nil},
		"of encrypted sessions": {`{"delay": "1ms"}`, contract.Endpoint{TLS: contract.TLSRequired}, 0, ErrDelayedTLS},
		"of what may be such":   {`{"delay": "1ms"}`, contract.Endpoint{TLS: contract.TLSPreferred}, 0, ErrDelayedTLS},
		"of a URL":              {`{"delay": "1us"}`, jdbc, 0, ErrDelayedJDBC},
	} {
		got, err := Delay(contract.Trial{Workload: json.RawMessage(tc.workload), Endpoint: tc.endpoint})
		if got != tc.want || !errors.Is(err, tc.fails) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, workload := range []string{`{"delay": "soon"}`, `{"delay": 7}`, `{`} {
		if got, err := Delay(contract.Trial{Workload: json.RawMessage(workload)}); err == nil {
			t.Errorf("%s: %s", workload, got)
		}
	}
}
