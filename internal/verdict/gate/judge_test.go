package gate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

func TestJudge(t *testing.T) {
	byTest := &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}
	good := experiment{blocks: 8, spread: 0.005, seed: 2}
	tests := map[string]struct {
		gate v1alpha1.Gate
		// was is the baseline, is the run.
		was, is experiment
		change  func(*Input)
		// want is status, reason, and the numbers of slower, missing and new ones of those judged.
		want string
		text []string
		not  string
	}{
		"equal": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "True/Succeeded 0 0 0 of 2", text: []string{
			"0 of 2 measurements are slower than baseline release (run before, promoted 2026-11-01)"}, not: "each side is one run"},
		"24 % less rate, 32 % more time":    {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 76}, was: experiment{blocks: 8}, want: "False/Slower 1 0 0 of 2"},
		"24 % more time is allowed":         {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 100 / 1.24}, was: experiment{blocks: 8}, want: "True/Succeeded 0 0 0 of 2"},
		"25 % less is the most":             {gate: v1alpha1.Gate{Threshold: "34%"}, is: experiment{blocks: 8, level: 75}, was: experiment{blocks: 8}, want: "True/Succeeded 0 0 0 of 2"},
		"31 % slower":                       {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 69}, was: experiment{blocks: 8}, want: "False/Slower 2 0 0 of 2", text: []string{"slower: db threads=8 throughput: 69 tx/s against 100 (31 % worse), and 25 % is allowed", "latency.percentile{p=95}: 14.49 ms against 10 (45 % worse)"}},
		"one that is far makes all factors": {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 2.88}, was: experiment{blocks: 8}, want: "False/Slower 2 0 0 of 2", text: []string{"2.88 tx/s against 100 (0.0288x, worse), and 25 % is allowed", "ms against 10 (34.7x, worse)"}},
		"numbers as on every surface":       {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 12345.6}, was: experiment{blocks: 8, level: 20000}, want: "False/Slower 2 0 0 of 2", text: []string{"12,346 tx/s against 20,000 (38 % worse)"}},
		"slower is only named":              {gate: v1alpha1.Gate{Threshold: "25%", Fail: []v1alpha1.GateFailure{"Missing"}}, is: experiment{blocks: 8, level: 69}, was: experiment{blocks: 8}, want: "True/Succeeded 2 0 0 of 2", text: []string{"2 of 2 measurements are slower", "69 tx/s against 100"}},
		"faster is no failure":              {gate: v1alpha1.Gate{Threshold: "1%", Test: byTest}, is: experiment{blocks: 8, level: 300, spread: 0.01}, want: "True/Succeeded 0 0 0 of 2"},
		"the test finds 8 %":                {gate: v1alpha1.Gate{Test: byTest}, is: experiment{blocks: 8, level: 92, spread: 0.005, seed: 3}, want: "False/Slower 2 0 0 of 2", text: []string{" (8.2 % worse), by the blocks 8.1 % worse, and by more than 5 % with p 0.000", "each side is one run, and the test does not know how much runs differ"}},
		"the interval has to be beyond 5 %, and not the estimate alone": {gate: v1alpha1.Gate{Test: byTest}, is: experiment{blocks: 8, level: 93.5, spread: 0.04, seed: 3}, was: experiment{blocks: 8, spread: 0.04, seed: 1}, want: "True/Succeeded 0 0 0 of 2", text: []string{
			"worse or more would have been found in each that passed, in four of five such runs"}},
		"any difference at all was found there":  {gate: v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "0.001%"}}, is: experiment{blocks: 8, level: 93.5, spread: 0.04, seed: 3}, was: experiment{blocks: 8, spread: 0.04, seed: 1}, want: "False/Slower 2 0 0 of 2"},
		"a minimum effect that no rate can miss": {gate: v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "100%"}}, is: experiment{blocks: 8, level: 1}, want: "False/Slower 1 0 0 of 1", text: []string{"a minimum effect of 100 % allows a rate of 0"}},
		"so few blocks among so many":            {gate: v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "1%", MinimumEffect: "5%"}}, is: experiment{blocks: 6, cells: 12, level: 50}, was: experiment{blocks: 6, cells: 12}, want: "Unknown/NotJudged 0 0 0 of 0", text: []string{"is not judged: 6 blocks show nothing among 24 measurements: measure more blocks, or promote fewer measurements"}},
		"3 % is less than matters":               {gate: v1alpha1.Gate{Test: byTest}, is: experiment{blocks: 8, level: 97, spread: 0.005, seed: 3}, want: "True/Succeeded 0 0 0 of 2"},
		"8 % within the noise":                   {gate: v1alpha1.Gate{Test: byTest}, is: experiment{blocks: 8, level: 92, spread: 0.3, seed: 4}, was: experiment{blocks: 8, spread: 0.3, seed: 1}, want: "True/Succeeded 0 0 0 of 2"},
		"too few blocks for the test":            {gate: v1alpha1.Gate{Test: byTest}, is: experiment{blocks: 3, level: 50}, want: "Unknown/NotJudged 0 0 0 of 0", text: []string{"is not judged: 3 blocks count in the run that has fewer, and the test needs 6"}},
		"too few blocks, and a threshold":        {gate: v1alpha1.Gate{Test: byTest, Threshold: "25%"}, is: experiment{blocks: 3, level: 50}, want: "False/Slower 2 0 0 of 2"},
		"too few blocks to prove anything":       {gate: v1alpha1.Gate{Test: byTest}, is: experiment{blocks: 6, level: 97, spread: 0.005}, was: experiment{blocks: 6, spread: 0.005, seed: 8}, want: "True/Succeeded 0 0 0 of 2"},
		"no rule, where slower is no failure":    {gate: v1alpha1.Gate{Fail: []v1alpha1.GateFailure{"Missing"}}, is: good, want: "True/Succeeded 0 0 0 of 2"},
		"a threshold that no rate can miss":      {gate: v1alpha1.Gate{Threshold: "100%"}, is: experiment{blocks: 8, level: 1}, want: "False/Slower 1 0 0 of 1", text: []string{"not judged: db threads=8 throughput", "a threshold of 100 % allows a rate of 0"}},
		"a tolerance replaces threshold":         {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 90}, was: experiment{blocks: 8}, change: func(in *Input) { in.Baselines[0].Baseline.Spec.Measurements[0].Tolerance = "5%" }, want: "False/Slower 1 0 0 of 2", text: []string{"and 5 % is allowed"}},
		"a cell is missing":                      {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, was: experiment{blocks: 8, cells: 2}, want: "False/Missing 0 2 0 of 2", text: []string{"missing: db threads=16 throughput: the baseline has 100 tx/s, and the run has no value that counts"}},
		"a cell is new":                          {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, cells: 2}, want: "True/Succeeded 0 0 2 of 2", text: []string{"new: db threads=16 throughput: the run has 100 tx/s, and the baseline has no such measurement"}},
		"a new cell is to fail":                  {gate: v1alpha1.Gate{Fail: []v1alpha1.GateFailure{"New"}}, is: experiment{blocks: 8, cells: 2}, want: "False/New 0 0 2 of 2"},
		"failed trials leave it missing": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Missing 0 2 0 of 0", change: func(in *Input) {
			for i := range in.Run.Records {
				in.Run.Records[i].State = contract.Failed
			}
		}, text: []string{"no measurement of baseline release (run before) can be compared"}},
		"another unit is missing": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Missing 0 1 1 of 1", change: func(in *Input) {
			for i := range in.Run.Records {
				in.Run.Records[i].Values[0].Unit = "ops/s"
			}
		}},
		"results that contradict themselves": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Invalid 0 0 0 of 2", change: func(in *Input) { in.Invalid = "Contradictions: 1 of 8" }, text: []string{"the run is not valid (Contradictions: 1 of 8)"}},
		"and they do not matter":             {gate: v1alpha1.Gate{Threshold: "25%", Fail: []v1alpha1.GateFailure{"Slower"}}, is: good, want: "True/Succeeded 0 0 0 of 2", change: func(in *Input) { in.Invalid = "Contradictions: 1 of 8" }, text: []string{"the run is not valid"}},
		"a run that failed":                  {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/RunFailed 0 0 0 of 0", change: func(in *Input) { in.Failed = "DeadlineExceeded: late" }, text: []string{"DeadlineExceeded: late"}},
		"no baseline":                        {gate: v1alpha1.Gate{Threshold: "25%", Baseline: "x"}, is: good, want: "Unknown/BaselineNotFound 0 0 0 of 0", change: func(in *Input) { in.Baselines = nil }, text: []string{"the namespace has no BenchmarkBaseline x"}},
		"no baseline, and not valid":         {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Invalid 0 0 0 of 0", change: func(in *Input) { in.Baselines, in.Invalid = nil, "y" }},
		"a baseline that contradicts itself": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "Unknown/BaselineInvalid 0 0 0 of 0", change: func(in *Input) {
			in.Baselines[0].Baseline.Spec.Measurements = append(in.Baselines[0].Baseline.Spec.Measurements, in.Baselines[0].Baseline.Spec.Measurements[0])
		}, text: []string{"spec.measurements[2] is spec.measurements[0] once more"}},
		"a baseline of zeros": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "Unknown/NotJudged 0 0 0 of 0", change: func(in *Input) {
			in.Baselines[0].Baseline.Spec.Measurements = in.Baselines[0].Baseline.Spec.Measurements[:1]
			in.Baselines[0].Baseline.Spec.Measurements[0].Blocks = []string{"0"}
			in.Run.Declaration.Comparisons = []analysis.Comparison{{Measurements: []analysis.Measurement{{Name: "throughput"}}}}
		}, text: []string{"a ratio needs positive values"}},
		"a rate of 0":                      {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Slower 1 0 0 of 2", change: valuesOf0(true, false), text: []string{"throughput: 0 tx/s against 100.2 (100 % worse), and 25 % is allowed"}},
		"a rate of 0 by the test":          {gate: v1alpha1.Gate{Test: byTest}, is: good, want: "False/Slower 1 0 0 of 2", change: valuesOf0(true, false)},
		"a 0 among the values of the test": {gate: v1alpha1.Gate{Test: byTest}, is: good, want: "True/Succeeded 0 0 0 of 1", change: func(in *Input) { in.Run.Records[0].Values[0].Value = 0 }, text: []string{"is not judged: the test needs positive values: value 0 of the sample is 0"}},
		"errors where there were none":     {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Slower 1 0 0 of 2", change: valuesOf0(false, true), text: []string{"ms against 0 (worse than none), and 25 % is allowed"}},
		"no errors, as before":             {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "True/Succeeded 0 0 0 of 2", change: func(in *Input) { valuesOf0(false, true)(in); zeroLatency(in) }},
		"another spec": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "True/Succeeded 0 0 0 of 2", change: func(in *Input) {
			in.Baselines[0].Baseline.Spec.Run.SpecHash, in.SpecHash = "x", "y"
		}, text: []string{"; the run has another spec than that of the baseline"}},
		"the same spec": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "True/Succeeded 0 0 0 of 2", change: func(in *Input) {
			in.Baselines[0].Baseline.Spec.Run.SpecHash, in.SpecHash = "x", "x"
		}, not: "another spec"},
		"another workload": {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, level: 50}, want: "Unknown/NotComparable 0 0 0 of 0", change: otherTables, text: []string{
			"the run has another workload than baseline release (run before), so that nothing was compared: sysbench.tables (10 became 20), sysbench.test (oltp became absent)"}},
		"another workload, and not valid": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "False/Invalid 0 0 0 of 0", change: func(in *Input) { otherTables(in); in.Invalid = "y" }},
		"another workload is allowed":     {gate: v1alpha1.Gate{Threshold: "25%", OtherWorkload: "Compare"}, is: good, want: "True/Succeeded 0 0 0 of 2", change: otherTables, text: []string{"; the run has another workload than that of the baseline: sysbench.tables (10 became 20)"}},
		"a workload that is not known":    {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "True/Succeeded 0 0 0 of 2", change: func(in *Input) { otherTables(in); in.Baselines[0].Baseline.Spec.Run.Workload = "" }, not: "workload"},
		"no direction": {gate: v1alpha1.Gate{Threshold: "25%"}, is: good, want: "True/Succeeded 0 0 0 of 1", change: func(in *Input) {
			in.Baselines[0].Baseline.Spec.Measurements[0].Direction = ""
		}, text: []string{"not judged: db threads=8 throughput: ", "neither higher nor lower is better"}},
		"another machine is named":     {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, facts: map[string]string{"target/cpu": "Z"}}, was: experiment{blocks: 8, facts: map[string]string{"target/cpu": "X"}}, want: "True/Succeeded 0 0 0 of 2", text: []string{"the circumstances differ: db: target/cpu (X became Z)"}},
		"another machine is refused":   {gate: v1alpha1.Gate{Threshold: "1%", RequireLike: []v1alpha1.LikeAspect{"cpu"}}, is: experiment{blocks: 8, level: 50, facts: map[string]string{"target/cpu": "Z", "client/cpu": "X"}}, was: experiment{blocks: 8, facts: map[string]string{"target/cpu": "X", "client/cpu": "X"}}, want: "Unknown/NotAlike 0 0 0 of 0", text: []string{"not judged: db threads=8 throughput: 50 tx/s against 100 (50 % worse)", "not alike, as requireLike wants them: db: cpu differs: target/cpu (baseline: X, run: Z)"}},
		"an unknown machine":           {gate: v1alpha1.Gate{Threshold: "1%", RequireLike: []v1alpha1.LikeAspect{"cpu"}}, is: experiment{blocks: 8}, want: "Unknown/NotAlike 0 0 0 of 0", text: []string{"cpu is not known of both sides"}},
		"a slower machine is named":    {gate: v1alpha1.Gate{Threshold: "25%"}, is: experiment{blocks: 8, speed: 1.5}, was: experiment{blocks: 8, speed: 1}, want: "True/Succeeded 0 0 0 of 2", text: []string{"machine-speed/Target/Integer (the same work took 1.5 times as long"}},
		"a slower machine is refused":  {gate: v1alpha1.Gate{Threshold: "25%", RequireLike: []v1alpha1.LikeAspect{"machineSpeed"}}, is: experiment{blocks: 8, speed: 1.5}, was: experiment{blocks: 8, speed: 1}, want: "Unknown/NotAlike 0 0 0 of 0"},
		"other circumstances, missing": {gate: v1alpha1.Gate{Threshold: "25%", RequireLike: []v1alpha1.LikeAspect{"cpu"}}, is: good, was: experiment{blocks: 8, cells: 2}, want: "False/Missing 0 2 0 of 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.was.blocks == 0 {
				tt.was = experiment{blocks: 8, spread: 0.005, seed: 1}
			}
			if tt.gate.Baseline == "" {
				tt.gate.Baseline = "release"
			}
			in := Input{Gate: tt.gate, Baselines: []Read{{promoted(t, tt.was.run(t, "before")), "s"}}, Run: tt.is.run(t, "now")}
			if tt.change != nil {
				tt.change(&in)
			}
			got := Judge(in)
			if text := inShort(got); text != tt.want {
				t.Errorf("got %s, want %s: %s", text, tt.want, got.Message)
			}
			for _, text := range tt.text {
				if !strings.Contains(got.Message, text) {
					t.Errorf("no %q in %q", text, got.Message)
				}
			}
			if tt.not != "" && strings.Contains(got.Message, tt.not) {
				t.Errorf("%q in %q", tt.not, got.Message)
			}
		})
	}
}

