package clock

import (
	"testing"
	"time"
)

func TestStepped(t *testing.T) {
	tests := map[string]struct {
		step string
		age  time.Duration
		want time.Duration
	}{
		"no step":              {"", time.Hour, 0},
		"before the step":      {"30s@20s", 19 * time.Second, 0},
		"after the step":       {"30s@20s", 20 * time.Second, 30 * time.Second},
		"set back":             {"-30s@20s", time.Minute, -30 * time.Second},
		"what cannot be read":  {"30@20", time.Minute, 0},
		"without a beginning":  {"30s", time.Minute, 0},
		"an unreadable moment": {"30s@x", time.Minute, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			now := noon.Add(tc.age)
			if got := stepped(now, noon, tc.step).Sub(now); got != tc.want {
				t.Errorf("stepped by %s, want %s", got, tc.want)
			}
		})
	}
	if step != "" {
		t.Error("a step is linked in")
	}
}
