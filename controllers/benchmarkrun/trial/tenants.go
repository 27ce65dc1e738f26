package trial

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/merge"
)

// tenantsIn gives each tenant from the second on what it has of its own in a target: a schema beside that of the endpoint, or a server.
func tenantsIn(in Input, t v1alpha1.Target, groups []contract.Group, database string) []contract.Group {
	out := slices.Clone(groups)
	for i, g := range out {
		switch {
		case g.Tenant <= 1:
		case t.OwnServers():
			server := resources.OfTenant(in.Run, t, g.Tenant)
			out[i].Host, out[i].Agent = server.Address(), server.AgentAddress()
		default:
			out[i].Database = contract.TenantDatabase(database, g.Tenant)
		}
	}
	return out
}

// serverPods are the names of the StatefulSets of these servers.
func serverPods(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) (names []string) {
	names = []string{contract.TargetName(run.Name, t.Name)}
	for further := range run.Spec.ServersOf(t) - 1 {
		names = append(names, resources.FurtherName(run.Name, t, further))
	}
	return names
}

// loadResultOn is what loading one of the servers of a target delivered, from 0: that of the first client there.
func loadResultOn(in Input, target string, server int, ask *decision.Asking) decision.Fact[decision.Delivered] {
	return ask.Result(loadName(in, target, server))
}

func loadName(in Input, target string, server int) string {
	name := in.Run.TargetStatus(target).LoadResult
	if server == 0 || name == "" {
		return name
	}
	firsts := message(in, Load(in, target)).Firsts()
	return contract.ResultName(strings.TrimSuffix(name, contract.ResultName("", 0)), firsts[server])
}

// loadedData is the result of loading a target with the tables of all its servers, as joined names them. Of servers of which one says nothing, it
// is that one's.
func loadedData(in Input, target string, ask *decision.Asking) decision.Fact[decision.Delivered] {
	out := loadResult(in, target, ask)
	var all []contract.Result
	for server := range in.Run.Spec.ServersOf(in.Run.Target(target)) {
		one := loadResultOn(in, target, server, ask)
		if !saysData(one) {
			return one
		}
		all = append(all, one.Value.Result)
	}
	out.Value.Result = joined(all)
	return out
}

// joined results of loading the servers of a target: the first one, with the tables of all tenants by the names that they have where all are in one
// server. A single server has named them.
func joined(all []contract.Result) contract.Result {
	out := all[0]
	if len(all) == 1 || out.Data == nil {
		return out
	}
	data := *out.Data
	data.Tables = nil
	for i, one := range all {
		if one.Data == nil {
			continue
		}
		for _, table := range one.Data.Tables {
			table.Name = contract.OfTenant(i+1, table.Name)
			data.Tables = append(data.Tables, table)
		}
	}
	out.Data = &data
	return out
}

// firstsOf the results of an execution are those of the first client of each server.
func firstsOf(asked contract.Trial, results []contract.Result) (out []contract.Result) {
	for _, r := range results {
		if asked.First(r.Trial.Client) {
			out = append(out, r)
		}
	}
	return out
}

// served is what the clients of one server measured together. The skew is that of all that worked on it.
type served struct {
	// first is its first client.
	first   int
	results []contract.Result
	merged  contract.Result
	skew    merge.Skew
}

// serversIn are the servers of a trial in which tenants have servers of their own, with what was measured on each; none in any other.
func serversIn(asked contract.Trial, measuring []contract.Result) (out []served, err error) {
	firsts := asked.Firsts()
	if len(firsts) < 2 {
		return nil, nil
	}
	for _, first := range firsts {
		one := served{first: first}
		beside := asked.Beside(first)
		for _, r := range measuring {
			if slices.Contains(beside, r.Trial.Client) {
				one.results = append(one.results, r)
			}
		}
		if one.merged, one.skew, err = merge.Results(one.results); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}
