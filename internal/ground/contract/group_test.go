package contract

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asKnown is what a client knows of its trial.
type asKnown struct {
	Clients, Client, Tenant int
	Idle, Together          bool
	Workload, Database      string
}

func TestOfAClient(t *testing.T) {
	whole := Trial{Clients: 4, Workload: json.RawMessage(`{"a":1}`), Endpoint: Endpoint{Database: "assay"}}
	with := func(groups ...Group) Trial {
		out := whole
		out.Groups = groups
		return out
	}
	second := json.RawMessage(`{"a":2}`)
	tests := map[string]struct {
		trial Trial
		want  []asKnown
	}{
		"no groups": {whole, []asKnown{{4, 0, 0, false, true, `{"a":1}`, "assay"}, {4, 1, 0, false, true, `{"a":1}`, "assay"}}},
		"tenants with a schema each": {with(Group{Tenant: 1, Clients: 2}, Group{Tenant: 2, Clients: 2, Database: "assay_2"}), []asKnown{
			{2, 0, 1, false, true, `{"a":1}`, "assay"}, {2, 1, 1, false, true, `{"a":1}`, "assay"},
			{2, 0, 2, false, true, `{"a":1}`, "assay_2"}, {2, 1, 2, false, true, `{"a":1}`, "assay_2"},
		}},
		"tenants of one client begin together": {with(Group{Tenant: 1, Clients: 1}, Group{Tenant: 2, Clients: 1, Database: "assay_2"}), []asKnown{
			{1, 0, 1, false, true, `{"a":1}`, "assay"}, {1, 0, 2, false, true, `{"a":1}`, "assay_2"},
		}},
		"a second load shares the data": {with(Group{Clients: 2}, Group{Background: true, Clients: 1, Workload: second}, Group{Background: true, Idle: true, Clients: 1}), []asKnown{
			{4, 0, 0, false, true, `{"a":1}`, "assay"}, {4, 1, 0, false, true, `{"a":1}`, "assay"},
			{4, 2, 0, false, true, `{"a":2}`, "assay"}, {4, 3, 0, true, true, `{"a":1}`, "assay"},
		}},
		"clients that do nothing have no share": {with(Group{Clients: 2}, Group{Idle: true, Clients: 1}, Group{Background: true, Clients: 1, Workload: second}), []asKnown{
			{3, 0, 0, false, true, `{"a":1}`, "assay"}, {3, 1, 0, false, true, `{"a":1}`, "assay"},
			{4, 2, 0, true, true, `{"a":1}`, "assay"}, {3, 2, 0, false, true, `{"a":2}`, "assay"},
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got []asKnown
			for client := range tc.want {
				v := tc.trial.Of(client)
				got = append(got, asKnown{v.Clients, v.Ref.Client, v.Tenant, v.Idle, v.Together(), string(v.Workload), v.Endpoint.Database})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	alone := Trial{Clients: 1}
	if alone.Of(0).Together() {
		t.Error("a client without others begins together with some")
	}
}

// Tenants with a server each: the first client of each looks after it, and nobody shares data or a server with another tenant.
func TestTenantsInServers(t *testing.T) {
	tables := []Table{{Name: "sbtest1", Rows: 7}}
	trial := Trial{
		Clients: 6, Agent: "one:8306", Endpoint: Endpoint{Host: "one", Database: "assay"}, Reset: &Reset{Method: ResetSnapshot},
		Groups: []Group{{Tenant: 1, Clients: 2}, {Tenant: 2, Clients: 2, Host: "two", Agent: "two:8306", Tables: tables}, {Tenant: 3, Clients: 2, Host: "three", Agent: "three:8306"}},
	}
	if diff := cmp.Diff([]int{0, 2, 4}, trial.Firsts()); diff != "" {
		t.Errorf("first clients: %s", diff)
	}
	if diff := cmp.Diff([]int{2, 3}, trial.Beside(3)); diff != "" {
		t.Errorf("clients of a server: %s", diff)
	}
	last := trial.Of(3)
	if last.Endpoint != (Endpoint{Host: "two", Database: "assay"}) || last.Agent != "two:8306" || last.Clients != 2 || last.Ref.Client != 1 {
		t.Errorf("the last client of the second tenant: %+v", last)
	}
	if first := trial.Of(0); first.Endpoint.Host != "one" || first.Agent != "one:8306" || first.Reset.Tables != nil || !cmp.Equal(last.Reset.Tables, tables) {
		t.Errorf("first %+v, its reset %+v, that of the second tenant %+v", first.Endpoint, first.Reset, last.Reset)
	}
	rows := map[string]int64{"sbtest1": 7}
	if got := trial.Schemas(); got != nil || !cmp.Equal(trial.Everywhere(rows), rows) {
		t.Errorf("schemas %q, rows %v", got, trial.Everywhere(rows))
	}
	shared := Trial{Clients: 4, Groups: []Group{{Tenant: 1, Clients: 2}, {Tenant: 2, Clients: 2, Database: "assay_2"}}}
	if !cmp.Equal(shared.Firsts(), []int{0}) || len(shared.Beside(3)) != 4 {
		t.Errorf("in one server the first clients are %v, and %v are beside the last", shared.Firsts(), shared.Beside(3))
	}
}

func TestRowsOfAllTenants(t *testing.T) {
	own := map[string]int64{"sbtest1": 10}
	trial := Trial{Endpoint: Endpoint{Database: "assay"}, Groups: []Group{{Tenant: 1, Clients: 1}, {Tenant: 2, Clients: 1, Database: TenantDatabase("assay", 2)}}}
	if diff := cmp.Diff(map[string]int64{"tenant-1.sbtest1": 10, "tenant-2.sbtest1": 10}, trial.Everywhere(own)); diff != "" {
		t.Error(diff)
	}
	trial.Groups = []Group{{Clients: 1}, {Background: true, Clients: 1}}
	if diff := cmp.Diff(own, trial.Everywhere(own)); diff != "" {
		t.Error(diff)
	}
	if got := (Target{Database: "assay", Tenants: 3}).Schemas(); !cmp.Equal(got, []string{"assay", "assay_2", "assay_3"}) {
		t.Errorf("schemas %q", got)
	}
	if got := (Target{Database: "assay"}).Schemas(); !cmp.Equal(got, []string{"assay"}) {
		t.Errorf("schemas %q", got)
	}
}

// A reference that names no tenant and no second load means the workload as a whole.
func TestWhatAReferenceMeans(t *testing.T) {
	p95, tenant, second := map[string]string{"p": "95"}, map[string]string{"p": "95", LabelTenant: "2"}, map[string]string{"p": "95", LabelLoad: LoadBackground}
	for name, tc := range map[string]struct {
		some, labels map[string]string
		want         bool
	}{
		"the workload":                  {p95, p95, true},
		"nothing named":                 {nil, p95, true},
		"a tenant for the workload":     {p95, tenant, false},
		"a second load":                 {nil, second, false},
		"the tenant that is named":      {map[string]string{LabelTenant: "2"}, tenant, true},
		"another tenant":                {map[string]string{LabelTenant: "1"}, tenant, false},
		"the second load that is named": {map[string]string{LabelLoad: LoadBackground}, second, true},
		"a label of a custom tool":      {nil, map[string]string{LabelLoad: "high"}, true},
	} {
		if got := Selects(tc.some, tc.labels); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
