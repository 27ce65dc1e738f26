package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// MostClients of a trial, those of all tenants and of a second load: one result each.
const MostClients = 64

// Group of clients of a trial: those of a tenant, those that measure, or those of a second load.
type Group struct {
	// Tenant is its number, from 1; 0 for clients of no tenant.
	Tenant int `json:"tenant,omitempty"`
	// Background: the clients are those of the second load.
	Background bool `json:"background,omitempty"`
	// Idle: they do nothing in this trial.
	Idle bool `json:"idle,omitempty"`
	// Clients of the group, at least 1.
	Clients int `json:"clients"`
	// Workload, where it is not that of the trial.
	Workload json.RawMessage `json:"workload,omitempty"`
	// Database is the schema that they work in, where it is not that of the trial's endpoint.
	Database string `json:"database,omitempty"`
	// Host and Agent (host:port) are the server of the group and its agent, where they are not those of the trial: a tenant has a server of its own.
	Host  string `json:"host,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Tables of that server after loading, where a reset has to leave them.
	Tables []Table `json:"tables,omitempty"`
}

// Measures says whether the clients of the group measure the workload.
func (g Group) Measures() bool { return !g.Background && !g.Idle }

// TenantDatabase is the schema of a tenant, from 1, in a server whose first tenant has the schema of a run without tenants.
func TenantDatabase(database string, tenant int) string {
	if tenant <= 1 {
		return database
	}
	return fmt.Sprintf("%s_%d", database, tenant)
}

// Together says whether the client has others beside it that start with it.
func (t Trial) Together() bool { return t.Clients > 1 || len(t.Groups) > 1 }

// Of is the trial as one of its clients knows it, by its index: the workload, the server and the schema of its group, and its place among the
// clients that share its data. The clients of a trial without groups share it all. One that measures has no share for those that do nothing in its
// place; a second load, or nothing in place of that, is beside it as any other client.
func (t Trial) Of(client int) Trial {
	t.Ref.Client = client
	if len(t.Groups) == 0 {
		return t
	}
	return t.in(t.GroupOf(client), client)
}

// in a group, the trial of one of its clients.
func (t Trial) in(own Group, client int) Trial {
	before, sharing, index := 0, 0, 0
	for _, g := range t.Groups {
		if g.Database == own.Database && g.Host == own.Host && (!g.Idle || g.Background || own.Idle) {
			if client >= before && client < before+g.Clients {
				index = sharing + client - before
			}
			sharing += g.Clients
		}
		before += g.Clients
	}
	t.Clients, t.Ref.Client, t.Tenant, t.Idle = sharing, index, own.Tenant, own.Idle
	t.Endpoint.Database = cmp.Or(own.Database, t.Endpoint.Database)
	t.Endpoint.Host, t.Agent = cmp.Or(own.Host, t.Endpoint.Host), cmp.Or(own.Agent, t.Agent)
	if own.Host != "" && t.Reset != nil {
		t.Reset = &Reset{Method: t.Reset.Method, Tables: own.Tables}
	}
	if own.Workload != nil {
		t.Workload = own.Workload
	}
	return t
}

// GroupOf a client, by its index; one that measures, where the trial has no groups.
func (t Trial) GroupOf(client int) Group {
	for _, g := range t.Groups {
		if client < g.Clients {
			return g
		}
		client -= g.Clients
	}
	return Group{Clients: t.Clients}
}

// Beside are the clients that use the server of a client, by their indices, with its own. They are all clients, unless tenants have servers of
// their own.
func (t Trial) Beside(client int) (out []int) {
	host := t.GroupOf(client).Host
	for i := range max(t.Clients, 1) {
		if t.GroupOf(i).Host == host {
			out = append(out, i)
		}
	}
	return out
}

// First says whether a client is the first of those that use its server. It looks after the server for all of them.
func (t Trial) First(client int) bool { return t.Beside(client)[0] == client }

// Firsts are the first clients of all servers.
func (t Trial) Firsts() (out []int) {
	for i := range max(t.Clients, 1) {
		if t.First(i) {
			out = append(out, i)
		}
	}
	return out
}

// Schemas are the names of the schemas of all tenants in the server of the trial's client, in their order; none where no tenant has another one beside
// it there.
func (t Trial) Schemas() (out []string) {
	host := t.GroupOf(t.Ref.Client).Host
	for _, g := range t.Groups {
		if g.Tenant > 0 && g.Host == host {
			out = append(out, cmp.Or(g.Database, t.Endpoint.Database))
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// Everywhere are the rows of tables by their names, which one tenant has, among those of all tenants (OfTenant). Without tenants they are
// as they were.
func (t Trial) Everywhere(rows map[string]int64) map[string]int64 {
	schemas := t.Schemas()
	if len(schemas) == 0 {
		return rows
	}
	out := make(map[string]int64, len(schemas)*len(rows))
	for i := range schemas {
		for table, n := range rows {
			out[OfTenant(i+1, table)] = n
		}
	}
	return out
}

// OfTenant is the name of a table of a tenant, from 1, among those of all tenants: the same on every server, whatever its schemas are called.
func OfTenant(tenant int, table string) string { return fmt.Sprintf("tenant-%d.%s", tenant, table) }
