package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// valueOf a trial, by its name and labels; false where it has none.
func valueOf(t *testing.T, trial v1alpha1.TrialStatus, name string, labels map[string]string) (float64, bool) {
	t.Helper()
	for _, v := range trial.Values {
		if v.Name != name || len(v.Labels) != len(labels) {
			continue
		}
		same := true
		for key, value := range labels {
			same = same && v.Labels[key] == value
		}
		if !same {
			continue
		}
		n, err := strconv.ParseFloat(string(v.Value), 64)
		if err != nil {
			t.Errorf("trial %d: %s %v: %v", trial.Index, name, labels, err)
		}
		return n, err == nil
	}
	return 0, false
}

// Tenants have a schema each, are put back together, and measure at one instant; what each got is in the record, and adds up.
func TestTenants(t *testing.T) {
	ns := cluster.Namespace(t)
	text := strings.Replace(cluster.RunYAML("tenants", cluster.MySQL, "  tenants: 2\n  design: {blocks: 2, dataReset: PerTrial, warmup: 1s, duration: 3s}\n"), "storage: {size: 1Gi}", "storage: {size: 2Gi}", 1)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, text), 10*time.Minute)
	cluster.Complete(t, got)
	loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, got.Status.Targets[0].Name), 0)
	rows := map[string]int64{}
	for _, table := range loaded.Data.Tables {
		rows[table.Name] = table.Rows
	}
	for _, table := range []string{"tenant-1.sbtest1", "tenant-1.sbtest2", "tenant-2.sbtest1", "tenant-2.sbtest2"} {
		if rows[table] != 2000 {
			t.Errorf("%s has %d rows of 2000: %v", table, rows[table], rows)
		}
	}
	for _, trial := range got.Status.Trials {
		if trial.Valid == nil || !*trial.Valid {
			t.Errorf("trial %d does not count: %+v", trial.Index, got.Status.Findings)
		}
		all, known := valueOf(t, trial, contract.NameThroughput, nil)
		sum := 0.0
		for _, tenant := range []string{"1", "2"} {
			own, has := valueOf(t, trial, contract.NameThroughput, map[string]string{contract.LabelTenant: tenant})
			if !has || own <= 0 {
				t.Errorf("trial %d, tenant %s: %g", trial.Index, tenant, own)
			}
			sum += own
		}
		// The rate of all is that of the time in which both measured, and each tenant's that of its own window.
		if !known || sum < 0.8*all || sum > 1.25*all {
			t.Errorf("trial %d: tenants have %g together, and all of them %g", trial.Index, sum, all)
		}
		if fairness, has := valueOf(t, trial, "tenants.fairness", nil); !has || fairness < 0.5 || fairness > 1 {
			t.Errorf("trial %d: fairness %g", trial.Index, fairness)
		}
	}
}

// inServers is a target whose tenants share a server, and one in which each has one, with the same CPU and memory together.
const inServers = `  - name: shared
    shape: {inline: {cpu: 600m, memory: 1Gi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}
    mysql: {flavor: MariaDB, version: "10.11", tls: Required, config: {innodb_buffer_pool_size: 64M}, storage: {size: 2Gi}}
  - name: own
    shape: {inline: {cpu: 300m, memory: 512Mi, nodeSelector: {node.kubernetes.io/instance-type: kind.target}}}
    mysql: {flavor: MariaDB, version: "10.11", tls: Required, tenancy: Servers, config: {innodb_buffer_pool_size: 32M}, storage: {size: 2Gi}}`

// Tenants with a server each, beside tenants that share one: each server is loaded, put back and looked after by the first client of its tenant, and
// costs are those of all servers.
func TestTenantsInServers(t *testing.T) {
	for name, design := range map[string]string{"kept": "PerRun", "put-back": "PerTrial"} {
		t.Run(name, func(t *testing.T) {
			if design == "PerTrial" && testing.Short() {
				t.Skip("one of all stories")
			}
			ns := cluster.Namespace(t)
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("servers-"+name, inServers, "  tenants: 2\n  design: {blocks: 2, dataReset: "+design+", warmup: 1s, duration: 3s}\n")), 10*time.Minute)
			cluster.Complete(t, got)
			st := got.TargetStatus("own")
			if len(st.Servers) != 1 || st.Servers[0].Tenant != 2 || st.Servers[0].NodeName == "" || st.Servers[0].RestartCount == nil || *st.Servers[0].RestartCount != 0 {
				t.Errorf("servers %+v", st.Servers)
			}
			for client := range 2 {
				loaded := cluster.Stored(t, ns, contract.LoadName(got.Name, "own"), client)
				if loaded.Data == nil || len(loaded.Data.Tables) != 2 || loaded.Data.Tables[0].Name != "sbtest1" || loaded.Data.Tables[0].Rows != 2000 {
					t.Errorf("server of client %d was loaded with %+v", client, loaded.Data)
				}
			}
			for _, trial := range got.Status.Trials {
				tenantsInServers(t, ns, got, trial, design == "PerTrial")
			}
		})
	}
}

