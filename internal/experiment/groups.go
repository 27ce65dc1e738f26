package experiment

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/groups"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// mostServers of tenants in a target: the status has them.
	mostServers = 8
	// maxSchema is the longest name of a schema of the MySQL family, in characters.
	maxSchema = 64
)

// tenantNames are the measurements about tenants that records have.
func tenantNames(spec v1alpha1.BenchmarkRunSpec) []string {
	if spec.TenantCount() < 2 {
		return nil
	}
	return groups.Names()
}

// LoadersOf a run are the clients that load a target: of each tenant those that share its load, or one.
func LoadersOf(w Work) int {
	if w.Tool.Data.SharesLoad {
		return w.spec.MeasuringClients()
	}
	return w.spec.TenantCount()
}

// checkGroups refuses tenants and a second load where they cannot be.
func checkGroups(spec v1alpha1.BenchmarkRunSpec, tool runner.Runner, params json.RawMessage) error {
	n := spec.MeasuringClients() + spec.BackgroundClients()
	if n > contract.MostClients {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.clients.count: %d tenants x %d clients + %d of spec.background are %d client pods, and a trial has at most %d: use fewer",
			spec.TenantCount(), max(spec.Clients.Count, 1), spec.BackgroundClients(), n, contract.MostClients)
	}
	for _, group := range []struct {
		field string
		is    bool
	}{{"tenants", spec.TenantCount() > 1}, {"background", spec.Background != nil}} {
		if !group.is {
			continue
		}
		switch {
		case tool.MeasuresOften():
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.%s: workload.%s makes many measurements one after the other, in one client: leave it out, or use another tool", group.field, tool.Name)
		case spec.Design.MeasuresLoad():
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.%s: a trial that measures a load (design.measures: Load) is one load of one schema: leave it out", group.field)
		}
	}
	if err := cmp.Or(checkClientsAxis(spec, tool, params), checkServers(spec)); err != nil || spec.TenantCount() < 2 {
		return err
	}
	for i, t := range spec.Targets {
		switch {
		case t.HasData():
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d]: the data of target %s exists before the run, and is that of one tenant: leave spec.tenants out, or let the run load its data", i, t.Name)
		case t.External != nil && len(contract.TenantDatabase(t.External.Database, spec.TenantCount())) > maxSchema:
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].external.database: %s is too long for the schemas of %d tenants (%s), and a schema has at most %d characters: use a shorter name",
				i, t.External.Database, spec.TenantCount(), contract.TenantDatabase(t.External.Database, spec.TenantCount()), maxSchema)
		case isJDBC(t):
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].external.jdbc: its URL names one database, and each of spec.tenants needs one: leave tenants out, or give the host of a server of the MySQL family", i)
		}
	}
	if err := checkSchemas(spec); err != nil {
		return err
	}
	if spec.Data != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.data: a data set is that of one schema, and each of spec.tenants has one: leave one of them out")
	}
	return nil
}

// checkClientsAxis refuses an axis of the clients that work where it cannot be.
func checkClientsAxis(spec v1alpha1.BenchmarkRunSpec, tool runner.Runner, params json.RawMessage) error {
	i := slices.IndexFunc(spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == v1alpha1.AxisClients })
	if i < 0 {
		return nil
	}
	const ownRate = "spec.matrix[%d]: the axis clients is how many clients of one workload work at a rate of their own: leave it out, or spec.%s"
	switch {
	case spec.TenantCount() > 1:
		return Refuse(v1alpha1.ReasonInvalidSpec, ownRate, i, "tenants")
	case spec.Search != nil:
		return Refuse(v1alpha1.ReasonInvalidSpec, ownRate, i, "search")
	case tool.MeasuresOften():
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix[%d]: the axis clients: workload.%s makes many measurements one after the other, in one client: leave it out", i, tool.Name)
	}
	var named struct{ Parameters, Options map[string]string }
	if err := json.Unmarshal(params, &named); err != nil {
		return fmt.Errorf("the workload: %w", err)
	}
	for kind, texts := range map[string]map[string]string{"parameter": named.Parameters, "option": named.Options} {
		if _, is := texts[v1alpha1.AxisClients]; is {
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix[%d]: the axis clients is how many client pods work, and the workload has a %s of that name: call that otherwise", i, kind)
		}
	}
	most, working := int(max(spec.Clients.Count, 1)), 0
	for _, value := range spec.Matrix[i].Values {
		n, err := strconv.Atoi(value.String())
		if err != nil || n < 1 || n > most || strconv.Itoa(n) != value.String() {
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.matrix[%d]: clients: %s: use whole numbers from 1 to %d (spec.clients.count)", i, value.String(), most)
		}
		working = max(working, n)
	}
	if working < most {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.clients.count: %d client pods, of which at most %d work (spec.matrix[%d], clients): use count: %d", most, working, i, working)
	}
	return nil
}

// checkSchemas refuses external targets on one server of which one has a schema of another, as far as their addresses tell.
func checkSchemas(spec v1alpha1.BenchmarkRunSpec) error {
	owner := map[string]int{}
	for i, t := range spec.Targets {
		if t.External == nil {
			continue
		}
		for tenant := range spec.TenantCount() {
			schema := contract.TenantDatabase(t.External.Database, tenant+1)
			of := t.External.Server() + "/" + schema
			if other, taken := owner[of]; taken {
				return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].external.database: tenant %d of target %s has the schema %s, which spec.targets[%d] has on the same server: use names that differ otherwise than by a number",
					i, tenant+1, t.Name, schema, other)
			}
			owner[of] = i
		}
	}
	return nil
}

