package journal

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

func record(index, attempt int32, state contract.State, final bool, change ...func(*contract.Record)) contract.Record {
	r := contract.Record{Final: final, Index: index, Attempt: attempt, State: state, Target: "db"}
	if state == contract.Succeeded {
		r.Valid = new(true)
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func invalid(r *contract.Record)   { r.Valid = new(false) }
func disturbed(r *contract.Record) { r.Disturbed = true }

func TestPositionFollowsFromTheLastRecord(t *testing.T) {
	tests := map[string]struct {
		records Records
		want    Position
	}{
		"nothing was measured yet": {Records{}, Position{Index: 0}},
		"after a trial that ended": {Records{}.Add(record(0, 0, contract.Succeeded, true)), Position{Index: 1}},
		"after a failed one that is not tried again": {
			Records{}.Add(record(0, 0, contract.Failed, true)), Position{Index: 1},
		},
		"after an attempt that is tried again": {Records{}.Add(record(4, 1, contract.Failed, false)), Position{Index: 4, Attempt: 2}},
		"in a new part":                        {Records{}.Add(record(99, 0, contract.Succeeded, true)).Next(), Position{Index: 100}},
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
	r := Records{}.
		Add(record(0, 0, contract.Succeeded, true)).
		Add(record(1, 0, contract.Failed, false)).
		Add(record(1, 1, contract.Succeeded, true, disturbed)).
		Add(record(2, 0, contract.Failed, true)).
		Add(record(3, 0, contract.Succeeded, true, invalid, disturbed))
	want := contract.Totals{Done: 4, Succeeded: 3, Failed: 1, Invalid: 1, Disturbed: 1, Retries: 1}
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
	part := Records{}
	parts := 1
	for i := range int32(plan.MaxTrials) {
		if part.Full() {
			part = part.Next()
			parts++
		}
		part = part.Add(record(i, 0, contract.Succeeded, true, func(r *contract.Record) {
			for range 5 {
				r.Findings = append(r.Findings, contract.RecordedFinding{Check: "noise", Message: string(noise(300))})
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
	want := Records{}.Add(record(7, 1, contract.Failed, true, func(r *contract.Record) {
		r.Reason, r.Message = "ConnectionLost", "gone"
		r.Parameters = map[string]contract.Scalar{"threads": {Int: 64, IsInt: true}, "test": {Text: "oltp_read_only"}}
		r.Findings = []contract.RecordedFinding{{Client: new(int32(1)), Check: "c", Severity: "Warning", Message: "m"}}
	}))
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRecords(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Records{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The circumstances of thousands of trials are one text in memory.
func TestFactsAreKeptOnce(t *testing.T) {
	facts := func(r *contract.Record) { r.Facts = contract.NewFacts(map[string]string{"log_bin": "ON", "b": ""}) }
	data, err := Records{}.Add(record(0, 0, contract.Succeeded, true, facts)).Add(record(1, 0, contract.Succeeded, true, facts)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRecords(data)
	if err != nil {
		t.Fatal(err)
	}
	a, b := string(got.Records[0].Facts), string(got.Records[1].Facts)
	if a != "log_bin=ON" || unsafe.StringData(a) != unsafe.StringData(b) {
		t.Errorf("facts %q and %q, at %p and %p", a, b, unsafe.StringData(a), unsafe.StringData(b))
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
	foreign, err := encode(map[string]any{"version": "example.org/x", "part": 0})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"another format": foreign, "no gzip": []byte("x"), "nothing": nil} {
		_, err := DecodeRecords(data)
		if newer := new(TooNewError); err == nil || errors.As(err, &newer) {
			t.Errorf("%s: %v, want that it is no journal", name, err)
		}
	}
}

// What only a newer manager may go on with is told from what nobody can read: the run waits.
func TestPartsForANewerReader(t *testing.T) {
	tests := map[string]map[string]any{
		"a reader that is not out yet":                  {"version": contract.JournalVersion, "minReader": contract.JournalReader + 1},
		"another version, of a shape that is not known": {"version": "assay.dev/journal/v9", "records": "elsewhere"},
	}
	for name, part := range tests {
		data, err := encode(part)
		if err != nil {
			t.Fatal(err)
		}
		newer := new(TooNewError)
		if _, err := DecodeRecords(data); !errors.As(err, &newer) || !strings.Contains(err.Error(), "upgrade the manager") {
			t.Errorf("records, %s: %v", name, err)
		}
		if _, err := JoinPlan([][]byte{data}); !errors.As(err, &newer) {
			t.Errorf("plan, %s: %v", name, err)
		}
	}
	// A field of the plan may change what is measured, whatever reader it names.
	data, err := encode(map[string]any{"version": contract.JournalVersion, "part": 0, "parts": 1, "pauses": []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	newer := new(TooNewError)
	if _, err := JoinPlan([][]byte{data}); !errors.As(err, &newer) {
		t.Errorf("a plan with a field that is not known: %v", err)
	}
}

// A manager that is rolled back writes on in the part of a newer one, and loses nothing of it.
func TestRewritingKeepsWhatIsNotKnown(t *testing.T) {
	theirs := `{"version":"assay.dev/journal/v1","minReader":1,"colour":"red","part":3,"before":{"done":7,"skipped":2},` +
		`"records":[{"index":7,"attempt":0,"target":"db","state":"Succeeded","final":true,"weather":{"rain":[1,2]},"findings":[{"check":"c","severity":"Note","message":"m","links":["x"]}]}]}`
	data, err := encode(json.RawMessage(theirs))
	if err != nil {
		t.Fatal(err)
	}
	read, err := DecodeRecords(data)
	if err != nil {
		t.Fatal(err)
	}
	if at := read.Position(); at != (Position{Index: 8}) {
		t.Fatalf("position %+v, want trial 8", at)
	}
	ours := read.Add(record(8, 0, contract.Succeeded, true))
	if data, err = ours.Encode(); err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	unpack(t, data, &got)
	if err := json.Unmarshal([]byte(theirs), &want); err != nil {
		t.Fatal(err)
	}
	records := got["records"].([]any)
	if len(records) != 2 {
		t.Fatalf("%d records, want 2", len(records))
	}
	got["records"] = records[:1]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was there (-want +got):\n%s", diff)
	}
	again, err := DecodeRecords(data)
	if err != nil || again.Records[1].Index != 8 {
		t.Errorf("the record that was added reads back as %+v, %v", again.Records, err)
	}
}

func unpack(t *testing.T, gz []byte, into any) {
	t.Helper()
	plain, err := gunzip(gz)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, into); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecodeRecords(f *testing.F) {
	good, err := Records{}.Add(record(0, 0, contract.Succeeded, true)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	skips, err := BeginChain("plan").Add(record(2, 1, contract.Failed, true, decided(contract.Decision{Next: new(int32(9)), Rate: 7}))).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(skips)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeRecords(data)
		if err != nil {
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := DecodeRecords(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(r.Records, back.Records); diff != "" {
			t.Fatalf("rewriting changed the records (-want +got):\n%s", diff)
		}
		if r.Position() != back.Position() {
			t.Fatalf("rewriting changed what follows: %+v, then %+v", r.Position(), back.Position())
		}
	})
}
