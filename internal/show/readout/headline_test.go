package readout

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// names of measurements of a tool.
var names = []string{"throughput", "latency.avg", "latency.percentile"}

func planOf(blocks, cells int, targets ...string) *plan.Plan {
	p := &plan.Plan{Targets: targets, Axes: []string{"threads"}}
	for c := range cells {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(1 << (c + 1))})
	}
	if cells == 1 {
		p.Axes, p.Cells = nil, []plan.Cell{{}}
	}
	for b := range blocks {
		for c := range cells {
			for t := range targets {
				p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: int32(b), Cell: int32(c), Target: int32(t)})
			}
		}
	}
	return p
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
		"one target":               {one, []v1alpha1.SummaryEntry{tput("db", "1027.8", 6)}, "db 1,028 tx/s (n=6)"},
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
		"more targets than a line bears": {many, ofMany, "a 10 | b 10 | c 10 | d 10 tx/s (n=6; and 3 more targets)"},
		"a limit of all": {
			two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 6, limitedBy("CPU", 6)), tput("mysql", "326.91", 6, limitedBy("CPU", 6))},
			"mariadb 585.3 | mysql 326.9 tx/s (n=6, CPU limit)",
		},
		"a limit of one, in some trials": {
			two, []v1alpha1.SummaryEntry{tput("mariadb", "585.32", 6), tput("mysql", "326.91", 6, limitedBy("Client", 2))},
			"mariadb 585.3 (n=6) | mysql 326.9 (n=6, client limit in 2) tx/s",
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
	if got := Headline(p, names, entries); len(got) > maxHeadline {
		t.Errorf("%d characters: %s", len([]rune(got)), got)
	}
}
