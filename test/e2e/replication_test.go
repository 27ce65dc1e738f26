package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// replicatedYAML is a run on a primary and a replica, each on one of the two workers: their
// shape names no node, and the control plane is not tolerated. The client shares a node
// with one of them, which is no measurement to rely on, but there is no third worker.
func replicatedYAML(name, server string, mode v1alpha1.ReplicationMode, design string) string {
	return fmt.Sprintf(`
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  targets:
  - name: db
    shape: {inline: {cpu: 500m, memory: 1Gi}}
    mysql:
      %s
      config: {innodb_buffer_pool_size: 64M}
      replication: {mode: %s, replicas: 1}
      storage: {size: 1Gi}
  clients:
    shape: {inline: {cpu: 300m, memory: 256Mi}}
    placement: {separateFromTargets: None}
  workload: {sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}
  deadline: 20m
  design: {warmup: 0s, duration: 4s, %s}
`, name, server, mode, design)
}

// Flavors and series of the servers that replicate.
const (
	mysql97   = "flavor: MySQL\n      version: \"9.7\""
	mysql80   = "flavor: MySQL\n      version: \"8.0\""
	mysql57   = "flavor: MySQL\n      version: \"5.7\""
	maria1011 = "flavor: MariaDB\n      version: \"10.11\""
)

// A replica follows on another node, and its lag is recorded, for every mode of every
// server that has it. Where the data is reset for each trial, the replica is put back
// together with its primary: one that were ahead would stop.
func TestReplication(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	const perRun, perTrial = "blocks: 1", "blocks: 2, dataReset: PerTrial"
	mariadbLogs := map[string]string{"log_bin": "ON", "gtid_strict_mode": "ON"}
	mysqlLogs := map[string]string{"log_bin": "ON", "gtid_mode": "ON"}
	tests := []struct {
		name, server string
		mode         v1alpha1.ReplicationMode
		design       string
		// variables of the primary; semiSync is the word of the server for it.
		variables map[string]string
		semiSync  string
	}{
		{"mariadb-async", maria1011, v1alpha1.ReplicationAsync, perTrial, mariadbLogs, ""},
		{"mariadb-semisync", maria1011, v1alpha1.ReplicationSemiSync, perTrial, mariadbLogs, "master"},
		{"mysql97-semisync", mysql97, v1alpha1.ReplicationSemiSync, perTrial, mysqlLogs, "source"},
		{"mysql80-async", mysql80, v1alpha1.ReplicationAsync, perRun, mysqlLogs, ""},
		{"mysql57-async", mysql57, v1alpha1.ReplicationAsync, perTrial, mysqlLogs, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ns := cluster.Namespace(t)
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, replicatedYAML(tt.name, tt.server, tt.mode, tt.design)), 15*time.Minute)
			cluster.Complete(t, got)
			replicaOnItsOwnNode(t, got)
			for _, trial := range got.Status.Trials {
				res := storedResult(t, ns, trial.Result)
				if res.Server == nil || res.Target == nil || len(res.Target.Replicas) != 1 {
					t.Fatalf("trial %d tells of no replica: %+v", trial.Index, res.Target)
				}
				r := res.Target.Replicas[0]
				if r.MaxLagSeconds == nil || r.CatchUpSeconds == nil || r.Error != "" || r.ServerVersion != res.Server.Version {
					t.Errorf("trial %d: the replica is not described: %+v", trial.Index, r)
				} else {
					t.Logf("trial %d: %s, greatest lag %.0f s, caught up after %.2f s", trial.Index, r.ServerVersion, *r.MaxLagSeconds, *r.CatchUpSeconds)
				}
				for name, want := range tt.variables {
					if res.Server.Variables[name] != want {
						t.Errorf("trial %d: %s = %q, want %q", trial.Index, name, res.Server.Variables[name], want)
					}
				}
				inMode(t, ns, trial, res, tt.semiSync)
				// The first one finds the data as it was loaded.
				if trial.Index > 0 && (res.Data == nil || res.Data.Reset == nil || res.Data.Reset.Method != contract.ResetSnapshot) {
					t.Errorf("trial %d: the data was not put back: %+v", trial.Index, res.Data)
				}
			}
		})
	}
}

// replicaOnItsOwnNode: the status has one replica, which ran beside its primary.
func replicaOnItsOwnNode(t *testing.T, got *v1alpha1.BenchmarkRun) {
	t.Helper()
	if got.Status.Placement == nil || len(got.Status.Placement.Targets) != 1 {
		t.Fatalf("placement %+v", got.Status.Placement)
	}
	placed := got.Status.Placement.Targets[0]
	if len(placed.ReplicaNodeNames) != 1 || placed.ReplicaNodeNames[0] == placed.NodeName {
		t.Fatalf("the replica has no node of its own: %+v", placed)
	}
	replicas := got.Status.Targets[0].Replicas
	if len(replicas) != 1 || replicas[0].NodeName != placed.ReplicaNodeNames[0] || replicas[0].RestartCount == nil || *replicas[0].RestartCount != 0 {
		t.Errorf("replicas %+v, want one on %s that never restarted", replicas, placed.ReplicaNodeNames[0])
	}
}

// inMode: with semi-synchronous replication the primary says that it is on and has a
// replica that acknowledges, and every commit waited for it; else that it is off. The word
// is source or master, empty for asynchronous replication.
func inMode(t *testing.T, ns string, trial v1alpha1.TrialStatus, res contract.Result, word string) {
	t.Helper()
	if word == "" {
		for _, name := range []string{"rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"} {
			if res.Server.Variables[name] == "ON" {
				t.Errorf("trial %d: %s is on", trial.Index, name)
			}
		}
		return
	}
	if name := "rpl_semi_sync_" + word + "_enabled"; res.Server.Variables[name] != "ON" {
		t.Errorf("trial %d: %s = %q", trial.Index, name, res.Server.Variables[name])
	}
	acknowledged := res.Server.StatusDelta["Rpl_semi_sync_"+word+"_yes_tx"]
	others, counted := res.Server.StatusDelta["Rpl_semi_sync_"+word+"_no_tx"]
	if acknowledged < 1 || others != 0 || !counted {
		t.Errorf("trial %d: %v commits waited for the replica, and %v did not (counted: %v)", trial.Index, acknowledged, others, counted)
	}
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: trial.Result}, cm); err != nil {
		t.Fatal(err)
	}
	status := string(untar(t, cm.BinaryData[contract.KeyRaw])["server/status-after.txt"])
	for _, line := range []string{"Rpl_semi_sync_" + word + "_status\tON\n", "Rpl_semi_sync_" + word + "_clients\t1\n"} {
		if !strings.Contains(status, line) {
			t.Errorf("trial %d: the primary does not say %q when the trial ends", trial.Index, line)
		}
	}
}

// A build without the plugin of semi-synchronous replication would replicate
// asynchronously: it does not start.
func TestSemiSyncWithoutItsPluginEndsTyped(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := cluster.Namespace(t)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, replicatedYAML("no-plugin", mysql80, v1alpha1.ReplicationSemiSync, "blocks: 1")), 5*time.Minute)
	failedWith(t, got, string(contract.ReasonServerMissing))
	if text := cluster.Message(got, v1alpha1.ConditionFailed); !strings.Contains(text, "semisync_master.so") && !strings.Contains(text, "semisync_slave.so") { // of the primary or of its replica, whichever ends first
		t.Errorf("the message does not name what is missing: %s", text)
	}
}
