package history

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

var start = time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC)

// past is an entry that ended n hours after the start.
func past(n, series int) contract.PastRun {
	run := contract.PastRun{
		Name: fmt.Sprint("run-", n), UID: fmt.Sprint("uid-", n), CompletionTime: start.Add(time.Duration(n) * time.Hour), Outcome: "Succeeded",
		Environment: []contract.PastEnvironment{{Target: "db", Facts: contract.NewFacts(map[string]string{"server/version": "10.11", "kernel": "6.1"})}},
	}
	random := rand.New(rand.NewPCG(uint64(n), 1)) //nolint:gosec // numbers for a test
	for i := range series {
		v := random.Float64()
		run.Series = append(run.Series, contract.PastSeries{Target: "db", Name: fmt.Sprint("m", i), Unit: "ms", Values: []*float64{&v, nil, &v}})
	}
	return run
}

func TestHistoryIsKept(t *testing.T) {
	h := contract.History{ScheduleUID: "s"}
	for _, n := range []int{3, 1, 2, 3} {
		h = Add(h, past(n, 2))
	}
	data, written, err := Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := contract.History{ScheduleUID: "s", Runs: []contract.PastRun{past(1, 2), past(2, 2), past(3, 2)}}
	for what, h := range map[string]contract.History{"written": written, "read": got} {
		if diff := cmp.Diff(want, h); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	again, _, err := Encode(got)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%v: equal histories have other bytes", err)
	}
}

