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
