package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/cli/design"
)

// numbers of a manifest: its cells, those that cannot be had here, those that a stand-in is played for, and those that are played.
type numbers struct{ cells, gone, standIns, played int }

// Each cell of each published manifest is played by one piece and once, or says why it cannot be had.
func TestEachCellIsPlayedOnce(t *testing.T) {
	want := map[string]numbers{
		// 3 operations by 6 schemes, in 2 transactions and with 3 numbers of rows, and 3 selects: by 4 drivers, which others stand in for.
		"s0-dotnet":     {444, 0, 444, 444},
		"s1-ycsb":       {4, 2, 2, 2},
		"s1-ycsb-load":  {4, 2, 2, 2},
		"s1-ycsb-azure": {1, 1, 0, 0},
		"s2-python":     {7 * 2 * 21, 0, 7 * 21, 7 * 2 * 21},
		"s2-suite":      {1, 1, 0, 0},
		"s3-node":       {3 * 11, 0, 3 * 11, 3 * 11},
		"s4-sweep":      {2 * 36, 0, 2 * 36, 2 * 36},
		"s4-latency":    {4 * 2, 0, 4 * 2, 4 * 2},
	}
	got := map[string]numbers{}
	for name, f := range fulls(t) {
		n := numbers{cells: len(f.cells)}
		times := map[string]int{}
		for _, p := range f.pieces {
			for _, place := range p.places {
				times[key(place.labels())]++
			}
		}
		seen := map[string]bool{}
		for _, c := range f.cells {
			if seen[key(c.labels)] {
				t.Errorf("%s: two cells are %s", name, key(c.labels))
			}
			seen[key(c.labels)] = true
			if c.why != "" {
				n.gone++
			}
			if c.by != "" {
				n.standIns++
			}
			if c.played == nil {
				if c.why == "" {
					t.Errorf("%s: %s is not played, without a reason", name, key(c.labels))
				}
				continue
			}
			n.played++
			if times[key(c.played)] != 1 {
				t.Errorf("%s: %s is played %d times", name, key(c.played), times[key(c.played)])
			}
			delete(times, key(c.played))
		}
		for place := range times {
			t.Errorf("%s: %s is played, and no cell", name, place)
		}
		got[name] = n
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(numbers{})); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

// Each piece is one that the API server and the manager accept, as `kubectl assay plan` says, with as many trials as it has places to be.
func TestPiecesArePlanned(t *testing.T) {
	names := map[string]bool{}
	for _, f := range fulls(t) {
		for _, p := range f.pieces {
			if names[p.name] {
				t.Errorf("two pieces are called %s", p.name)
			}
			names[p.name] = true
			text, err := p.manifest()
			if err != nil {
				t.Fatal(err)
			}
			plan := design.NewPlan()
			var out bytes.Buffer
			plan.SetIn(strings.NewReader(text))
			plan.SetOut(&out)
			plan.SetErr(&out)
			plan.SetArgs([]string{"-f", "-"})
			if err := plan.Execute(); err != nil {
				t.Errorf("%s: %v\n%s", p.name, err, text)
			}
			if len(p.places) == 0 || p.takes > mostOfPiece {
				t.Errorf("%s has %d places, and takes %s", p.name, len(p.places), p.takes)
			}
		}
	}
	if len(names) == 0 {
		t.Error("there are no pieces")
	}
}

// Each number of threads of the sweep is played on each server, up to 3,000, with memory for all of them: about 2 MiB each in the server.
func TestTheSweepReachesItsMostThreads(t *testing.T) {
	most := map[string]string{}
	for _, p := range fulls(t)["s4-sweep"].pieces {
		if len(p.spec.Targets) != 1 {
			t.Errorf("%s has %d servers, and each has a replica: there are two nodes", p.name, len(p.spec.Targets))
		}
		for _, place := range p.places {
			if labels := place.labels(); labels["threads"] == "3000" {
				most[labels["target"]+" "+labels["test"]] = p.spec.Targets[0].Shape.Inline.Memory.String()
			}
		}
	}
	want := map[string]string{}
	for _, target := range []string{"old", "new"} {
		for _, test := range []string{"oltp_write_only", "oltp_read_only", "oltp_read_write"} {
			want[target+" "+test] = "7024Mi"
		}
	}
	if diff := cmp.Diff(want, most); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
