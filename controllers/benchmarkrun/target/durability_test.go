package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func serverWith(variables map[string]string) contract.Server {
	return contract.Server{Version: variables["version"], VersionComment: variables["version_comment"], Variables: variables}
}

func TestDurabilityDiffers(t *testing.T) {
	mysql := map[string]string{"innodb_flush_log_at_trx_commit": "1", "log_bin": "ON", "sync_binlog": "1", "innodb_doublewrite": "ON", "version": "9.7.0", "version_comment": "MySQL Community Server - GPL"}
	mariadb := map[string]string{"innodb_flush_log_at_trx_commit": "1", "log_bin": "OFF", "sync_binlog": "0", "innodb_doublewrite": "ON", "version": "10.11.6-MariaDB"}
	but := func(of map[string]string, name, value string) map[string]string {
		out := map[string]string{name: value}
		for n, v := range of {
			if n != name {
				out[n] = v
			}
		}
		return out
	}
	const advice = ": set them alike in spec.targets[].mysql.config to compare the servers"
	const begin = "the targets do not pay the same for a commit, so that a comparison of loads that write is one of these settings too ("
	tests := map[string]struct {
		a, b map[string]string
		// loading: b is not loaded yet.
		loading bool
		want    string
		// set by the spec for a and for b.
		set [2]string
	}{
		"a synced binary log, and none":             {a: mysql, b: mariadb, want: begin + "a: log_bin = ON, sync_binlog = 1; b: log_bin = OFF)" + advice},
		"the same, before both are known":           {a: mysql, b: mariadb, loading: true},
		"both without one, whatever sync_binlog is": {a: but(mysql, "log_bin", "OFF"), b: mariadb},
		"both with one":                             {a: mysql, b: but(but(mariadb, "log_bin", "1"), "sync_binlog", "1")},
		"one is flushed less": {a: mysql, b: but(mysql, "innodb_flush_log_at_trx_commit", "2"),
			want: begin + "a: innodb_flush_log_at_trx_commit = 1; b: innodb_flush_log_at_trx_commit = 2)" + advice},
		"MariaDB's 3": {a: mariadb, b: but(mariadb, "innodb_flush_log_at_trx_commit", "3")},
		"one writes its pages once": {a: mariadb, b: but(mariadb, "innodb_doublewrite", "0"),
			want: begin + "a: innodb_doublewrite = ON; b: innodb_doublewrite = OFF)" + advice},
		"the spec sets it for both": {a: mysql, b: but(mysql, "innodb_flush_log_at_trx_commit", "2"),
			set: [2]string{"innodb_flush_log_at_trx_commit", "innodb-flush-log-at-trx-commit"}},
		"the spec sets it for one": {a: mysql, b: but(mysql, "innodb_flush_log_at_trx_commit", "2"), set: [2]string{"", "innodb_flush_log_at_trx_commit"},
			want: begin + "a: innodb_flush_log_at_trx_commit = 1; b: innodb_flush_log_at_trx_commit = 2)" + advice},
		"the spec sets one of two for both": {a: mysql, b: but(mariadb, "innodb_flush_log_at_trx_commit", "2"),
			set: [2]string{"innodb_flush_log_at_trx_commit", "innodb_flush_log_at_trx_commit"}, want: begin + "a: log_bin = ON, sync_binlog = 1; b: log_bin = OFF)" + advice},
		"a server without such variables":     {a: mysql, b: map[string]string{"version": "8.0.11-TiDB"}},
		"a server that is not known":          {a: mysql, b: but(but(mysql, "version_comment", "Another"), "log_bin", "OFF")},
		"a target that does not speak of any": {a: mysql},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Spec.Targets = []v1alpha1.Target{{Name: "a"}, {Name: "b"}, {Name: "paper", Published: &v1alpha1.PublishedTarget{}}}
			run.Status.Resolved = &v1alpha1.Resolved{}
			for i, name := range tc.set {
				if name != "" {
					run.Status.Resolved.Targets = append(run.Status.Resolved.Targets, v1alpha1.ResolvedTarget{
						Name: run.Spec.Targets[i].Name, Settings: []v1alpha1.ServerSetting{{Name: name, Value: "1", Source: v1alpha1.SourceSpec}},
					})
				}
			}
			var statuses []v1alpha1.TargetStatus
			for _, target := range []string{"a", "b"} {
				st := v1alpha1.TargetStatus{Name: target, Durability: durabilityOf(serverWith(map[string]map[string]string{"a": tc.a, "b": tc.b}[target]))}
				if target == "a" || !tc.loading {
					st.LoadResult = "loaded"
				}
				statuses = append(statuses, st)
			}
			var want []v1alpha1.Finding
			if tc.want != "" {
				want = []v1alpha1.Finding{{Check: "durability-differs", Severity: "Warning", Message: tc.want}}
			}
			if diff := cmp.Diff(want, CompareDurability(run, statuses)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
