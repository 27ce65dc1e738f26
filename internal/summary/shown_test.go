package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"
)

// entriesOf each cell: a throughput and two latencies for each target.
func entriesOf(cells int, targets ...string) []v1alpha1.SummaryEntry {
	var out []v1alpha1.SummaryEntry
	for c := range cells {
		for _, target := range targets {
			for _, name := range names {
				out = append(out, v1alpha1.SummaryEntry{Cell: int32(c), Target: target, Name: name})
			}
		}
	}
	return out
}

// sweep.yaml: 36 cells and two targets have 72 entries of the throughput, and each is shown.
func TestSummaryOf72CellsLosesNone(t *testing.T) {
	all := entriesOf(36, "old", "new")
	got := Shown(all, names, MaxShown)
	if len(got) != 72 {
		t.Fatalf("%d entries, want the throughputs of 36 cells and 2 targets", len(got))
	}
	for i, e := range got {
		if want := (v1alpha1.SummaryEntry{Cell: int32(i / 2), Target: []string{"old", "new"}[i%2], Name: "throughput"}); !cmp.Equal(want, e) {
			t.Fatalf("entry %d is %+v, want %+v", i, e, want)
		}
	}
	st := &v1alpha1.ResultsStatus{SummaryConfigMapCount: 1, SummaryEntryCount: int32(len(all)), ShownEntryCount: int32(len(got))}
	want := "status.summary has 72 of 216 entries: 144 stand only in ConfigMap sweep-summary-0000, which has all of them"
	if got := Elsewhere("sweep", st); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShown(t *testing.T) {
	labelled := func(target, name string, operations ...string) (out []v1alpha1.SummaryEntry) {
		for _, o := range operations {
			e := v1alpha1.SummaryEntry{Target: target, Name: name}
			if o != "" {
				e.Labels = map[string]string{"operation": o}
			}
			out = append(out, e)
		}
		return out
	}
	var byOperation []v1alpha1.SummaryEntry
	for _, target := range []string{"a", "b"} {
		byOperation = append(byOperation, labelled(target, "throughput", "")...)
		byOperation = append(byOperation, labelled(target, "latency.avg", "", "read", "update")...)
	}
	tests := map[string]struct {
		all  []v1alpha1.SummaryEntry
		most int
		want []int // indexes of all
	}{
		"all fit": {entriesOf(1, "a", "b"), 6, []int{0, 1, 2, 3, 4, 5}},
		"a measurement for every target, or for none":                      {entriesOf(1, "a", "b"), 5, []int{0, 1, 3, 4}},
		"not even the main measurement fits: whole cells, not half of one": {entriesOf(3, "a", "b"), 5, []int{0, 3, 6, 9}},
		"labels in their order":                                            {byOperation, 6, []int{0, 1, 2, 4, 5, 6}},
		"one cell that has more than room":                                 {entriesOf(1, "a", "b", "c"), 2, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var want []v1alpha1.SummaryEntry
			for _, i := range tc.want {
				want = append(want, tc.all[i])
			}
			if diff := cmp.Diff(want, Shown(tc.all, names, tc.most)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestElsewhere(t *testing.T) {
	for want, st := range map[string]*v1alpha1.ResultsStatus{
		"": {SummaryConfigMapCount: 1, SummaryEntryCount: 6, ShownEntryCount: 6},
		"status.summary has 128 of 4100 entries: 3972 stand only in ConfigMaps r-summary-0000 to r-summary-0002, which have all of them": {
			SummaryConfigMapCount: 3, SummaryEntryCount: 4100, ShownEntryCount: 128,
		},
	} {
		if got := Elsewhere("r", st); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := Elsewhere("r", nil); got != "" {
		t.Errorf("without results: %q", got)
	}
}

func TestHeadline(t *testing.T) {
	tput := func(target, median string, n int32, change ...func(*v1alpha1.SummaryEntry)) v1alpha1.SummaryEntry {
		e := v1alpha1.SummaryEntry{Target: target, Name: "throughput", Unit: "tx/s", Median: median, TrialCount: n, PlannedTrialCount: 6}
		for _, f := range change {
			f(&e)
		}
		return e
	}
	inCell := func(c int32, p *plan.Plan) func(*v1alpha1.SummaryEntry) {
		return func(e *v1alpha1.SummaryEntry) { e.Cell, e.Parameters = c, p.Cells[c] }
	}
	limitedBy := func(kind v1alpha1.LimitKind, n int32) func(*v1alpha1.SummaryEntry) {
		return func(e *v1alpha1.SummaryEntry) { e.LimitedBy = []v1alpha1.LimitCount{{By: kind, TrialCount: n}} }
	}
	one, two, cells := planOf(6, 1, "db"), planOf(6, 1, "mariadb", "mysql"), planOf(6, 3, "mariadb", "mysql")
	many := planOf(6, 1, "a", "b", "c", "d", "e", "f", "g")
	var ofMany []v1alpha1.SummaryEntry
	for _, target := range many.Targets {
		ofMany = append(ofMany, tput(target, "10", 6))
	}
	tests := map[string]struct {
		p       *plan.Plan
		entries []v1alpha1.SummaryEntry
		want    string
	}{
		"nothing":                  {one, nil, ""},
		"one target":               {one, []v1alpha1.SummaryEntry{tput("db", "1027.8", 6)}, "db 1028 tx/s (n=6)"},
		"every target":             {two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 6), tput("mysql", "326.91", 6)}, "mariadb 585.3 | mysql 326.9 tx/s (n=6)"},
		"trials were left out":     {two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 4), tput("mysql", "326.91", 4)}, "mariadb 585.3 | mysql 326.9 tx/s (n=4 of 6)"},
		"numbers of trials differ": {two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 6), tput("mysql", "326.91", 4)}, "mariadb 585.3 (n=6) | mysql 326.9 (n=4 of 6) tx/s"},
		"a target without a number does not get another one's": {
			two, []v1alpha1.SummaryEntry{tput("mariadb", "", 0), tput("mysql", "326.91", 6)}, "mariadb - (n=0 of 6) | mysql 326.9 (n=6) tx/s",
		},
		"the first cell is named, and that there are others": {
			cells, []v1alpha1.SummaryEntry{
				tput("mariadb", "", 0, inCell(0, cells)), tput("mysql", "", 0, inCell(0, cells)),
				tput("mariadb", "3", 6, inCell(1, cells)), tput("mysql", "4", 6, inCell(1, cells)),
				tput("mariadb", "5", 6, inCell(2, cells)), tput("mysql", "6", 6, inCell(2, cells)),
			},
			"threads=2: mariadb - | mysql - tx/s (n=0 of 6; 1 of 3 cells)",
		},
		"more targets than a line bears": {many, ofMany, "a 10.00 | b 10.00 | c 10.00 | d 10.00 tx/s (n=6; and 3 more targets)"},
		"a limit of all": {
			two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 6, limitedBy("CPU", 6)), tput("mysql", "326.91", 6, limitedBy("CPU", 6))},
			"mariadb 585.3 | mysql 326.9 tx/s (n=6, CPU-limited)",
		},
		"a limit of one, in some trials": {
			two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 6), tput("mysql", "326.91", 6, limitedBy("Client", 2))},
			"mariadb 585.3 (n=6) | mysql 326.9 (n=6, client-limited in 2) tx/s",
		},
		"another measurement than the throughput is named, a percentile with its p": {
			one, []v1alpha1.SummaryEntry{
				{Target: "db", Name: "latency.percentile", Labels: map[string]string{"p": "95"}, Unit: "ms", Median: "0.00234567", TrialCount: 6, PlannedTrialCount: 6},
				{Target: "db", Name: "latency.percentile", Labels: map[string]string{"p": "99"}, Unit: "ms", Median: "3", TrialCount: 6, PlannedTrialCount: 6},
			},
			"latency.percentile p=95: db 0.002346 ms (n=6; 1 of 2 measurements)",
		},
		"zero is a number": {one, []v1alpha1.SummaryEntry{tput("db", "0", 6)}, "db 0 tx/s (n=6)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Headline(tc.p, names, tc.entries); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestHeadlineIsBounded(t *testing.T) {
	p := planOf(1, 2, strings.Repeat("x", 63), strings.Repeat("y", 63), strings.Repeat("z", 63), strings.Repeat("w", 63), "v")
	var entries []v1alpha1.SummaryEntry
	for i, target := range p.Targets {
		entries = append(entries, v1alpha1.SummaryEntry{
			Target: target, Name: "throughput", Labels: map[string]string{"driver": strings.Repeat("ü", 200)}, Unit: "ops/s", Median: "1e300", TrialCount: int32(i), PlannedTrialCount: 9,
		})
	}
	if got := Headline(p, names, entries); len([]rune(got)) > maxHeadline || !strings.HasSuffix(got, "...") {
		t.Errorf("%d characters: %s", len([]rune(got)), got)
	}
}

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{
		585.32: "585.3", 12345.6: "12346", 999.96: "1000.0", 0.5: "0.5000", -2.25: "-2.250", 0: "0", 1e-20: "1e-20",
	} {
		if got := figure(v); got != want {
			t.Errorf("figure(%v) = %q, want %q", v, got, want)
		}
	}
}
