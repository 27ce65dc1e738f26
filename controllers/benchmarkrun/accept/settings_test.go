package accept

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
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

// A tool of which nothing is known asks for nothing.
func TestNoDemandRaisesNoLimit(t *testing.T) {
	e := engine.Engine{Limits: func(contract.Demand) []contract.Setting { return []contract.Setting{{Name: "x"}} }}
	if got := (experiment.Demand{}).Limits(e); got != nil {
		t.Errorf("settings %v", got)
	}
}

// A server that is started again writes down all of its buffer pool; one that is not keeps its defaults.
func TestStartSettings(t *testing.T) {
	for flavor, want := range map[string]string{"MySQL": "100", "Percona": "100", "MariaDB": "100", "TiDB": "", "Dolt": ""} {
		e, known := engines.Find(flavor)
		if !known {
			t.Fatal(flavor)
		}
		got := ""
		for _, s := range startSettings(e, v1alpha1.BenchmarkRunSpec{Design: v1alpha1.Design{Starts: v1alpha1.StartsPerBlock}}) {
			if s.Name == "innodb_buffer_pool_dump_pct" {
				got = s.Value
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", flavor, got, want)
		}
		if one := startSettings(e, v1alpha1.BenchmarkRunSpec{Design: v1alpha1.Design{Starts: v1alpha1.StartsOne}}); one != nil {
			t.Errorf("%s: %v for one start", flavor, one)
		}
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
