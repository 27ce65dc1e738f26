package v1alpha1

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDefaultsOfTheDesignDependOnTheWorkload(t *testing.T) {
	d := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	drivers := Workload{Drivers: &DriversWorkload{}}
	tests := map[string]struct {
		spec             BenchmarkRunSpec
		warmup, duration time.Duration
		rounds, discards *int32
	}{
		"one measurement in a trial": {BenchmarkRunSpec{Workload: Workload{Sysbench: &SysbenchWorkload{}}}, 30 * time.Second, 300 * time.Second, nil, nil},
		"a load is not warmed up":    {BenchmarkRunSpec{Workload: Workload{Sysbench: &SysbenchWorkload{}}, Design: Design{Measures: MeasuresLoad}}, 0, 300 * time.Second, nil, nil},
		"drivers":                    {BenchmarkRunSpec{Workload: drivers}, 500 * time.Millisecond, 2 * time.Second, new(int32(3)), new(int32(1))},
		"what is given stays, 0 too": {
			BenchmarkRunSpec{Workload: drivers, Design: Design{Warmup: d(0), Duration: d(10 * time.Second), Rounds: new(int32(10)), WarmupRounds: new(int32(0))}},
			0, 10 * time.Second, new(int32(10)), new(int32(0)),
		},
	}
	same := func(a, b *int32) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.spec.SetDefaults()
			got := tt.spec.Design
			if got.Warmup.Duration != tt.warmup || got.Duration.Duration != tt.duration || !same(got.Rounds, tt.rounds) || !same(got.WarmupRounds, tt.discards) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Absent and Run are one spec.
func TestOneSpellingOfWhatIsMeasured(t *testing.T) {
	for given, want := range map[Measures]Measures{"": "", MeasuresRun: "", MeasuresLoad: MeasuresLoad} {
		spec := BenchmarkRunSpec{Design: Design{Measures: given}}
		if spec.SetDefaults(); spec.Design.Measures != want {
			t.Errorf("%q became %q", given, spec.Design.Measures)
		}
	}
}

// A run that compares servers starts them for each block, where it can.
func TestDefaultOfStarts(t *testing.T) {
	comparing := func(factor string) *Analysis { return &Analysis{Comparisons: []Comparison{{Factor: factor}}} }
	provided, external := Target{Name: "a", MySQL: &MySQLTarget{}}, Target{Name: "b", External: &ExternalTarget{}}
	for name, tt := range map[string]struct {
		spec BenchmarkRunSpec
		want Starts
	}{
		"nothing is compared":  {BenchmarkRunSpec{Targets: []Target{provided, provided}}, StartsOne},
		"servers":              {BenchmarkRunSpec{Targets: []Target{provided, provided}, Analysis: comparing("target")}, StartsPerBlock},
		"an axis":              {BenchmarkRunSpec{Targets: []Target{provided}, Analysis: comparing("threads")}, StartsOne},
		"one is external":      {BenchmarkRunSpec{Targets: []Target{provided, external}, Analysis: comparing("target")}, StartsOne},
		"one start is enough":  {BenchmarkRunSpec{Targets: []Target{provided, provided}, Analysis: comparing("target"), Design: Design{Starts: StartsOne}}, StartsOne},
		"many starts for axes": {BenchmarkRunSpec{Targets: []Target{provided}, Analysis: comparing("threads"), Design: Design{Starts: StartsPerBlock}}, StartsPerBlock},
	} {
		if tt.spec.SetDefaults(); tt.spec.Design.Starts != tt.want {
			t.Errorf("%s: %s, want %s", name, tt.spec.Design.Starts, tt.want)
		}
	}
	for name, tt := range map[string]struct {
		design Design
		want   bool
	}{
		"one": {Design{Starts: StartsOne, DataReset: ResetPerRun, IdleTargets: IdleRunning}, false}, "per block": {Design{Starts: StartsPerBlock}, true},
		"a snapshot": {Design{Starts: StartsOne, DataReset: ResetPerTrial}, true}, "its turn": {Design{Starts: StartsOne, IdleTargets: IdleStopped}, true},
	} {
		if got := (&BenchmarkRunSpec{Design: tt.design}).RestartsServers(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
