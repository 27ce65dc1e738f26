package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
)

var (
	rateOf100 = runner.Offered{Field: "rate", Percentiles: []string{"99"}}
	names     = []string{"throughput", "rate.errors", "latency.avg", "latency.percentile"}
)

// specOf a search from 100 to 1600 for a p99 of at most 20 ms.
func specOf(change func(*v1alpha1.BenchmarkRunSpec)) v1alpha1.BenchmarkRunSpec {
	spec := v1alpha1.BenchmarkRunSpec{
		Targets:  []v1alpha1.Target{{Name: "a"}, {Name: "b"}},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 4}},
		Design:   v1alpha1.Design{Blocks: 2, Order: v1alpha1.OrderRandomizedBlocks, DataReset: v1alpha1.ResetPerRun, Seed: new(int64(7))},
		Search: &v1alpha1.Search{Low: 100, High: 1600, Precision: "5%", Trials: 1, MaxErrors: "0%", Objectives: []v1alpha1.SearchObjective{
			{Measurement: v1alpha1.MeasurementRef{Name: "latency.percentile", Labels: map[string]string{"p": "99"}}, AtMost: "20ms"},
		}},
	}
	spec.SetDefaults()
	if change != nil {
		change(&spec)
	}
	return spec
}

func searchOf(t *testing.T, spec v1alpha1.BenchmarkRunSpec) (Search, *plan.Plan) {
	t.Helper()
	s, err := Of(spec, rateOf100, names)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(spec, nil, plan.Largest())
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// trialAt a rate, with a p99 in ms.
func trialAt(rate int64, p99 float64) contract.Record {
	return contract.Record{
		Rate: rate, State: contract.Succeeded, Final: true, Valid: new(true), Values: []contract.RecordedValue{
			{Name: "throughput", Unit: "tx/s", Value: float64(rate)}, {Name: "rate.errors", Unit: "errors/s"},
			{Name: "latency.percentile", Unit: "ms", Value: p99, Labels: map[string]string{"p": "99"}},
		},
	}
}

// play a run: answer is the trial of a target at a rate. The records are those of the journal.
func play(t *testing.T, s Search, p *plan.Plan, answer func(trial plan.Trial, rate int64) contract.Record) []contract.Record {
	t.Helper()
	var records []contract.Record
	at, rate := int32(0), s.Low()
	for {
		trial := p.Trials[at]
		rec := answer(trial, rate)
		rec.Index, rec.Block, rec.Cell, rec.Target = at, trial.Block, trial.Cell, p.Targets[trial.Target]
		records = append(records, rec)
		d, err := s.After(p, records)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(rec, int32(len(p.Trials))); err != nil {
			t.Fatalf("after trial %d: %v", at, err)
		}
		// The journal has the decision: one manager takes it, and every other one would take the same.
		if again, err := s.After(p, append([]contract.Record(nil), records...)); err != nil || cmp.Diff(d, again) != "" {
			t.Fatalf("after trial %d: %+v and %+v, %v", at, d, again, err)
		}
		records[len(records)-1].Decision = &d
		if d.Stop {
			return records
		}
		at, rate = *d.Next, d.Rate
	}
}

func answersOf(t *testing.T, s Search, p *plan.Plan, records []contract.Record) []Answer {
	t.Helper()
	answers, err := s.Answers(p, records)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// A server that holds up to its capacity is found within the precision; others are bounds.
func TestSearchFindsTheCapacity(t *testing.T) {
	spec := specOf(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Matrix = []v1alpha1.Axis{{Name: "threads", Values: []intstr.IntOrString{intstr.FromInt(4), intstr.FromInt(8)}}}
	})
	s, p := searchOf(t, spec)
	capacity := map[[2]int32]int64{{0, 0}: 700, {0, 1}: 1600, {1, 0}: 99, {1, 1}: 1599} // by cell and target
	records := play(t, s, p, func(trial plan.Trial, rate int64) contract.Record {
		if rate > capacity[[2]int32{trial.Cell, trial.Target}] {
			return trialAt(rate, 30)
		}
		return trialAt(rate, 10)
	})
	var got []string
	for _, a := range answersOf(t, s, p, records) {
		got = append(got, fmt.Sprintf("%s cell %d block %d: %s %d %d %d %s", a.Target, a.Cell, a.Block, a.Outcome, a.Held, a.Failed, a.TrialCount, a.Reason))
		if a.Outcome == v1alpha1.SearchFound && (int64(a.Held) > capacity[[2]int32{a.Cell, a.at.target}] || float64(a.Failed) > 1.05*float64(a.Held)) {
			t.Errorf("%+v", a.SearchEntry)
		}
	}
	why := "latency.percentile p=99 was 30 ms, and at most 20ms holds"
	want := []string{
		"a cell 0 block 0: Found 673 703 8 " + why, "a cell 0 block 1: Found 673 703 8 " + why,
		"b cell 0 block 0: AllHeld 1600 0 2 ", "b cell 0 block 1: AllHeld 1600 0 2 ",
		"a cell 1 block 0: NoneHeld 0 100 1 " + why, "a cell 1 block 1: NoneHeld 0 100 1 " + why,
		"b cell 1 block 0: Found 1532 1600 8 " + why, "b cell 1 block 1: Found 1532 1600 8 " + why,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	checkReduced(t, s, p, records)
}

// Bounds are no values: the reduced experiment has none where any block has a bound.
func checkReduced(t *testing.T, s Search, p *plan.Plan, records []contract.Record) {
	t.Helper()
	reduced, one := s.Reduce(p, answersOf(t, s, p, records))
	if len(reduced.Trials) != 8 || len(one) != 8 {
		t.Fatalf("%d trials and %d records, want one for each of 8 searches", len(reduced.Trials), len(one))
	}
	got := map[string][]float64{}
	for _, rec := range one {
		trial := reduced.Trials[rec.Index]
		if rec.Block != trial.Block || rec.Cell != trial.Cell || rec.Target != reduced.Targets[trial.Target] {
			t.Errorf("the record of trial %d is of another place: %+v", rec.Index, rec)
		}
		for _, v := range rec.Values {
			if v.Name != "rate.highest" || v.Unit != "tx/s" {
				t.Errorf("a value %+v", v)
			}
			key := reduced.Cells[rec.Cell].String() + " " + rec.Target
			got[key] = append(got[key], v.Value)
		}
	}
	if diff := cmp.Diff(map[string][]float64{"threads=4 a": {673, 673}, "threads=8 b": {1532, 1532}}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if unit := Unit(answersOf(t, s, p, records)); unit != "tx/s" {
		t.Errorf("the unit is %q", unit)
	}
}

// Where one block of two found a rate and the other one a bound, there is no value at all.
func TestABoundInOneBlockIsNoMedianOfTheOthers(t *testing.T) {
	s, p := searchOf(t, specOf(nil))
	records := play(t, s, p, func(trial plan.Trial, rate int64) contract.Record {
		if trial.Target == 0 && trial.Block == 1 || rate <= 500 {
			return trialAt(rate, 10)
		}
		return trialAt(rate, 30)
	})
	_, one := s.Reduce(p, answersOf(t, s, p, records))
	for _, rec := range one {
		if has := len(rec.Values) > 0; has != (rec.Target == "b") {
			t.Errorf("%s in block %d has a value: %v", rec.Target, rec.Block, has)
		}
	}
}

func TestJudge(t *testing.T) {
	s, _ := searchOf(t, specOf(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Search.MaxErrors = "1%" }))
	with := func(change func(*contract.Record)) contract.Record {
		rec := trialAt(100, 20)
		change(&rec)
		return rec
	}
	for name, tt := range map[string]struct {
		record    contract.Record
		want      saying
		saturated bool
		why       string
	}{
		"at the bound":  {trialAt(100, 20), holds, false, ""},
		"over it":       {trialAt(100, 20.1), fails, false, "latency.percentile p=99 was 20.1 ms, and at most 20ms holds"},
		"a bad failure": {with(func(r *contract.Record) { r.State, r.Reason, r.Message = contract.Failed, "ToolFailed", "x" }), useless, false, "trial 0 failed: ToolFailed: x"},
		"overloaded": {with(func(r *contract.Record) {
			r.State, r.Reason, r.Message, r.Valid = contract.Failed, "TargetOverloaded", "the queue is full", nil
		}), fails, true, "the queue is full"},
		"invalid":   {with(func(r *contract.Record) { r.Valid = new(false) }), useless, false, "trial 0 is invalid"},
		"unchecked": {with(func(r *contract.Record) { r.Valid = nil }), useless, false, "trial 0 is invalid"},
		"disturbed": {with(func(r *contract.Record) {
			r.Disturbed, r.Findings = true, []contract.RecordedFinding{{Severity: "Disturbed", Message: "a neighbour"}}
		}), useless, false, "trial 0 was disturbed: a neighbour"},
		"saturated": {with(func(r *contract.Record) {
			r.Saturated, r.Findings = true, []contract.RecordedFinding{{Check: validity.CheckSaturated, Message: "80 of 100"}}
		}), fails, true, "80 of 100"},
		"disturbed and saturated": {with(func(r *contract.Record) { r.Saturated, r.Disturbed = true, true }), useless, false, "disturbed"},
		"1 % of errors":           {with(func(r *contract.Record) { r.Values[0].Value, r.Values[1].Value = 99, 1 }), holds, false, ""},
		"2 % of errors":           {with(func(r *contract.Record) { r.Values[0].Value, r.Values[1].Value = 98, 2 }), fails, false, "2 % of the operations were errors, and at most 1 % holds"},
		"no errors counted":       {with(func(r *contract.Record) { r.Values = r.Values[:1] }), mute, false, "a trial has no rate.errors or no throughput"},
		"no such percentile":      {with(func(r *contract.Record) { r.Values = r.Values[:2] }), mute, false, "a trial has no latency.percentile p=99"},
		"another unit":            {with(func(r *contract.Record) { r.Values[2].Unit, r.Values[2].Value = "us", 20001 }), fails, false, "was 20,001 us, and at most 20ms holds"},
		"no time":                 {with(func(r *contract.Record) { r.Values[2].Unit = "1" }), mute, false, `is no time (its unit is "1"), and atMost is 20ms`},
		"intended start":          {with(func(r *contract.Record) { r.Values = append(r.Values, intended(30)) }), fails, false, "latency.percentile p=99 timing=intended was 30 ms"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.judge(&tt.record)
			if got.says != tt.want || got.saturated != tt.saturated || !strings.Contains(got.why, tt.why) || tt.why == "" && got.why != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func intended(ms float64) contract.RecordedValue {
	return contract.RecordedValue{Name: "latency.percentile", Unit: "ms", Value: ms, Labels: map[string]string{"p": "99", "timing": "intended"}}
}

// Trials of no use are repeated at the same rate, up to the bound, and then the search has no answer.
func TestTrialsOfNoUse(t *testing.T) {
	s, p := searchOf(t, specOf(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Design.Blocks = 1 }))
	n := map[int32]int{}
	records := play(t, s, p, func(trial plan.Trial, rate int64) contract.Record {
		rec := trialAt(rate, float64(rate)/50) // up to 1000
		n[trial.Target]++
		if trial.Target == 0 && n[0] > 2 || trial.Target == 1 && n[1] >= 2 && n[1] <= 4 {
			rec.Disturbed = true
		}
		return rec
	})
	answers := answersOf(t, s, p, records)
	a, b := answers[0], answers[1]
	if a.Outcome != v1alpha1.SearchUnknown || a.TrialCount != 6 || a.RepeatedTrialCount != 4 || !strings.HasPrefix(a.Reason, "4 trials were of no use, and maxRepeats is 3") {
		t.Errorf("a: %+v", a.SearchEntry)
	}
	if b.Outcome != v1alpha1.SearchFound || b.Held != 993 || b.RepeatedTrialCount != 3 {
		t.Errorf("b: %+v", b.SearchEntry)
	}
	_, one := s.Reduce(p, answers)
	for _, rec := range one {
		if (rec.State == contract.Failed) != (rec.Target == "a") || rec.Target == "a" && len(rec.Values) > 0 {
			t.Errorf("the reduced record of %s: %+v", rec.Target, rec)
		}
	}
}

// A run that ends early leaves its searches unfinished, and no value behind.
func TestUnfinishedSearches(t *testing.T) {
	s, p := searchOf(t, specOf(nil))
	records := play(t, s, p, func(_ plan.Trial, rate int64) contract.Record { return trialAt(rate, float64(rate)/50) })
	var done []string
	for _, a := range answersOf(t, s, p, records[:len(records)-1]) {
		done = append(done, a.Target+" "+string(a.Outcome))
	}
	if n := strings.Count(strings.Join(done, ","), "Unfinished"); n != 1 {
		t.Errorf("without its last trial, %v", done)
	}
	for _, a := range answersOf(t, s, p, nil) {
		if a.Outcome != v1alpha1.SearchUnfinished || a.TrialCount != 0 {
			t.Errorf("without any trial: %+v", a.SearchEntry)
		}
	}
	if _, one := s.Reduce(p, answersOf(t, s, p, nil)); len(one) != 0 {
		t.Errorf("%d records without any trial", len(one))
	}
}

// Records that are not of this search end it with an error, and not with an answer.
func TestForeignRecords(t *testing.T) {
	s, p := searchOf(t, specOf(nil))
	for name, records := range map[string][]contract.Record{
		"a rate that nobody tried":      {trialAt(123, 1)},
		"a trial that the plan has not": {{Index: int32(len(p.Trials)), Final: true}},
		"none":                          nil,
	} {
		if d, err := s.After(p, records); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// The searches of a block take turns, so that drift is the same for all of them, and the first trial
// of each is never left out: it restores the data.
func TestSearchesTakeTurns(t *testing.T) {
	spec := specOf(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.DataReset = v1alpha1.ResetPerBlock })
	s, p := searchOf(t, spec)
	records := play(t, s, p, func(_ plan.Trial, rate int64) contract.Record { return trialAt(rate, float64(rate)/50) })
	measured, previous, turns := map[int32]bool{}, "", 0
	for _, rec := range records {
		measured[rec.Index] = true
		if rec.Target != previous {
			turns++
		}
		previous = rec.Target
	}
	if turns < len(records)/2 {
		t.Errorf("%d turns in %d trials: one search after the other", turns, len(records))
	}
	resets := 0
	for _, trial := range p.Trials {
		if trial.Reset {
			resets++
		}
		if trial.Reset && !measured[trial.Index] {
			t.Errorf("trial %d restores the data, and was left out", trial.Index)
		}
	}
	if resets != 2 {
		t.Errorf("%d trials restore the data, want one for each target before the second block", resets)
	}
	if len(records) >= len(p.Trials) || len(p.Trials) != 2*2*(s.Bisection.MostTrials()+3) {
		t.Errorf("%d of %d trials were measured", len(records), len(p.Trials))
	}
}

// Every search ends, whatever its trials are, and within the trials of the plan.
func TestEverySearchEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		spec := specOf(func(s *v1alpha1.BenchmarkRunSpec) {
			s.Search.Low = 1 + random.Int32N(1000)
			s.Search.High = s.Search.Low + 1 + random.Int32N(10000)
			s.Search.Trials, s.Search.MaxRepeats = 1+random.Int32N(4), new(random.Int32N(4))
			s.Design.Order = []v1alpha1.TrialOrder{v1alpha1.OrderABBA, v1alpha1.OrderSequential, v1alpha1.OrderRandomizedBlocks}[i%3]
		})
		s, p := searchOf(t, spec)
		s.Clients = 3
		records := play(t, s, p, func(_ plan.Trial, rate int64) contract.Record {
			rec := trialAt(rate, 40*random.Float64())
			rec.Disturbed = random.IntN(10) == 0
			return rec
		})
		for _, a := range answersOf(t, s, p, records) {
			if a.Outcome == v1alpha1.SearchUnfinished {
				t.Fatalf("%+v", a.SearchEntry)
			}
		}
		_, one := s.Reduce(p, answersOf(t, s, p, records))
		for _, rec := range one {
			if len(rec.Values) > 0 && int64(rec.Values[0].Value)%3 != 0 {
				t.Fatalf("the rate of 3 clients together is %v", rec.Values[0].Value)
			}
		}
	}
}
