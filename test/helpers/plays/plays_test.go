package plays

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
)

// figures of a run, as a program keeps them.
type figures struct {
	Case  string    `json:"case"`
	Play  int       `json:"play"`
	Date  time.Time `json:"date"`
	Ratio float64   `json:"ratio,omitempty"`
}

func TestFiguresAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.json")
	none, err := Load[figures](file)
	if err != nil || none != nil {
		t.Fatalf("before the first play: %v, %v", none, err)
	}
	want := []figures{{Case: "a", Play: 1, Date: time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC), Ratio: 1.5}, {Case: "b", Play: 1}}
	if err := Save(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := Load[figures](file)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Two looks two seconds apart, between which the machine worked for one second and a half.
func TestBusyBetween(t *testing.T) {
	at := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	before, after := contract.Usage{At: at, NodeCPUSeconds: new(10.0)}, contract.Usage{At: at.Add(2 * time.Second), NodeCPUSeconds: new(11.5)}
	if got, err := busyBetween(before, after); err != nil || got != 0.75 {
		t.Errorf("%v, %v, want 0.75 CPUs", got, err)
	}
	if _, err := busyBetween(contract.Usage{At: at}, after); err == nil {
		t.Error("a machine that tells nothing is quiet")
	}
}

// Whoever ends the play is heard at once, and a busy machine says what it allows.
func TestQuiet(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := quiet(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if text := (&BusyError{1.25}).Error(); !strings.Contains(text, "1.25 CPUs are busy") || !strings.Contains(text, "0.50 is what a cluster takes") {
		t.Error(text)
	}
}

// The results of a run are in its bundle, and can be read while something is done with the run.
func TestResultsAreReadWithTheRun(t *testing.T) {
	const path = "../../../docs/evidence/demo.assay.tar"
	n := 0
	err := With(t.Context(), path, "demo", func(run *stored.Run) error {
		for _, rec := range run.Records {
			for _, err := range run.Results(t.Context(), rec) {
				if err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d results, %v", n, err)
	}
	if err := With(t.Context(), path, "other", func(*stored.Run) error { return nil }); err == nil || !strings.Contains(err.Error(), "has the run demo, not other") {
		t.Errorf("%v", err)
	}
}
