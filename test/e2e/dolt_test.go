package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// What Dolt shows of MySQL without meaning it is in no result, and in no setting.
func TestDoltIsNotMySQL(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	target := func(more string) string {
		return `  - {name: dolt, shape: {name: kind-target}, mysql: {flavor: Dolt, version: "2.2", ` + more + `storage: {size: 2Gi}}}`
	}
	const short = "  design: {blocks: 2, warmup: 1s, duration: 5s, dataReset: PerTrial}\n"
	t.Run("a setting that it ignores is refused by name", func(t *testing.T) {
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("refused", target("config: {innodb_buffer_pool_size: 64M}, "), short)), time.Minute)
		failedWith(t, got, string(v1alpha1.ReasonSettingInvalid))
		if text := cluster.Message(got, v1alpha1.ConditionFailed); !strings.Contains(text, "config.innodb_buffer_pool_size") || !strings.Contains(text, "Dolt") {
			t.Errorf("the message names neither the setting nor the server: %s", text)
		}
	})
	for field, text := range map[string]string{"replication": "replication: {replicas: 1, mode: Async}, ", "tls": "tls: Required, "} {
		t.Run(field+" is refused by name", func(t *testing.T) {
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("no-"+field, target(text), short)), time.Minute)
			failedWith(t, got, string(v1alpha1.ReasonInvalidSpec))
			if text := cluster.Message(got, v1alpha1.ConditionFailed); !strings.Contains(text, "mysql."+field) || !strings.Contains(text, "Dolt") {
				t.Errorf("the message names neither the field nor the server: %s", text)
			}
		})
	}
	t.Run("its results have only what it counts", func(t *testing.T) {
		text := cluster.RunYAML("dolt", target(`config: {dolt_transaction_commit: "ON"}, `), short)
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 10*time.Minute)
		cluster.Complete(t, got)
		if status := got.Status.Targets[0]; status.FsyncsPerCommit != "" {
			t.Errorf("flushes per commit are %q, and nothing counts them", status.FsyncsPerCommit)
		}
		server := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0).Server
		if server.VersionComment != "Dolt" || server.Variables["dolt_transaction_commit"] != "ON" || server.StatusDelta["Questions"] <= 0 {
			t.Errorf("%s %s, dolt_transaction_commit %q, %v statements", server.Version, server.VersionComment, server.Variables["dolt_transaction_commit"], server.StatusDelta["Questions"])
		}
		for name := range server.Variables {
			if strings.HasPrefix(name, "innodb_buffer") || name == "transaction_isolation" || name == "default_storage_engine" {
				t.Errorf("the variable %s means nothing to Dolt, and is in the result", name)
			}
		}
		for name := range server.StatusDelta {
			if strings.HasPrefix(name, "Innodb_") || strings.HasPrefix(name, "Handler_") || name == "Uptime" {
				t.Errorf("Dolt does not count %s, and it is in the result", name)
			}
		}
	})
}
