package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// A matrix of two thread counts on real servers, measured by two clients at a time,
// every trial from the same data.
func TestExperiment(t *testing.T) {
	ns := cluster.Namespace(t)
	text := cluster.RunYAML("matrix", "", `  matrix: [{name: threads, values: [1, 2]}, {name: test, values: [oltp_read_write, oltp_point_select]}]
  exclude: [{threads: 1, test: oltp_point_select}]
  design: {blocks: 1, warmup: 1s, duration: 3s, dataReset: PerTrial}
`)
	text = strings.Replace(text, "{shape: {name: kind-client}}", "{count: 2, shape: {inline: {cpu: 300m, memory: 256Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.client}}}}", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 4*time.Minute)
	cluster.Complete(t, got)
	all := cluster.Records(t, got)
	if len(all) != 3 || got.Status.Plan.CellCount != 3 {
		t.Fatalf("%d records of %d cells, want 3 of 3", len(all), got.Status.Plan.CellCount)
	}
	loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, "mariadb"), 0)
	if loaded.Data == nil || loaded.Data.Snapshot == nil || loaded.Data.Snapshot.Files == 0 {
		t.Fatalf("no snapshot was taken: %+v", loaded.Data)
	}
	for _, rec := range all {
		checkTogether(t, ns, got.Name, rec)
		first := cluster.Stored(t, ns, contract.TrialName(got.Name, rec.Index, 0), 0)
		checkEnvironment(t, rec, first)
		if rec.Index == 0 {
			continue // it finds what was loaded
		}
		if first.Data == nil || first.Data.Reset == nil || first.Data.Reset.Method != contract.ResetSnapshot || rec.ResetSeconds == nil {
			t.Errorf("trial %d was not reset: %+v", rec.Index, first.Data)
			continue
		}
		if !slices.EqualFunc(first.Data.Tables, loaded.Data.Tables, sameTable) {
			t.Errorf("trial %d began with other data than was loaded: %+v, want %+v", rec.Index, first.Data.Tables, loaded.Data.Tables)
		}
	}
	if status := got.Status; len(status.Summary) < 3 || status.SpecHash == "" || got.Labels[v1alpha1.LabelSpecHash] == "" {
		t.Errorf("summary of %d entries, hash %q, labels %v", len(status.Summary), status.SpecHash, got.Labels)
	}
}

func sameTable(a, b contract.Table) bool {
	return a.Name == b.Name && a.Rows == b.Rows && a.Checksum != nil && b.Checksum != nil && *a.Checksum == *b.Checksum
}

// checkTogether holds a record against the results of its two clients.
func checkTogether(t *testing.T, ns, run string, rec contract.Record) {
	t.Helper()
	sum := 0.0
	var starts []time.Time
	for i := range 2 {
		res := cluster.Stored(t, ns, contract.TrialName(run, rec.Index, 0), i)
		m, ok := res.Find(contract.NameThroughput, nil)
		if !ok || m.Value == nil || res.Times.WindowStarted == nil || res.Times.Planned == nil {
			t.Fatalf("trial %d, client %d: %+v", rec.Index, i, res.Times)
		}
		sum += *m.Value
		starts = append(starts, *res.Times.Planned)
		// Nodes of kind share a clock: it is no further beside itself than what is not known.
		if c := res.Client.Clock; c == nil || c.Reference != contract.ReferenceAgent || c.Beyond() || c.UncertaintySeconds > 0.1 {
			t.Errorf("trial %d, client %d: clock %+v, want an offset within its uncertainty", rec.Index, i, c)
		}
	}
	if !starts[0].Equal(starts[1]) {
		t.Errorf("trial %d: the clients planned to start at %v", rec.Index, starts)
	}
	whole := rec.Values[0].Value
	// The rates are those of the time in which both measured, by their intervals.
	if math.Abs(whole-sum) > 0.05*sum {
		t.Errorf("trial %d: the throughput is %v, and the clients' sum %v", rec.Index, whole, sum)
	}
	if skew := rec.StartSkewSeconds; skew == nil || *skew > 1 {
		t.Errorf("trial %d: start skew %v", rec.Index, skew)
	}
	if rec.StartSkewUncertaintySeconds == nil {
		t.Errorf("trial %d: nobody knows how far the start skew is known", rec.Index)
	}
}

// checkEnvironment looks for what both sides must be able to tell on any Linux.
func checkEnvironment(t *testing.T, rec contract.Record, res contract.Result) {
	t.Helper()
	for side, e := range map[string]*contract.Environment{"client": &res.Client.Environment, "target": res.Target} {
		switch {
		case e == nil || e.Before == nil || e.After == nil:
			t.Errorf("trial %d: nothing is known of the %s", rec.Index, side)
		case e.Machine.Kernel == "" || e.Machine.CPUs == nil || e.Limits.CPUs == nil || e.Limits.MemoryBytes == nil:
			t.Errorf("trial %d: the %s's machine or limits are not known: %+v %+v", rec.Index, side, e.Machine, e.Limits)
		case e.After.Throttled == nil || e.After.CPUSeconds == nil:
			t.Errorf("trial %d: the %s's use is not known: %+v", rec.Index, side, e.After)
		}
	}
	if res.Server == nil || len(res.Server.NonDefault) == 0 || res.Client.ClockStepSeconds == nil {
		t.Errorf("trial %d: no differences from the server's defaults, or no look at the clock", rec.Index)
	}
}

