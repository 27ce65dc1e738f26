package report

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// How many times as fast a driver is stands beside its throughput and its latency, and not beside what it costs.
func TestSpeedUpsStandBesideSpeeds(t *testing.T) {
	labels := map[string]string{"driver": "mysql2"}
	entry := func(name string, direction contract.Direction) *v1alpha1.SummaryEntry {
		return &v1alpha1.SummaryEntry{Name: name, Labels: labels, Target: "db", Direction: string(direction)}
	}
	of := ratios{speedUps: map[string]float64{placeKey(entry("", "")): 2}}
	for want, entries := range map[string][]*v1alpha1.SummaryEntry{
		"2.00x as fast ?": {entry(contract.NameThroughput, contract.HigherIsBetter), entry(contract.NameLatencyAvg, contract.LowerIsBetter)},
		"":                {entry(costs.ClientCPU, contract.LowerIsBetter), entry(contract.NameSpeedUp, contract.HigherIsBetter), entry("server.statements", "")},
	} {
		for _, e := range entries {
			if got := of.speedUp(e); got != want {
				t.Errorf("beside %s stands %q, want %q", e.Name, got, want)
			}
		}
	}
}
