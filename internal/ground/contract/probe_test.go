package contract

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNewProbe(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[99-i] = time.Duration(i+1) * time.Second
	}
	tests := map[string]struct {
		tries []time.Duration
		want  *Probe
	}{
		"no try":        {nil, nil},
		"one try":       {[]time.Duration{time.Second}, &Probe{N: 1, MinSeconds: 1, P50Seconds: 1, P99Seconds: 1, MaxSeconds: 1}},
		"two tries":     {[]time.Duration{2 * time.Second, time.Second}, &Probe{N: 2, MinSeconds: 1, P50Seconds: 1, P99Seconds: 2, MaxSeconds: 2}},
		"a hundred":     {hundred, &Probe{N: 100, MinSeconds: 1, P50Seconds: 50, P99Seconds: 99, MaxSeconds: 100}},
		"milliseconds":  {[]time.Duration{time.Millisecond}, &Probe{N: 1, MinSeconds: .001, P50Seconds: .001, P99Seconds: .001, MaxSeconds: .001}},
		"three of them": {[]time.Duration{3e9, 1e9, 2e9}, &Probe{N: 3, MinSeconds: 1, P50Seconds: 2, P99Seconds: 3, MaxSeconds: 3}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, NewProbe(tc.tries)); diff != "" {
				t.Errorf("probe (-want +got):\n%s", diff)
			}
		})
	}
}