// Two runs want the same nodes: the second waits without a pod, and begins when the
// first has ended.
func TestQueue(t *testing.T) {
	ns := cluster.Namespace(t)
	first := cluster.Apply(t, ns, cluster.RunYAML("first", "", "  design: {blocks: 1, warmup: 0s, duration: 5s}\n"))
	cluster.AwaitState(t, first, time.Minute, "got its nodes", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement != nil })
	second := cluster.Apply(t, ns, cluster.RunYAML("second", "", short))
	queued := cluster.AwaitState(t, second, time.Minute, "been queued", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseQueued })
	if m := cluster.Message(queued, v1alpha1.ConditionPlaced); !strings.Contains(m, ns+"/first") {
		t.Errorf("the message does not name the run that holds the nodes: %s", m)
	}
	measured := cluster.AwaitState(t, first, 3*time.Minute, "ended", func(r *v1alpha1.BenchmarkRun) bool {
		var pods corev1.PodList
		if err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRun: "second"}); err == nil && len(pods.Items) > 0 &&
			cluster.Condition(r, v1alpha1.ConditionComplete) == nil {
			t.Error("the queued run has pods while the first one is measured")
		}
		return cluster.Condition(r, v1alpha1.ConditionComplete) != nil || cluster.Condition(r, v1alpha1.ConditionFailed) != nil
	})
	cluster.Complete(t, measured)
	after := cluster.AwaitRun(t, second, 3*time.Minute)
	cluster.Complete(t, after)
	if after.Status.StartTime.Before(measured.Status.CompletionTime) {
		t.Errorf("the second run got its nodes at %v, before the first one ended at %v", after.Status.StartTime, measured.Status.CompletionTime)
	}
}

// Two targets that take turns on one node: the idle one has no pod, and each comes
// back with its own data.
func TestIdleTargetsAreStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	run := cluster.Apply(t, ns, cluster.RunYAML("turns", cluster.MariaDB+"\n"+cluster.MySQL,
		"  design: {blocks: 2, warmup: 0s, duration: 2s, order: ABBA, idleTargets: Stopped}\n"))
	got := cluster.AwaitState(t, run, 8*time.Minute, "ended", func(r *v1alpha1.BenchmarkRun) bool {
		var pods corev1.PodList
		err := cluster.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleTarget})
		if err == nil && len(pods.Items) > 1 {
			t.Errorf("%d targets run at a time", len(pods.Items))
		}
		for _, p := range pods.Items {
			for _, place := range r.Status.Placement.Targets {
				if p.Labels[v1alpha1.LabelTarget] == place.Name && p.Spec.NodeName != "" && p.Spec.NodeName != place.NodeName {
					t.Errorf("target %s came back on node %s, not on %s", place.Name, p.Spec.NodeName, place.NodeName)
				}
			}
		}
		return cluster.Condition(r, v1alpha1.ConditionComplete) != nil || cluster.Condition(r, v1alpha1.ConditionFailed) != nil
	})
	cluster.Complete(t, got)
	if all := cluster.Records(t, got); len(all) != 4 {
		t.Errorf("%d records, want 4", len(all))
	}
}

// An open loop and a number of events, as real sysbench does them.
func TestOpenLoopAndEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	for name, tt := range map[string]struct{ field, value string }{
		"rate":   {"rate: 50", contract.NameOffered},
		"events": {"events: 300", contract.NameEvents},
		// More than a server on a slice of a CPU does, and less than fills the tool's queue of 100,000.
		"saturated": {"rate: 6000", contract.NameOffered},
	} {
		t.Run(name, func(t *testing.T) {
			ns := cluster.Namespace(t)
			text := strings.Replace(cluster.RunYAML(name, "", "  design: {blocks: 1, warmup: 1s, duration: 10s}\n"),
				"tableSize: 2000}", fmt.Sprintf("tableSize: 2000, %s}", tt.field), 1)
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 3*time.Minute)
			cluster.Complete(t, got)
			m, ok := cluster.Stored(t, ns, contract.TrialName(got.Name, 0, 0), 0).Find(tt.value, nil)
			want, _ := strconv.ParseFloat(strings.Fields(tt.field)[1], 64)
			if !ok || m.Value == nil || *m.Value != want {
				t.Errorf("%s: %+v, want %v", tt.value, m, want)
			}
			if rec := cluster.Records(t, got)[0]; rec.Saturated != (name == "saturated") {
				t.Errorf("saturated: %v, findings %+v", rec.Saturated, rec.Findings)
			}
		})
	}
}

// Data of an external server is loaded again by the tool, and is the same each time.
func TestExternalServerIsReset(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	address, secret := hostDatabase(t, ns)
	target := "  - name: db\n    external: {host: " + address + ", tls: Disabled, insecureSkipVerify: true, credentials: {name: " + secret.Name + "}}"
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("reload", target,
		"  design: {blocks: 2, warmup: 0s, duration: 2s, dataReset: PerTrial}\n  exclusive: false\n")), 4*time.Minute)
	cluster.Complete(t, got)
	second := cluster.Stored(t, ns, contract.TrialName(got.Name, 1, 0), 0)
	if c := second.Client.Clock; c == nil || c.Reference != contract.ReferenceServer || c.Beyond() {
		t.Errorf("clock %+v, want an offset to the server within its uncertainty", c)
	}
	loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, "db"), 0)
	if second.Data == nil || second.Data.Reset == nil || second.Data.Reset.Method != contract.ResetReload ||
		!slices.EqualFunc(second.Data.Tables, loaded.Data.Tables, sameTable) {
		t.Errorf("the second trial began with %+v, want the tables of %+v", second.Data, loaded.Data)
	}
}
