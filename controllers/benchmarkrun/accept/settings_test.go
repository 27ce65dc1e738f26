package accept

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/settings"
)

func TestMergeSettings(t *testing.T) {
	lists := []sourced{
		{v1alpha1.SourceShape, []contract.Setting{{Name: "a", Value: "1"}, {Name: "b", Value: "1"}, {Name: "c", Value: "1"}}},
		{v1alpha1.SourceWorkload, []contract.Setting{{Name: "b", Value: "2"}, {Name: "d", Value: "2"}}},
		{v1alpha1.SourceSpec, []contract.Setting{{Name: "loose-d", Value: "3"}, {Name: "c", Value: "1"}}},
	}
	want := []v1alpha1.ServerSetting{
		{Name: "a", Value: "1", Source: v1alpha1.SourceShape}, {Name: "b", Value: "2", Source: v1alpha1.SourceWorkload},
		{Name: "loose_d", Value: "3", Source: v1alpha1.SourceSpec}, {Name: "c", Value: "1", Source: v1alpha1.SourceSpec},
	}
	if diff := cmp.Diff(want, mergeSettings(lists)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The published sweep: 3,000 threads with 92 prepared statements each do not fit into
// the default of 16,382.
func TestDemandFits(t *testing.T) {
	of := func(clients, connections, each int64) Demand {
		d := Demand{clients: clients}
		d.add(contract.Demand{Connections: 2, PreparedStatements: 2, Tables: 7})
		d.add(contract.Demand{Connections: connections, PreparedStatements: connections * each, Tables: 10})
		return d
	}
	tests := map[string]struct {
		demand  Demand
		config  map[string]string
		from    []contract.Setting
		refused string
	}{
		"no setting of the user":   {demand: of(1, 3000, 92)},
		"a setting that is enough": {demand: of(1, 3000, 92), config: map[string]string{"max_prepared_stmt_count": "276000"}},
		"a setting that is too low": {
			demand: of(1, 3000, 92), config: map[string]string{"max-prepared-stmt-count": "16382"},
			refused: "spec.targets[0].mysql.config.max_prepared_stmt_count: 16382 is too low: the workload needs 3000 connections, 3000 connections x 92 prepared statements = 276000, 10 tables, and Assay a few for itself: use at least 276000, leave it out, or use fewer threads or clients",
		},
		"of several clients": {
			demand: of(4, 750, 92), config: map[string]string{"loose_max_prepared_stmt_count": "16k"},
			refused: "needs 4 clients x 750 = 3000 connections, 4 clients x 750 connections x 92 prepared statements = 276000, 10 tables, and",
		},
		"in a ConfigMap": {
			demand: of(1, 3000, 92), from: []contract.Setting{{Name: "max_prepared_stmt_count", Value: "1"}},
			refused: "spec.targets[0].mysql.configFrom, max_prepared_stmt_count: 1 is too low",
		},
		"a value that is no number is the server's business": {demand: of(1, 3000, 92), config: map[string]string{"max_prepared_stmt_count": "x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			user := tt.from
			parsed, err := settings.Parse(tt.config)
			if err != nil {
				t.Fatal(err)
			}
			user = append(user, parsed...)
			err = tt.demand.fits("spec.targets[0].mysql", &v1alpha1.MySQLTarget{Config: tt.config}, user, []contract.Setting{{Name: "max_prepared_stmt_count", Value: "276000"}})
			switch {
			case tt.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)):
				t.Errorf("error %v\nwant %s", err, tt.refused)
			}
		})
	}
}

// A tool of which nothing is known asks for nothing.
func TestNoDemandIsKnown(t *testing.T) {
	work := Work{spec: v1alpha1.BenchmarkRunSpec{Design: v1alpha1.Design{Warmup: &metav1.Duration{}, Duration: &metav1.Duration{Duration: time.Minute}}}}
	p, err := work.expand(Planned{Plan: &plan.Plan{Cells: []plan.Cell{{}}}})
	d := p.Demand
	if err != nil || !d.isZero() || limitSettings(engine.Engine{Limits: func(contract.Demand) []contract.Setting { return []contract.Setting{{Name: "x"}} }}, d) != nil {
		t.Errorf("demand %+v, %v", d, err)
	}
}

func TestReplicationSettings(t *testing.T) {
	tests := map[string]struct {
		flavor string
		user   string
		want   string // part of the refusal; empty for none
	}{
		"a setting that replication does not need is the user's": {flavor: "MySQL", user: "sync_binlog"},
		"the binary log is Assay's":                              {flavor: "MySQL", user: "log_bin", want: "mysql.config.log_bin"},
		"also when it is to be off":                              {flavor: "MariaDB", user: "skip_log_bin", want: "mysql.config.skip_log_bin"},
		"also as a loose one":                                    {flavor: "MariaDB", user: "loose_gtid_strict_mode", want: "loose_gtid_strict_mode"},
		"the timeout of semi-synchronous replication is Assay's": {flavor: "MariaDB", user: "rpl_semi_sync_master_timeout", want: "leave replication out"},
		"a flavor without replicas says so":                      {flavor: "TiDB", user: "token_limit", want: "without replicas"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, ok := engines.Find(tt.flavor)
			if !ok {
				t.Fatalf("no engine %s", tt.flavor)
			}
			m := &v1alpha1.MySQLTarget{Replication: &v1alpha1.Replication{Mode: v1alpha1.ReplicationAsync, Replicas: 1}}
			_, err := replicationSettings(e, "spec.targets[0].mysql", m, []contract.Setting{{Name: tt.user, Value: "1"}})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
