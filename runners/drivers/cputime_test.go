package drivers

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// The CPU time of a combination is that of the operations of its throughput: all rounds that count, without the warm-up. Where one
// round does not say it, that of all is unknown.
func TestCPUTime(t *testing.T) {
	rounds := 0
	tests := map[string]struct {
		change func(a *answer)
		want   map[string]counted
	}{
		"every answer has it": {func(*answer) {}, map[string]counted{"Update": {0.001, 2}, "SelectByKey": {0.5, 1000}}},
		"it is of all threads, so that it may be more than the time": {
			func(a *answer) { *a.CPUNanoseconds = 3 * a.Nanoseconds }, map[string]counted{"Update": {0.012, 2}, "SelectByKey": {6, 1000}}},
		"what other threads use around a short operation": {
			func(a *answer) { a.Nanoseconds, *a.CPUNanoseconds = 1, 2e7 }, map[string]counted{"Update": {0.04, 2}, "SelectByKey": {0.02, 1000}}},
		"no answer has it": {func(a *answer) { a.CPUNanoseconds = nil }, map[string]counted{}},
		"the last round does not say it": {
			func(a *answer) {
				if rounds++; rounds%3 == 0 && a.Operations == 1 {
					a.CPUNanoseconds = nil
				}
			}, map[string]counted{"SelectByKey": {0.5, 1000}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rounds = 0
			got := countedOf(t, contract.NameCPUTime, tc.change, func(m contract.Measurement) bool { return m.Unit == "s" && m.Direction == "" })
			if diff := cmp.Diff(tc.want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })); diff != "" {
				t.Errorf("CPU times differ (-want +got):\n%s", diff)
			}
		})
	}
}

// counted is the value of a measurement, and the number of operations that it is of.
type counted struct {
	Value      float64
	Operations int64
}

// countedOf two operations of mysql2, whose answers are changed: a measurement that is as it has to be, of the operations of the throughput.
func countedOf(t *testing.T, name string, change func(*answer), right func(contract.Measurement) bool) map[string]counted {
	t.Helper()
	out := answered(t, trial(spec), func(c cell, a *answer, _ *runner.Exchange) {
		if named("Update", "")(c) || named("SelectByKey", "")(c) {
			change(a)
		}
	})
	got := map[string]counted{}
	measured := parse(trial(spec), contract.PhaseRun, out).Measurements
	for _, m := range measured {
		of := m.Labels[contract.LabelOperation]
		if m.Name != name || m.Labels[contract.LabelDriver] != "mysql2" || of != "Update" && of != "SelectByKey" {
			continue
		}
		rate, _ := contract.Find(measured, contract.NameThroughput, m.Labels)
		if !right(m) || *rate.N != *m.N || !cmp.Equal(rate.Labels, m.Labels) {
			t.Errorf("%+v, and the throughput is %+v", m, rate)
		}
		got[of] = counted{*m.Value, *m.N}
	}
	return got
}

// The answers of real harnesses are read: each has its CPU time, which can be, or none.
func TestCPUTimeOfRealHarnesses(t *testing.T) {
	text, err := os.ReadFile("testdata/run-answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		language, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		a, err := readAnswer(runner.Exchange{Turn: 3, Answer: []byte(text)})
		if err == nil {
			err = a.verifyCPU()
		}
		if err != nil {
			t.Errorf("%s: %v", language, err)
		}
		got[language] = a.CPUNanoseconds != nil
	}
	want := map[string]bool{"node": true, "python": true, "go": true, "java": false, "rust": true, "c": true, "php": true, "ruby": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("harnesses whose answer has a CPU time (-want +got):\n%s", diff)
	}
}