// otherTables is a run of another workload.
func otherTables(in *Input) {
	in.Baselines[0].Baseline.Spec.Run.Workload, in.Workload = "clients.count=1\nsysbench.tables=10\nsysbench.test=oltp", "clients.count=1\nsysbench.tables=20"
}

// valuesOf0 puts 0 into the throughputs of the run, or into the latency of the baseline.
func valuesOf0(throughput, expected bool) func(*Input) {
	return func(in *Input) {
		for i := range in.Run.Records {
			if throughput {
				in.Run.Records[i].Values[0].Value = 0
			}
		}
		if expected {
			in.Baselines[0].Baseline.Spec.Measurements[1].Blocks = []string{"0"}
		}
	}
}

func zeroLatency(in *Input) {
	for i := range in.Run.Records {
		in.Run.Records[i].Values[1].Value = 0
	}
}

// inShort is status, reason and the numbers of a verdict.
func inShort(v Verdict) string {
	g := v1alpha1.GateBaseline{}
	if len(v.Gate.Baselines) > 0 {
		g = v.Gate.Baselines[0]
	}
	return fmt.Sprintf("%s/%s %d %d %d of %d", v.Status, v.Reason, g.SlowerCount, g.MissingCount, g.NewCount, g.JudgedCount)
}

// A baseline is pinned with all that tells it apart, and each entry says both medians.
func TestWhatWasJudged(t *testing.T) {
	was, is := experiment{blocks: 8}, experiment{blocks: 8, level: 50}
	got := Judge(Input{
		Gate:      v1alpha1.Gate{Baseline: "release", Threshold: "25%", Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}},
		Baselines: []Read{{promoted(t, was.run(t, "before")), "s"}}, Run: is.run(t, "now"),
	}).Gate
	first := got.Entries[0]
	first.Text = ""
	want := v1alpha1.GateEntry{
		Outcome: v1alpha1.OutcomeSlower, Baseline: "release", Direction: "HigherIsBetter", Expected: "100", Median: "50", Ratio: "0.5", AdjustedP: "0.0001554",
		Measurement: v1alpha1.MeasurementKey{Target: "db", Parameters: map[string]string{"threads": "8"}, Name: "throughput", Unit: "tx/s"},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if one := got.Baselines[0]; one.Name != "release" || one.Effect != "Fail" || one.Passed != "False" || one.Reason != "Slower" {
		t.Errorf("the baseline: %+v", one)
	}
	b := *got.Baselines[0].Pin
	if b.PromotionTime.Year() != 2026 || b.UID != "u" || b.ResourceVersion != "7" || b.SHA256 != "s" || b.Run != "before" {
		t.Errorf("pinned: %+v", b)
	}
}

// What a tenant wrote into a baseline does not make a status that the API server refuses.
func TestAStatusIsBounded(t *testing.T) {
	b := promoted(t, experiment{blocks: 8}.run(t, "before"))
	labels := map[string]string{}
	for i := range 33 {
		labels[strings.Repeat("k", 200)+string(rune('a'+i))] = strings.Repeat("v", 1024)
	}
	for i := range 500 {
		m := b.Spec.Measurements[0]
		m.Name, m.Labels = strings.Repeat("n", 200)+string(rune('a'+i)), labels
		b.Spec.Measurements = append(b.Spec.Measurements, m)
	}
	got := Judge(Input{Gate: v1alpha1.Gate{Baseline: "release", Threshold: "25%"}, Baselines: []Read{{Baseline: b}}, Run: experiment{blocks: 8}.run(t, "now")})
	if got.Gate.Baselines[0].MissingCount != 500 || len(got.Gate.Entries) != 2 || len(got.Message) > maxMessage {
		t.Errorf("%d missing, %d entries, a message of %d bytes", got.Gate.Baselines[0].MissingCount, len(got.Gate.Entries), len(got.Message))
	}
}
