package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
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

// published/s4-sweep: 36 cells and two targets have 72 entries of the throughput, and each is shown.
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
	tenants := []v1alpha1.SummaryEntry{
		{Target: "a", Name: "throughput"}, {Target: "a", Name: "throughput", Labels: map[string]string{"tenant": "1"}},
		{Target: "a", Name: "throughput", Labels: map[string]string{"load": "background"}}, {Target: "a", Name: "latency.avg"},
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
		"those of all tenants before those of each":                        {tenants, 2, []int{0, 3}},
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
