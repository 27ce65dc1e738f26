package plays

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
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

func TestWindow(t *testing.T) {
	at := func(seconds int) *time.Time {
		at := time.Date(2026, 11, 26, 0, 0, seconds, 0, time.UTC)
		return &at
	}
	got := Window([]contract.Record{{WindowStartTime: at(7), WindowEndTime: at(9)}, {}, {WindowStartTime: at(2), WindowEndTime: at(4)}})
	if got != 7*time.Second {
		t.Errorf("window %s, want 7s", got)
	}
	if none := Window([]contract.Record{{}}); none != 0 {
		t.Errorf("window %s of a run without one", none)
	}
}