// checkServers refuses servers of tenants where they cannot be.
func checkServers(spec v1alpha1.BenchmarkRunSpec) error {
	for i, t := range spec.Targets {
		if !t.OwnServers() {
			continue
		}
		why := ""
		switch s := t.MySQL.Storage; {
		case spec.TenantCount() < 2:
			why = "it is for a run with spec.tenants of 2 or more: leave it out, or set tenants"
		case spec.TenantCount() > mostServers:
			why = fmt.Sprintf("at most %d tenants have a server each: use fewer, or tenancy: Databases", mostServers)
		case t.MySQL.Replication != nil:
			why = "no server of a tenant has replicas: leave mysql.replication out, or tenancy"
		case s.FromRun != nil || s.FromSnapshot != nil || s.Retain || s.Snapshot != nil:
			why = "mysql.storage.retain, snapshot, fromRun and fromSnapshot are about one volume, and each tenant has one: leave them out, or tenancy"
		}
		if why != "" {
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].mysql.tenancy: Servers: %s", i, why)
		}
	}
	return nil
}

// GroupsOf the clients of a trial of a cell, in their order; none where all of them measure the workload on the same data. It fails for a
// second load that cannot be.
func GroupsOf(w Work, cell plan.Cell) ([]contract.Group, error) {
	measuring := working(w, cell)
	if w.spec.Background == nil && measuring == w.Clients() {
		return TenantsOf(w, measuring), nil
	}
	out := []contract.Group{{Clients: measuring}}
	if idle := w.Clients() - measuring; idle > 0 {
		out = append(out, contract.Group{Idle: true, Clients: idle})
	}
	if w.spec.Background == nil {
		return out, nil
	}
	params, second, err := secondLoad(w, cell)
	if err != nil {
		return nil, err
	}
	if second > 0 {
		out = append(out, contract.Group{Background: true, Clients: second, Workload: params})
	}
	if idle := w.spec.BackgroundClients() - second; idle > 0 {
		out = append(out, contract.Group{Background: true, Idle: true, Clients: idle})
	}
	return out, nil
}

// TenantsOf a run are the groups of so many clients each; none of a run without tenants.
func TenantsOf(w Work, clients int) (out []contract.Group) {
	if w.spec.TenantCount() < 2 {
		return nil
	}
	for tenant := range w.spec.TenantCount() {
		out = append(out, contract.Group{Tenant: tenant + 1, Clients: clients})
	}
	return out
}

// secondLoad is the workload of the second load in a cell, and how many of its clients work. It is spec.workload, whatever the cell makes
// of that, with the fields of spec.background.workload and those that an axis gives it.
func secondLoad(w Work, cell plan.Cell) (json.RawMessage, int, error) {
	fields, varied := cell.Background()
	clients := w.spec.BackgroundClients()
	if varied != nil {
		n, err := strconv.Atoi(varied.String())
		if err != nil || n < 0 || n > clients || strconv.Itoa(n) != varied.String() { // "01" would be a cell beside "1"
			return nil, 0, fmt.Errorf("background.clients: %s: use whole numbers from 0 to %d (spec.background.clients)", varied.String(), clients)
		}
		clients = n
	}
	all := plan.Cell(maps.Clone(w.spec.Background.Workload))
	maps.Copy(all, fields)
	fixed, err := w.Tool.DataFields(w.Params)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(fixed, name) {
			return nil, 0, fmt.Errorf("background: %s decides what is loaded, and the second load works on the data of spec.workload: leave it out", name)
		}
	}
	params, err := plan.ApplySecond(w.Params, all, w.schema)
	return params, clients, err
}

// secondDemand is what one client of the second load of a cell needs of a server, and how many of them work. A plan that is not written down yet
// has to be one whose second load can be carried out.
func secondDemand(w Work, p *Planned, i int, trial contract.Trial) (contract.Demand, int64, error) {
	if w.spec.Background == nil {
		return contract.Demand{}, 0, nil
	}
	cell := p.Plan.Cells[i]
	params, clients, err := secondLoad(w, cell)
	if err != nil {
		return contract.Demand{}, 0, err
	}
	first := trial
	first.Clients, first.WarmupSeconds = working(w, cell)+w.spec.BackgroundClients(), int64(w.spec.Design.Warmup.Seconds())
	trial = first
	trial.Workload = params
	if p.checks.wanted {
		if err := checkSecond(w, &p.checks, i, cell, first, trial); err != nil {
			return contract.Demand{}, 0, err
		}
	}
	demand, _, err := w.Tool.Demand(trial)
	return demand, int64(clients), err
}

// checkSecond refuses a second load that cannot be carried out on the data of the workload.
func checkSecond(w Work, c *checks, i int, cell plan.Cell, first, trial contract.Trial) error {
	expected, err := w.Tool.Expectations(trial)
	if err != nil {
		return fmt.Errorf("background: %w", err)
	}
	if err := cmp.Or(checkIntervals(w, expected), checkDelay(w, trial)); err != nil {
		return fmt.Errorf("background: %w", err)
	}
	if w.Tool.Opening(trial) != w.Tool.Opening(first) {
		return errors.New("background: it comes to its window in another way than the workload, so that both would not begin together: " +
			"let both work for design.duration, or both for a number of operations")
	}
	if err := checkExisting(w, i, cell, trial); err != nil {
		return err
	}
	other, err := otherTables(w, trial, c.loaded)
	if err != nil {
		return fmt.Errorf("background: %w", err)
	}
	if other != "" {
		return fmt.Errorf("background: it %s: use a workload on the same data", other)
	}
	// What two loads leave of the data nobody can foresee from what each does alone.
	if worn, known, err := w.Tool.Wear(trial); err == nil && known && (worn.Deletes > 0 || worn.Inserts > 0) {
		c.unknown = true
	}
	return nil
}
