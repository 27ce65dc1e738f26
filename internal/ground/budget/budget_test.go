package budget

import (
	"errors"
	"strings"
	"testing"
)

// defaults of the operator.
var defaults = Limits{Run: 512 << 20, LeastResult: 64 << 10}

func TestOf(t *testing.T) {
	tests := map[string]struct {
		demand Demand
		limits Limits
		want   Budget
		// refused is in the message.
		refused string
	}{
		"a small run may fill every ConfigMap, and reserves no more than that": {
			demand: Demand{Trials: 3, Attempts: 1, Clients: 1, Loads: 1, Entries: 1, Fixed: 1000}, limits: defaults,
			want: Budget{Result: MostData, Bytes: 1000 + perRun + 3*(OfRecord(1, 0, 0)+PerLog) + perEntry + 4*(MostData+perObject)},
		},
		"a sweep of 720 trials with two clients shares its budget": {
			demand: Demand{Trials: 720, Attempts: 1, Clients: 2, Loads: 6, Entries: 72, Values: 1092, Cell: 100, Fixed: 20 << 10}, limits: defaults,
			want: Budget{Result: 319195, Bytes: 720*(OfRecord(2, 1092, 100)+PerLog) + 72*(perEntry+1092*perValue) + perRun + 20<<10 + 1446*(319195+perObject)},
		},
		"fourteen thousand results are too many": {
			demand: Demand{Trials: 7000, Attempts: 1, Clients: 2, Loads: 1, Entries: 500}, limits: defaults,
			refused: "7000 trials x 1 attempts x 2 clients + 1 loads = 14001 results of at least 64 KiB",
		},
		"attempts count": {
			demand: Demand{Trials: 1500, Attempts: 11, Clients: 1, Loads: 1}, limits: defaults,
			refused: "more than results.budget.run (512 MiB)",
		},
		"a limit that asks for more than a ConfigMap holds asks for all of it": {
			demand: Demand{Trials: 1, Attempts: 1, Clients: 1}, limits: Limits{Run: 10 << 20, LeastResult: 2 << 20},
			want: Budget{Result: MostData, Bytes: perRun + OfRecord(1, 0, 0) + PerLog + MostData + perObject},
		},
		"a plan that fills the budget alone": {
			demand: Demand{Trials: 1, Attempts: 1, Clients: 1, Fixed: 600 << 20}, limits: defaults, refused: "600.5 MiB of plan",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Of(tt.demand, tt.limits)
			var small *TooSmallError
			switch {
			case tt.refused == "" && err != nil:
				t.Fatalf("unexpected error: %v", err)
			case tt.refused != "" && (!errors.As(err, &small) || !strings.Contains(err.Error(), tt.refused)):
				t.Fatalf("error = %v, want one with %q", err, tt.refused)
			case got != tt.want:
				t.Errorf("got %+v, want %+v", got, tt.want)
			case tt.refused == "" && got.Bytes > tt.limits.Run:
				t.Errorf("%d bytes are more than the limit of %d", got.Bytes, tt.limits.Run)
			}
		})
	}
}

// The largest plan that the API allows is refused with the defaults, and must not overflow.
func TestTheLargestPlan(t *testing.T) {
	_, err := Of(Demand{Trials: 20000, Attempts: 11, Clients: 64, Loads: 8 * 64, Entries: 160000}, defaults)
	if err == nil || !strings.Contains(err.Error(), "14080512 results") {
		t.Errorf("got %v", err)
	}
}

// What README and operate.md say of the defaults: how many trials a run may have. With so many trials each record has as many
// values as three quarters of limits.resultMemory hold, at 64 bytes each.
func TestTrialsOfTheDefaults(t *testing.T) {
	for clients, trials := range map[int64]int64{1: 4500, 2: 2800} {
		for n, fits := range map[int64]bool{trials: true, trials * 11 / 10: false} {
			_, err := Of(Demand{Trials: n, Attempts: 1, Clients: clients, Loads: 2 * clients, Entries: 2, Values: 48 << 20 / 64 / n}, defaults)
			if (err == nil) != fits {
				t.Errorf("%d trials of %d clients: %v", n, clients, err)
			}
		}
	}
}

func TestText(t *testing.T) {
	for bytes, want := range map[int64]string{900: "900 bytes", 900 << 10: "900 KiB", 1536 << 10: "1.5 MiB", 1 << 30: "1 GiB", 0: "0 bytes"} {
		if got := Text(bytes); got != want {
			t.Errorf("%d: got %q, want %q", bytes, got, want)
		}
	}
}

// What operate.md says of the defaults: how far 720 trials with two clients go.
func TestRetriesOfASweep(t *testing.T) {
	for attempts, want := range map[int64]string{1: "311.8 KiB", 2: "132.2 KiB", 3: "72.2 KiB", 4: ""} {
		b, err := Of(Demand{Trials: 720, Attempts: attempts, Clients: 2, Loads: 6, Entries: 72, Values: 1092, Fixed: 20 << 10}, defaults)
		got := ""
		if err == nil {
			got = Text(b.Result)
		}
		if got != want {
			t.Errorf("%d attempts: %q, want %q", attempts, got, want)
		}
	}
}
