package validity

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestReplicaBroke(t *testing.T) {
	tests := map[string]struct {
		target *contract.Environment
		want   string // part of what is said; empty for nothing
	}{
		"nothing is known of the target":      {},
		"a target without replicas":           {target: &contract.Environment{}},
		"a replica that is late is no error":  {target: &contract.Environment{Replicas: []contract.Replica{{MaxLagSeconds: new(30.0)}}}},
		"a replica that stopped is named":     {target: &contract.Environment{Replicas: []contract.Replica{{Index: 0}, {Index: 1, Error: "error 1236"}}}, want: "replica 1: error 1236"},
		"all that stopped are named together": {target: &contract.Environment{Replicas: []contract.Replica{{Index: 0, Error: "a"}, {Index: 1, Error: "b"}}}, want: "replica 0: a; replica 1: b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := replicaBroke(contract.Result{Target: tt.target}, runner.Expectations{}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNotSemiSync(t *testing.T) {
	tests := map[string]struct {
		server *contract.Server
		want   string
	}{
		"nothing is known of the server": {},
		"every commit was acknowledged":  {server: &contract.Server{StatusDelta: map[string]float64{"Rpl_semi_sync_master_no_tx": 0, "Rpl_semi_sync_master_yes_tx": 9}}},
		"some of MariaDB were not":       {server: &contract.Server{StatusDelta: map[string]float64{"Rpl_semi_sync_master_no_tx": 7}}, want: "7 commits"},
		"some of MySQL were not":         {server: &contract.Server{StatusDelta: map[string]float64{"Rpl_semi_sync_source_no_tx": 2}}, want: "2 commits"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := notSemiSync(contract.Result{Server: tt.server}, runner.Expectations{})
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