// A full history drops the oldest runs, says so, and does not take them again.
func TestAFullHistory(t *testing.T) {
	h := contract.History{}
	for n := range 120 {
		h = Add(h, past(n, 512))
		if n%40 != 39 {
			continue
		}
		var data []byte
		var err error
		if data, h, err = Encode(h); err != nil || len(data) > MaxBytes {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
	}
	first, last := h.Runs[0], h.Runs[len(h.Runs)-1]
	if len(h.Runs)+int(h.DroppedRuns) != 120 || last.Name != "run-119" || len(h.Runs) < 20 {
		t.Errorf("%d runs, %d dropped, the last is %s", len(h.Runs), h.DroppedRuns, last.Name)
	}
	if !h.DroppedUntil.Equal(first.CompletionTime.Add(-time.Hour)) {
		t.Errorf("dropped until %s, the first is of %s", h.DroppedUntil, first.CompletionTime)
	}
	if got := Add(h, past(3, 1)); len(got.Runs) != len(h.Runs) || !Has(h, "uid-3", past(3, 0).CompletionTime.Unix()) {
		t.Error("a run that was dropped is taken again")
	}
	if len(last.Series) != 512 || last.SeriesLeftOut != 0 {
		t.Errorf("the last run has %d series, and left %d out", len(last.Series), last.SeriesLeftOut)
	}
}

func TestARunThatFillsTheHistoryAlone(t *testing.T) {
	run := past(1, 512)
	for i := range run.Series {
		run.Series[i].Values, run.Series[i].Labels = nil, map[string]string{"a": fmt.Sprint(rand.Perm(200))} //nolint:gosec // likewise
		for range 100 {
			v := rand.Float64() //nolint:gosec // numbers for a test
			run.Series[i].Values = append(run.Series[i].Values, &v)
		}
	}
	data, h, err := Encode(Add(Add(contract.History{}, past(0, 1)), run))
	if err != nil || len(data) > MaxBytes || len(h.Runs) != 1 {
		t.Fatalf("%d bytes, %d runs, %v", len(data), len(h.Runs), err)
	}
	if n := len(h.Runs[0].Series); n < 128 || n+int(h.Runs[0].SeriesLeftOut) != 512 {
		t.Errorf("%d series, %d left out", n, h.Runs[0].SeriesLeftOut)
	}
}

// What compresses well is bounded by the memory that it takes: what is written can be read again.
func TestAHistoryOfEqualValues(t *testing.T) {
	h := contract.History{}
	for n := range 120 {
		run, one := past(n, 512), 1.0
		for i := range run.Series {
			run.Series[i].Values, run.Series[i].Labels = []*float64{&one}, map[string]string{"a": "b"}
		}
		h = Add(h, run)
	}
	data, h, err := Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(data); err != nil || len(h.Runs) < 50 || len(h.Runs)+int(h.DroppedRuns) != 120 || h.DroppedRuns == 0 {
		t.Errorf("%d bytes, %d runs, %d dropped: %v", len(data), len(h.Runs), h.DroppedRuns, err)
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWhatIsNoHistory(t *testing.T) {
	tests := map[string]struct {
		data  []byte
		want  string
		newer bool
	}{
		"nothing":         {nil, "EOF", false},
		"no gzip":         {[]byte("rubbish"), "unexpected EOF", false},
		"no JSON":         {zipped(t, "rubbish"), "invalid character", false},
		"another version": {zipped(t, `{"version": "assay.dev/history/v2", "runs": 7}`), "a newer Assay", true},
		"no object":       {zipped(t, `[]`), "no object", false},
		"no list":         {zipped(t, `{"version": "assay.dev/history/v1", "runs": 7}`), "no list", false},
		"half of one":     {zipped(t, `{"version": "assay.dev/history/v1", "runs": [`), "EOF", false},
		"two":             {zipped(t, `{"version": "assay.dev/history/v1"} {}`), "something follows it", false},
		"another thing":   {zipped(t, `{"version": "assay.dev/journal/v1"}`), "want", false},
		"a bomb":          {zipped(t, strings.Repeat(" ", maxPlain+2)), "more than", false},
		"empty runs":      {zipped(t, `{"version": "assay.dev/history/v1", "runs": [`+strings.Repeat("{},", 200000)+`{}]}`), "of memory", false},
		"empty series":    {zipped(t, `{"version": "assay.dev/history/v1", "runs": [{"series": [`+strings.Repeat("{},", 200000)+`{}]}]}`), "of memory", false},
		"many values":     {zipped(t, `{"version": "assay.dev/history/v1", "runs": [{"series": [{"values": [`+strings.Repeat("1,", 4000000)+`1]}]}]}`), "of memory", false},
		"facts of nobody": {zipped(t, `{"version": "assay.dev/history/v1", "runs": [{"name": "r", "uid": "u", "completionTime": "2026-05-01T00:00:00Z", "environment": [{"facts": "#3"}]}]}`), "there are 0", false},
		"no name":         {zipped(t, `{"version": "assay.dev/history/v1", "runs": [{"uid": "u", "completionTime": "2026-05-01T00:00:00Z"}]}`), `name ""`, false},
		"a long UID":      {zipped(t, `{"version": "assay.dev/history/v1", "runs": [{"name": "r", "uid": "`+strings.Repeat("u", 65)+`", "completionTime": "2026-05-01T00:00:00Z"}]}`), "and the UID", false},
		"no time":         {zipped(t, `{"version": "assay.dev/history/v1", "runs": [{"name": "r", "uid": "u"}]}`), "ended at 0001", false},
		"fewer than none": {zipped(t, `{"version": "assay.dev/history/v1", "droppedRuns": -1}`), "-1 runs were dropped", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(tt.data)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.ContainsAny(err.Error(), "\n%") || errors.Is(err, ErrTooNew) != tt.newer {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// An entry has the values of the trials that count, by block, in the order of the tool.
func TestPast(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r", UID: "u", Annotations: map[string]string{
		v1alpha1.AnnotationTrigger: "Schedule", v1alpha1.AnnotationScheduledTime: "2026-05-01T03:00:00Z"}}}
	run.Status = v1alpha1.BenchmarkRunStatus{
		Plan: &v1alpha1.PlanStatus{TrialCount: 6}, CompletionTime: &metav1.Time{Time: start}, SpecHash: "h", Verdict: "v", Headline: "l", Outcome: "Invalid",
		Conditions: []metav1.Condition{{Type: "Complete", Status: "True"}, {Type: "Valid", Status: "Unknown", Reason: "Contradictions", Message: "why"}},
	}
	trial := func(index, block int32, target string, value float64) contract.Record {
		return contract.Record{
			Index: index, Block: block, Target: target, State: contract.Succeeded, Final: true, Valid: new(true), Facts: "a=b",
			Parameters:   map[string]contract.Scalar{"threads": {Int: 4, IsInt: true}},
			Values:       []contract.RecordedValue{{Name: "throughput", Unit: "tx/s", Value: value}, {Name: "latency", Unit: "ms", Value: -value}},
			MachineSpeed: []contract.RecordedSpeed{{Side: "Target", Kernel: "Integer", Seconds: value}},
		}
	}
	failed, disturbed, again := trial(2, 1, "a", 2), trial(4, 2, "a", 4), trial(2, 1, "a", 22)
	failed.State, disturbed.Disturbed, again.Attempt = contract.Failed, true, 1
	b := NewBuilder(run)
	b.Add([]contract.Record{trial(0, 0, "a", 1), trial(1, 0, "b", 10), failed, again})
	b.Add([]contract.Record{trial(3, 1, "b", 20), disturbed, trial(5, 2, "b", 30), {Index: 6, Block: 1 << 30}, {Index: 7, Block: -1}})
	got := b.Past()
	values := map[string]string{}
	var names []string
	for _, s := range got.Series {
		text, err := json.Marshal(s.Values)
		if err != nil {
			t.Fatal(err)
		}
		values[s.Name+" "+s.Target] = string(text)
		names = append(names, s.Name+" "+s.Target)
	}
	if diff := cmp.Diff([]string{"throughput a", "throughput b", "latency a", "latency b"}, names); diff != "" {
		t.Error(diff)
	}
	// The disturbed trial of block 2 leaves its pair out too.
	want := map[string]string{"throughput a": "[1,22,null]", "throughput b": "[10,20,null]", "latency a": "[-1,-22,null]", "latency b": "[-10,-20,null]"}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
	at := start
	wantRun := contract.PastRun{
		Name: "r", UID: "u", SpecHash: "h", Trigger: "Schedule", ScheduledTime: &at, CompletionTime: start, Outcome: "Invalid",
		Reason: "Contradictions", Message: "why", Valid: "Unknown", Verdict: "v", Headline: "l",
		Environment: []contract.PastEnvironment{
			{Target: "a", Facts: "a=b", MachineSpeed: []contract.RecordedSpeed{{Side: "Target", Kernel: "Integer", Seconds: 11.5}}},
			{Target: "b", Facts: "a=b", MachineSpeed: []contract.RecordedSpeed{{Side: "Target", Kernel: "Integer", Seconds: 15}}},
		},
	}
	got.Series = nil
	if diff := cmp.Diff(wantRun, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of too many measurements the first ones are kept, and the others are counted.
func TestTooManyMeasurements(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Status.Plan = &v1alpha1.PlanStatus{TrialCount: 2}
	b := NewBuilder(run)
	for i, target := range []string{"a", "b"} {
		rec := contract.Record{Index: int32(i), Target: target, State: contract.Succeeded, Valid: new(true)}
		for m := range 600 {
			rec.Values = append(rec.Values, contract.RecordedValue{Name: fmt.Sprintf("m%03d", m), Value: 1})
		}
		b.Add([]contract.Record{rec})
	}
	got := b.Past()
	if len(got.Series) != MaxSeries || got.Series[MaxSeries-1].Name != "m255" || got.SeriesLeftOut != 1200-MaxSeries {
		t.Errorf("%d series, the last %s, %d left out", len(got.Series), got.Series[len(got.Series)-1].Name, got.SeriesLeftOut)
	}
}

func FuzzDecode(f *testing.F) {
	data, _, err := Encode(Add(contract.History{}, past(1, 2)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("rubbish"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Decode(data)
		if err != nil {
			return
		}
		if _, _, err := Encode(h); err != nil && !strings.Contains(err.Error(), "does not fit") {
			t.Error(err)
		}
	})
}

// What a history takes in memory when it is read, of as many runs as it holds: series of three random values, of one that is the same in all,
// which compresses best, and of a hundred short ones. Live is what stays.
func BenchmarkDecode(b *testing.B) {
	for _, of := range []struct {
		name           string
		series, values int
	}{{"random", 128, 0}, {"equal", 128, 1}, {"blocks", 512, 100}} {
		b.Run(of.name, func(b *testing.B) {
			h := contract.History{}
			for n := range 500 {
				run := past(n, of.series)
				for i := range run.Series {
					run.Series[i].Parameters = map[string]contract.Scalar{"threads": {Int: 8, IsInt: true}}
					run.Series[i].Labels = map[string]string{"p": "99"}
					if of.values > 0 {
						run.Series[i].Values = nil
					}
					for v := range of.values {
						value := float64(1 + v%9)
						run.Series[i].Values = append(run.Series[i].Values, &value)
					}
				}
				h.Runs = append(h.Runs, run)
			}
			gz, h, err := Encode(h)
			if err != nil {
				b.Fatal(err)
			}
			runs, live := len(h.Runs), uint64(0)
			h = contract.History{}
			for b.Loop() {
				before, after := memory(), uint64(0)
				if h, err = Decode(gz); err != nil {
					b.Fatal(err)
				}
				after = memory()
				live = max(live, after-min(before, after))
				runtime.KeepAlive(h)
				h = contract.History{}
			}
			b.ReportMetric(float64(live)/(1<<20), "live-MiB")
			b.ReportMetric(float64(runs), "runs")
		})
	}
}

// memory that is in use after the garbage was collected, in bytes.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
