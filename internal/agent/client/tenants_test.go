package client

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// schemasOf are the schemas that the clients connect to, by the client.
func schemasOf(rigs []*rig) func() [][]string {
	var mu sync.Mutex
	seen := make([][]string, len(rigs))
	for i, r := range rigs {
		connect := r.agent.Connect
		r.agent.Connect = func(e contract.Endpoint, c runner.Credentials) (Server, error) {
			mu.Lock()
			defer mu.Unlock()
			seen[i] = append(seen[i], e.Database)
			return connect(e, c)
		}
	}
	return func() [][]string { mu.Lock(); defer mu.Unlock(); return seen }
}

func twoTenants(trial *contract.Trial) {
	trial.Clients, trial.Endpoint.Database = 2, "assay"
	trial.Groups = []contract.Group{{Tenant: 1, Clients: 1}, {Tenant: 2, Clients: 1, Database: "assay_2"}}
}

// Each tenant is loaded by a client of its own, and the first client counts the tables of all of them.
func TestTenantsAreLoadedAndCounted(t *testing.T) {
	rigs, _ := newLoad(t, 2, twoTenants)
	seen := schemasOf(rigs)
	all := runAll(t, rigs)
	if diff := cmp.Diff([][]string{{"assay", "assay_2", "assay", "assay_2"}, {"assay_2", "assay", "assay_2"}}, seen()); diff != "" {
		t.Errorf("schemas: %s", diff)
	}
	var names []string
	for _, table := range all[0].Data.Tables {
		names = append(names, table.Name)
	}
	var want []string
	for _, tenant := range []string{"tenant-1", "tenant-2"} {
		for _, table := range loadedTables() {
			want = append(want, tenant+"."+table.Name)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("tables: %s", diff)
	}
	if all[1].Data != nil || all[1].Trial.Client != 1 {
		t.Errorf("the second tenant's client: %+v", all[1].Trial)
	}
	if !slices.ContainsFunc(rigs[0].server.asked, func(q string) bool { return strings.HasPrefix(q, "analyze") }) {
		t.Errorf("no statistics were taken: %q", rigs[0].server.asked)
	}
}

// asked is how many of its calls begin so.
func (f *fakeTarget) asked(call string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.calls {
		if strings.HasPrefix(one, call) {
			n++
		}
	}
	return n
}

// Tenants in servers of their own: the first client of each looks after its server, in the load and in a trial, and no other one.
func TestTenantsInServers(t *testing.T) {
	second := newFakeTarget(t)
	own := func(trial *contract.Trial) {
		trial.Clients, trial.Endpoint.Database = 4, "assay"
		trial.Groups = []contract.Group{{Tenant: 1, Clients: 2}, {Tenant: 2, Clients: 2, Host: "two", Agent: second.address}}
	}
	rigs, first := newLoad(t, 4, own)
	loaded := runAll(t, rigs)
	for client, looks := range []bool{true, false, true, false} {
		res := loaded[client]
		if looks != (res.Data != nil && res.Data.Snapshot != nil) || looks && !cmp.Equal(res.Data.Tables, loadedTables()) || looks != (res.Server != nil) {
			t.Errorf("client %d: data %+v, server %v", client, res.Data, res.Server != nil)
		}
	}
	for i, target := range []*fakeTarget{first, second} {
		if n := target.asked("POST /snapshot"); n != 1 {
			t.Errorf("server %d: %d snapshots", i, n)
		}
	}

	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		own(trial)
		trial.Agent, trial.SettleSeconds = first.address, 0.1
		trial.Reset = &contract.Reset{Method: contract.ResetSnapshot, Tables: loadedTables()}
		trial.Groups[1].Tables = loadedTables()
	})
	rigs = []*rig{r, r.join(t, 1), r.join(t, 2), r.join(t, 3)}
	r.startAfter(t, 4, 100*time.Millisecond)
	for client, res := range runAll(t, rigs) {
		looks := client%2 == 0
		if res.State != contract.Succeeded || looks != (res.Data != nil && res.Data.Reset != nil) || looks != (res.Target != nil) || res.Client.Clock == nil {
			t.Errorf("client %d: %s %+v, data %+v, target %v, clock %v", client, res.State, res.Failure, res.Data, res.Target != nil, res.Client.Clock)
		}
		if speed := res.Client.Speed != nil; speed != (client == 0) {
			t.Errorf("client %d measured the speed of its machine: %v", client, speed)
		}
	}
	for i, target := range []*fakeTarget{first, second} {
		if n := target.asked("POST /restore"); n != 1 {
			t.Errorf("server %d: %d restores", i, n)
		}
	}
	if second.clocks != 0 {
		t.Errorf("%d questions for the time of the second server: all clients keep to that of the first", second.clocks)
	}
}

// The data of each tenant is loaded again by the first client alone, one after the other.
func TestTenantsAreReloaded(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		twoTenants(trial)
		trial.Reset = &contract.Reset{Method: contract.ResetReload}
		for tenant := range trial.Schemas() {
			for _, table := range loadedTables() {
				table.Name = contract.OfTenant(tenant+1, table.Name)
				trial.Reset.Tables = append(trial.Reset.Tables, table)
			}
		}
	})
	rigs := []*rig{r, r.join(t, 1)}
	r.startAfter(t, 2, 50*time.Millisecond)
	all := runAll(t, rigs)
	if all[0].Data == nil || all[0].Data.Reset == nil || all[0].State != contract.Succeeded {
		t.Fatalf("%+v %+v", all[0].State, all[0].Data)
	}
	_, files := rigs[0].outcome(t)
	raw := slices.Collect(maps.Keys(files))
	for _, folder := range []string{"reset-cleanup", "reset-prepare", "reset-tenant-2-cleanup", "reset-tenant-2-prepare"} {
		if !slices.ContainsFunc(raw, func(name string) bool { return strings.HasPrefix(name, folder+"/") }) {
			t.Errorf("no output of %s in %q", folder, raw)
		}
	}
}

// A client of the second load has a workload of its own, and one that is idle starts no tool and delivers all the same.
func TestASecondLoad(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		trial.Clients, trial.SettleSeconds = 3, 0.1
		trial.Groups = []contract.Group{{Clients: 1}, {Background: true, Clients: 1, Workload: []byte(`{"second":1}`)}, {Background: true, Idle: true, Clients: 1}}
	})
	rigs := []*rig{r, r.join(t, 1), r.join(t, 2)}
	r.startAfter(t, 3, 100*time.Millisecond)
	all := runAll(t, rigs)
	for client, works := range []bool{true, true, false} {
		res := all[client]
		if res.State != contract.Succeeded || res.Trial.Client != client || (len(res.Measurements) > 0) != works || (res.Times.MeasureStarted != nil) != works {
			t.Errorf("client %d: %s %+v, %d measurements", client, res.State, res.Times, len(res.Measurements))
		}
	}
	left, err := os.Stat(rigs[2].agent.TerminationLog)
	if err != nil {
		t.Fatal(err)
	}
	if ended := all[2].Times.Planned.Add(time.Second); left.ModTime().Before(ended.Add(-10 * time.Millisecond)) { // the clock of files is coarse
		t.Errorf("the idle client left at %s, and the window of the others was to end at %s", left.ModTime(), ended)
	}
}
