package report

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// holes are so many numbers, each at a place of its own: two in the same row at most, and each in a column of its own.
func holes(n int) (entries []v1alpha1.SummaryEntry, measured []contract.Measurement) {
	for i := range n {
		labels := map[string]string{"x": itoa(i), "y": "of " + itoa(i%(2*n/3-1))}
		entries = append(entries, v1alpha1.SummaryEntry{Target: "mysql", Name: contract.NameThroughput, Unit: "tx/s", Direction: string(contract.HigherIsBetter),
			Labels: labels, Median: itoa(i + 1), TrialCount: 1, PlannedTrialCount: 1})
		measured = append(measured, contract.Measurement{Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Labels: labels, Value: new(float64(i + 1))})
	}
	return entries, measured
}

// allocated bytes of a page.
func allocated(t *testing.T, in Input) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Write(io.Discard, in); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A table has no more cells than the page shows, whatever labels the numbers have: not rows times columns.
func TestATableOfHolesIsBounded(t *testing.T) {
	const n, most = 2400, 200 << 20 // the whole product has 3.8 million cells
	entries, measured := holes(n)
	plain := twoServers(6).input(t)
	plain.Result = nil
	many := plain
	many.Entries = entries
	other := plain
	other.Quoted = []quoted.Numbers{{Target: "theirs", Source: "a paper", Format: quoted.FormatTable, Phases: []quoted.Phase{{Phase: contract.KeyQuotedRun, Measurements: measured}}}}
	both := other
	both.Entries = entries
	for name, in := range map[string]Input{"measured": many, "published": other, "both": both} {
		if got := allocated(t, in); got > most {
			t.Errorf("%s: the page of %d numbers took %d MiB, want at most %d", name, n, got>>20, most>>20)
		}
		if page := pageOf(t, in); len(page) > mostBytes || !strings.Contains(page, "(the first 500 of 2400 rows") {
			t.Errorf("%s: the page has %d bytes, or does not say that its table ends", name, len(page))
		}
	}
}

// Where the numbers of a table are few, holes stay: each series is a column.
func TestASmallTableKeepsItsColumns(t *testing.T) {
	in := twoServers(6, 1, 2, 4, 8, 16, 32, 64).input(t)
	m := measurements(in.Entries)[0]
	l := layOut(m.entries, v1alpha1.FactorTarget)
	all := l.place(m.entries)
	if got := medians(m, l, "", all, ratiosOf(in)); len(got.Head) != 3 || len(got.Rows) != 7 {
		t.Errorf("got %d columns and %d rows, want 3 and 7", len(got.Head), len(got.Rows))
	}
}

// Histograms without common buckets are merged until they are long, and the picture says of how many trials it is.
func TestMergedHistogramsAreBounded(t *testing.T) {
	s := &detail{histograms: map[string]contract.Histogram{}}
	const each = maxBuckets * 3 / 5
	for trial := range 4 {
		h := &contract.Histogram{Unit: "ms"}
		for i := range each {
			h.Buckets = append(h.Buckets, contract.Bucket{Value: float64(4*i + trial), Count: 1})
		}
		s.merge(contract.Result{Measurements: []contract.Measurement{{Name: contract.NameLatencyAvg, Histogram: h}}})
	}
	if n := len(s.histograms[""].Buckets); n != 2*each || s.merged != 2 {
		t.Errorf("%d buckets of %d trials, want %d of 2", n, s.merged, 2*each)
	}
}

// Many clients and targets leave fewer cells, and the page says so.
func TestResultsOfManyClientsAreBounded(t *testing.T) {
	for clients, want := range map[int32]int{1: 64, 4: 16, 16: 4, 32: 2, 64: 2} {
		in := twoServers(20, 1, 2, 4, 8, 16).input(t)
		in.Run.Spec.Clients.Count = clients
		n := 0
		in.Result = func(rec contract.Record) (contract.Result, bool, error) {
			n++
			return resultOf(rec), true, nil
		}
		all, err := detailsOf(in, trialsOf(in))
		if err != nil || n != want || all.left != 5-len(all.cells) {
			t.Errorf("%d clients: %d trials of %d cells, and %d more cells; want %d trials (%v)", clients, n, len(all.cells), all.left, want, err)
		}
	}
}
