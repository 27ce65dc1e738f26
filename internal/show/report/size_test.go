package report

import (
	"io"
	"strings"
	"testing"
)

// Bounds of the page of a large run: bytes of the page, trials.
const mostBytes, manyTrials = 5 << 20, 10_000

// large is a run of 10,000 trials in 100 cells.
func large() made {
	var threads []int32
	for n := range int32(100) {
		threads = append(threads, n+1)
	}
	m := twoServers(50, threads...)
	m.loads = nil // no knee: its interval takes seconds, and the summary has it
	return m
}

func TestThePageOfManyTrialsIsSmallAndSaysWhatItLeavesOut(t *testing.T) {
	in := large().input(t)
	if len(in.Records) != manyTrials {
		t.Fatalf("got %d trials, want %d", len(in.Records), manyTrials)
	}
	page := pageOf(t, in)
	if len(page) > mostBytes {
		t.Errorf("the page has %d bytes, want at most %d", len(page), mostBytes)
	}
	if !strings.Contains(page, "Points are thinned: ") || !strings.Contains(page, " of 10,000 values are drawn.") {
		t.Error("the page does not say that it leaves points out")
	}
}

func BenchmarkReportOfManyTrials(b *testing.B) {
	in := large().input(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

// Points that are left out are those between others: the smallest and the largest value are always drawn.
func TestThinnedPointsKeepTheRange(t *testing.T) {
	var all []trial
	for i := range 1000 {
		all = append(all, trial{index: int32(i), value: float64((i * 7919) % 1000)})
	}
	got := dots(all, "tx/s", 50)
	if len(got) != 50 || got[0].Y != 0 || got[49].Y != 999 {
		t.Fatalf("got %d points from %v to %v, want 50 from 0 to 999", len(got), got[0].Y, got[len(got)-1].Y)
	}
	if all := dots(all[:50], "tx/s", 50); len(all) != 50 || all[3].Y != 757 {
		t.Errorf("50 points are not drawn as they are: %+v", all[:4])
	}
}