// tenantsInServers: a trial counts, both tenants measured, costs of the servers are known, and each server was put back and told of itself.
func tenantsInServers(t *testing.T, ns string, got *v1alpha1.BenchmarkRun, trial v1alpha1.TrialStatus, resets bool) {
	t.Helper()
	if trial.Valid == nil || !*trial.Valid {
		t.Errorf("trial %d on %s does not count: %+v", trial.Index, trial.Target, got.Status.Findings)
	}
	for _, tenant := range []string{"1", "2"} {
		if own, has := valueOf(t, trial, contract.NameThroughput, map[string]string{contract.LabelTenant: tenant}); !has || own <= 0 {
			t.Errorf("trial %d on %s, tenant %s: %g", trial.Index, trial.Target, tenant, own)
		}
	}
	for _, name := range []string{contract.NameThroughput, "tenants.fairness", "cost.cpu.server", "cost.written", "cost.memory.server"} {
		if v, has := valueOf(t, trial, name, nil); !has || v <= 0 {
			t.Errorf("trial %d on %s has no %s", trial.Index, trial.Target, name)
		}
	}
	for client := range 2 {
		looks := client == 0 || trial.Target == "own"
		res := storedResult(t, ns, strings.TrimSuffix(trial.Result, contract.ResultName("", 0))+contract.ResultName("", client))
		if looks != (res.Server != nil) || looks != (res.Target != nil) || res.Client.Clock == nil {
			t.Errorf("trial %d on %s: client %d asked its server: %v, and its agent: %v", trial.Index, trial.Target, client, res.Server != nil, res.Target != nil)
		}
		if reset := res.Data != nil && res.Data.Reset != nil; resets && trial.Index > 1 && looks != reset || !resets && reset {
			t.Errorf("trial %d on %s: client %d put the data back: %v", trial.Index, trial.Target, client, reset)
		}
	}
}

// A second load works beside the first in the cells that ask for it, is reported apart, and costs that are of both are absent.
func TestASecondLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := cluster.Namespace(t)
	got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML("second", "", "  background: {workload: {test: oltp_write_only, threads: 1}}\n"+
		"  matrix: [{name: background.clients, values: [0, 1]}]\n  design: {blocks: 2, warmup: 1s, duration: 3s}\n")), 10*time.Minute)
	cluster.Complete(t, got)
	for _, trial := range got.Status.Trials {
		clients := trial.Parameters["background.clients"]
		beside := clients.String() == "1"
		if trial.Valid == nil || !*trial.Valid {
			t.Errorf("trial %d does not count: %+v", trial.Index, got.Status.Findings)
		}
		if _, has := valueOf(t, trial, contract.NameThroughput, nil); !has {
			t.Errorf("trial %d has no throughput", trial.Index)
		}
		second, has := valueOf(t, trial, contract.NameThroughput, map[string]string{contract.LabelLoad: contract.LoadBackground})
		if has != beside || beside && second <= 0 {
			t.Errorf("trial %d, second load %v: throughput %g", trial.Index, beside, second)
		}
		if _, has := valueOf(t, trial, "cost.cpu.server", nil); has == beside {
			t.Errorf("trial %d, second load %v: CPU time of the server per operation: %v", trial.Index, beside, has)
		}
		if _, has := valueOf(t, trial, "cost.cpu.client", nil); !has {
			t.Errorf("trial %d has no CPU time of the clients per operation", trial.Index)
		}
	}
}

// The schemas of an external server are filled, put back and dropped for each tenant, so that the same run works again.
func TestTenantsOnAnExternalServer(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	ns := cluster.Namespace(t)
	address, secret := hostSchemas(t, ns, "assay", "assay_2")
	target := "  - name: db\n    external: {host: " + address + ", database: assay, tls: Disabled, insecureSkipVerify: true, credentials: {name: " + secret.Name + "}}"
	for _, name := range []string{"tenants", "again"} {
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML(name, target, "  tenants: 2\n  design: {blocks: 2, dataReset: PerTrial, warmup: 1s, duration: 2s}\n  exclusive: false\n")), 5*time.Minute)
		cluster.Complete(t, got)
		if len(got.Status.Trials) != 2 || got.Status.Targets[0].CleanupResult == "" {
			t.Errorf("%d trials, %+v", len(got.Status.Trials), got.Status.Targets[0])
		}
		for _, trial := range got.Status.Trials {
			res := storedResult(t, ns, trial.Result)
			if put := res.Data != nil && res.Data.Reset != nil; put != (trial.Index > 0) {
				t.Errorf("trial %d: %+v", trial.Index, res.Data)
			}
			if _, has := valueOf(t, trial, contract.NameThroughput, map[string]string{contract.LabelTenant: "2"}); !has {
				t.Errorf("trial %d: %+v", trial.Index, trial.Values)
			}
		}
	}
}
