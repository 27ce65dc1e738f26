package e2e

import (
	"testing"
	"time"
)

// replicatedTarget has a primary and a replica, each on one of the two workers: its shape
// names no node, and the control plane is not tolerated. The client shares a node with one
// of them, which is no measurement to rely on, but there is no third worker.
const replicatedTarget = `  - name: db
    shape: {inline: {cpu: 500m, memory: 768Mi}}
    mysql:
      flavor: MariaDB
      version: "10.11"
      config: {innodb_buffer_pool_size: 64M}
      replication: {mode: Async, replicas: 1}
      storage: {size: 1Gi}`

func replicatedYAML(name, target, design string) string {
	return `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: ` + name + `}
spec:
  targets:
` + target + `
  clients:
    shape: {inline: {cpu: 300m, memory: 256Mi}}
    placement: {separateFromTargets: None}
  workload: {sysbench: {test: oltp_read_write, threads: 2, tables: 2, tableSize: 2000}}
  deadline: 20m
` + design
}

// A replica follows on another node, its lag is recorded, and it is put back together with
// its primary: a replica that were ahead would stop.
func TestAsyncReplication(t *testing.T) {
	if testing.Short() {
		t.Skip("only in the full set")
	}
	ns := newNamespace(t)
	run := apply(t, ns, replicatedYAML("async", replicatedTarget,
		"  design: {blocks: 3, warmup: 0s, duration: 4s, maxThrottledPercent: 100, dataReset: PerTrial}\n"))
	got := awaitRun(t, run, 15*time.Minute)
	complete(t, got)
	if got.Status.Placement == nil || len(got.Status.Placement.Targets) != 1 {
		t.Fatalf("placement %+v", got.Status.Placement)
	}
	placed := got.Status.Placement.Targets[0]
	if len(placed.Replicas) != 1 || placed.Replicas[0] == placed.Node {
		t.Errorf("the replica has no node of its own: %+v", placed)
	}
	st := got.Status.Targets[0]
	if len(st.Replicas) != 1 || st.Replicas[0].Node != placed.Replicas[0] || st.Replicas[0].Restarts == nil || *st.Replicas[0].Restarts != 0 {
		t.Errorf("replicas %+v, want one on %s that never restarted", st.Replicas, placed.Replicas[0])
	}
	for _, trial := range got.Status.Trials {
		res := storedResult(t, ns, trial.Result)
		if res.Target == nil || len(res.Target.Replicas) != 1 {
			t.Fatalf("trial %d tells of no replica", trial.Index)
		}
		r := res.Target.Replicas[0]
		if r.MaxLagSeconds == nil || r.CatchUpSeconds == nil || r.Error != "" || r.ServerVersion == "" {
			t.Errorf("trial %d: the replica is not described: %+v", trial.Index, r)
		}
		if res.Server == nil || res.Server.Variables["log_bin"] != "ON" || res.Server.Variables["gtid_strict_mode"] != "ON" {
			t.Errorf("trial %d: the primary writes no binary log", trial.Index)
		}
	}
}
