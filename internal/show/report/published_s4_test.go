package report

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// tencentAsPrinted are the sentences of the source of S4: by test the threads of the figure, what the new network has more there in
// percent, and the threads of the peak or the knee.
func tencentAsPrinted(t *testing.T) (threads, more map[string]string, peak, knee map[string]float64) {
	t.Helper()
	text := sourceText(t, "tencent.md")
	write := found(t, text, `在只写场景下.*线程数为(\d+)时达到最高 QPS.*线程数为(\d+)时，新架构特性 QPS 值高于原有架构 QPS 的(\d+)%`)
	read := found(t, text, `在只读场景下.*线程数达到(\d+)以后 QPS 上升平缓.*线程数为(\d+)时，高于原有架构 QPS 的(\d+)%`)
	mixed := found(t, text, `在混合读写场景下.*线程数达到(\d+)之后，整体 QPS 平缓下降。此时，新架构 QPS 达到最高，高于原有架构的(\d+)%`)
	threads = map[string]string{"oltp_write_only": write[1], "oltp_read_only": read[1], "oltp_read_write": mixed[0]}
	more = map[string]string{"oltp_write_only": write[2], "oltp_read_only": read[2], "oltp_read_write": mixed[1]}
	peak = map[string]float64{"oltp_write_only": numberIn(t, write[0]), "oltp_read_write": numberIn(t, mixed[0])}
	return threads, more, peak, map[string]float64{"oltp_read_only": numberIn(t, read[0])}
}

const s4Shares = "queries, %: as published"

// measuredAs has S4 measured, where the new network has 1.14 of the old one in each published cell, with a baseline.
func measuredAs(t *testing.T, in Input, baseline string) Input {
	t.Helper()
	in.Entries, in.Comparisons = nil, nil
	threads, _, _, _ := tencentAsPrinted(t)
	for _, test := range slices.Sorted(maps.Keys(threads)) {
		at := map[string]intstr.IntOrString{"test": intstr.FromString(test), "threads": intstr.Parse(threads[test]), "skipTrx": intstr.FromString(strconv.FormatBool(test == "oltp_read_only"))}
		for target, other := range map[string]string{"old": "new", "new": "old"} {
			in.Entries = append(in.Entries, v1alpha1.SummaryEntry{Name: contract.NameQueries, Unit: "queries/s", Direction: string(contract.HigherIsBetter), Target: target, Median: "1000",
				Parameters: at, TrialCount: 12, PlannedTrialCount: 12})
			if other == baseline {
				in.Comparisons = append(in.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "target", Value: target, Baseline: baseline, Parameters: at,
					Name: contract.NameQueries, Direction: string(contract.HigherIsBetter), Verdict: v1alpha1.VerdictFaster, Ratio: "1.14"})
			}
		}
	}
	return in
}

// S4 at full size: the figures of its text, each of a cell that the run measures, and below each the share that this run has measured.
func TestS4AtFullSizeJoins(t *testing.T) {
	in := publishedIn(t, fullSamples+"s4-sweep/full.yaml")
	threads, more, peak, knee := tencentAsPrinted(t)
	want := map[string]float64{}
	for test, v := range peak {
		want[quotedKey("run", "sweep.peak", "threads", map[string]string{"test": test, "target": "new"})] = v
	}
	for test, v := range knee {
		want[quotedKey("run", "sweep.knee", "threads", map[string]string{"test": test, "target": "new"})] = v
	}
	for test := range threads {
		cell := map[string]string{"test": test, "threads": threads[test], "skipTrx": strconv.FormatBool(test == "oltp_read_only")}
		if excluded(in.Run.Spec, cell) {
			t.Errorf("the run does not measure %v", cell)
		}
		for target, v := range map[string]float64{"old": 100, "new": 100 + numberIn(t, more[test])} {
			cell["target"] = target
			want[quotedKey("run", "queries", "%", cell)] = v
		}
	}
	if diff := cmp.Diff(want, quotedBy(t, in, "published")); diff != "" || len(want) != 9 {
		t.Errorf("%d (-printed +quoted):\n%s", len(want), diff)
	}
	in = measuredAs(t, in, in.Run.Spec.Analysis.Comparisons[0].Baseline.String())
	for _, share := range []string{"120", "122", "118"} {
		if got := belowOf(t, in, s4Shares, share); !slices.Equal(got, []string{"here 114 %"}) {
			t.Errorf("%s has %q below it", share, got)
		}
	}
}

// A share joins only where what is 100 % of the publication is the baseline here: with the other network as the baseline, or of a change
// in percent, the run has another number.
func TestAShareOfAnotherBaselineHasNothingBelowIt(t *testing.T) {
	in := measuredAs(t, publishedIn(t, fullSamples+"s4-sweep/full.yaml"), "new")
	tables, _ := tablesOf(sectionOf(t, in, "quoted"), s4Shares)
	shares := 0
	for _, one := range tables {
		for _, row := range one.Rows {
			for _, c := range row[1:] {
				if shares++; len(c.Below) > 0 {
					t.Errorf("the old network is compared with the new one: %s has %q below it", c.Text, c.Below)
				}
			}
		}
	}
	if shares < 6 {
		t.Errorf("got %d cells of shares, want 6", shares)
	}
	in = measuredAs(t, in, "old")
	in.Quoted[0].Phases[0].Measurements = quoted.Table([]byte(`
measurement: queries
unit: %
direction: HigherIsBetter
rows: test, skipTrx, threads
columns: target

| test | skipTrx | threads | new |
| --- | --- | ---: | ---: |
| oltp_write_only | false | 512 | +20 |
| oltp_read_only | true | 16 | +22 |
`)).Measurements
	for _, change := range []string{"20", "22"} {
		if got := belowOf(t, in, s4Shares, change); len(got) > 0 {
			t.Errorf("+%s %% is a change: it has %q below it", change, got)
		}
	}
}

// excluded says whether a cell is none of the run: a value that its axis has not, or an exclusion.
func excluded(spec v1alpha1.BenchmarkRunSpec, cell map[string]string) bool {
	for _, axis := range spec.Matrix {
		if !slices.ContainsFunc(axis.Values, func(v intstr.IntOrString) bool { return v.String() == cell[axis.Name] }) {
			return true
		}
	}
	return slices.ContainsFunc(spec.Exclude, func(e v1alpha1.Exclusion) bool {
		for name, v := range e {
			if cell[name] != v.String() {
				return false
			}
		}
		return true
	})
}
