package journal

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"
)

func record(index, attempt int32, state v1alpha1.TrialState, final bool, change ...func(*Record)) Record {
	r := Record{Final: final, TrialStatus: v1alpha1.TrialStatus{Index: index, Attempt: attempt, State: state, Target: "db"}}
	if state == v1alpha1.TrialSucceeded {
		r.Valid = new(true)
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func invalid(r *Record)   { r.Valid = new(false) }
func disturbed(r *Record) { r.Disturbed = true }

func TestPositionFollowsFromTheLastRecord(t *testing.T) {
	tests := map[string]struct {
		records Records
		want    Position
	}{
		"nothing was measured yet": {First(), Position{0, 0}},
		"after a trial that ended": {First().Add(record(0, 0, v1alpha1.TrialSucceeded, true)), Position{1, 0}},
		"after a failed one that is not tried again": {
			First().Add(record(0, 0, v1alpha1.TrialFailed, true)), Position{1, 0},
		},
		"after an attempt that is tried again": {First().Add(record(4, 1, v1alpha1.TrialFailed, false)), Position{4, 2}},
		"in a new part":                        {Records{Version: Version, Part: 1, Before: v1alpha1.Totals{Done: 100}}, Position{100, 0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.records.Position(); got != tt.want {
				t.Errorf("position %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTotalsCountEachTrialOnce(t *testing.T) {
	r := First().
		Add(record(0, 0, v1alpha1.TrialSucceeded, true)).
		Add(record(1, 0, v1alpha1.TrialFailed, false)).
		Add(record(1, 1, v1alpha1.TrialSucceeded, true, disturbed)).
		Add(record(2, 0, v1alpha1.TrialFailed, true)).
		Add(record(3, 0, v1alpha1.TrialSucceeded, true, invalid, disturbed))
	want := v1alpha1.Totals{Done: 4, Succeeded: 3, Failed: 1, Invalid: 1, Disturbed: 1, Retries: 1}
	if diff := cmp.Diff(want, r.Totals()); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, r.Next().Totals()); diff != "" {
		t.Errorf("the next part does not go on with them (-want +got):\n%s", diff)
	}
}

// A whole run of 20,000 trials: every part is far below the limit of a ConfigMap,
// and the last one tells how many trials there were.
func TestLongestRunFits(t *testing.T) {
	part := First()
	parts := 1
	for i := range int32(plan.MaxTrials) {
		if part.Full() {
			part = part.Next()
			parts++
		}
		part = part.Add(record(i, 0, v1alpha1.TrialSucceeded, true, func(r *Record) {
			for range 5 {
				r.Findings = append(r.Findings, v1alpha1.Finding{Check: "noise", Message: string(noise(300))})
			}
		}))
		if part.Full() {
			data, err := part.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 700<<10 {
				t.Fatalf("part %d has %d bytes", part.Part, len(data))
			}
		}
	}
	if got := part.Totals().Done; got != plan.MaxTrials || parts != plan.MaxTrials/PerPart {
		t.Errorf("%d trials in %d parts", got, parts)
	}
}

// noise does not compress well.
func noise(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(' ' + rand.N(90))
	}
	return out
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	want := First().Add(record(7, 1, v1alpha1.TrialFailed, true, func(r *Record) {
		r.Reason, r.Message = "ConnectionLost", "gone"
		r.Parameters = map[string]intstr.IntOrString{"threads": intstr.FromInt32(64), "test": intstr.FromString("oltp_read_only")}
		r.Findings = []v1alpha1.Finding{{Trial: new(int32(7)), Check: "c", Severity: "Warning", Message: "m"}}
	}))
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRecords(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlanComesBackAsItWas(t *testing.T) {
	want := &plan.Plan{
		Seed: 7, Order: v1alpha1.OrderABBA, Targets: []string{"a", "b"},
		Cells: []plan.Cell{{"threads": intstr.FromInt32(1)}, {"threads": intstr.FromInt32(2)}},
	}
	for i := range int32(12345) {
		want.Trials = append(want.Trials, plan.Trial{Index: i, Block: i / 4, Cell: i / 2 % 2, Target: i % 2, Reset: i%3 == 0})
	}
	parts, err := SplitPlan(want)
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) != 3 {
		t.Errorf("%d parts, want 3", len(parts))
	}
	got, err := JoinPlan(parts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := JoinPlan(parts[:2]); err == nil {
		t.Error("a plan without its last part was taken for whole")
	}
	if _, err := JoinPlan([][]byte{parts[1], parts[0], parts[2]}); err == nil {
		t.Error("parts in the wrong order were taken")
	}
}

func TestForeignPartsAreRefused(t *testing.T) {
	other, err := encode(map[string]any{"version": "assay.dev/journal/v9", "part": 0, "before": v1alpha1.Totals{}, "records": nil})
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := encode(map[string]any{"version": Version, "colour": "red"})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"another version": other, "an unknown field": unknown, "no gzip": []byte("x"), "nothing": nil} {
		if _, err := DecodeRecords(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDecodeRecords(f *testing.F) {
	good, err := First().Add(record(0, 0, v1alpha1.TrialSucceeded, true)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeRecords(data)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := DecodeRecords(again); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
