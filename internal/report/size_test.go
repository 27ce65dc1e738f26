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
	m := twoServers(50)
	m.axis = "threads"
	for n := range int32(100) {
		m.values = append(m.values, fromInt(n+1))
	}
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
