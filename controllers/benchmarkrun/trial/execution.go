package trial

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	servers "github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// startLead is how far ahead the start of several clients is published: by then the
	// last of them has heard of it.
	startLead = 500 * time.Millisecond
	// settle is the pause of several clients between the warm-up, which ends at no exact
	// time, and the measured window, and before a window without a warm-up.
	settle = time.Second
	// delayedTrips are round trips of a trial beside its window, with room: a thread of sysbench has up to a hundred before its first
	// operation, once in each of two processes, and two dozen in one that is under way at the end.
	delayedTrips = 300
	// verifying is how long counting rows and checksums may take at most, with room.
	verifying = 5 * time.Minute
)

// Input is what the executions of a run are decided from.
type Input struct {
	// Run as it was read, with the status of the last pass. Its inputs are resolved.
	Run *v1alpha1.BenchmarkRun
	// Now is the time of the pass.
	Now time.Time
	// Config of the operator. An object store that is not configured is none.
	config.Config
	// Work is what the run asks of its tool: what is loaded.
	Work experiment.Work
	// Demand of all clients together, the largest of all cells.
	Demand contract.Demand
	// Plan of the run; nil when it was lost, which leaves nothing to do but to clean up.
	Plan *plan.Plan
	// Recorded are the last records of the run: those of the last part.
	Recorded []contract.Record
	// Children of the run.
	Children decision.Children
}

// Execution is one phase of the workload on one target, by the clients of one Job.
type Execution struct {
	// Name of the trial's ConfigMap, and of the Job of clients that do not stand.
	Name string
	// Standing: it is carried out by clients that stand.
	Standing bool
	// Ref of the first client.
	Ref contract.TrialRef
	// Attempt at a trial, from 0.
	Attempt int32
	// Clients that work together, at least 1, and their groups: of tenants without the schema or the server of each, which follows from the target.
	Clients int
	Groups  []contract.Group
	// Workload of the cell as JSON.
	Workload json.RawMessage
	// Snapshot of the data after loading.
	Snapshot bool
	// Reset of the data before the trial, by a method of package result; empty for none.
	Reset string
	// Restart: the server is started again before the trial.
	Restart bool
	// Settings of the server in the cell of the trial.
	Settings []contract.VariedSetting
	// Busy is how long the clients work, as far as the spec says.
	Busy time.Duration
}

// phase of the execution.
func (e Execution) phase() contract.Phase { return contract.Phase(e.Ref.Phase) }

// resets says whether data is put back during the run.
func (in Input) resets() bool {
	d := in.Run.Spec.Design.DataReset
	return d == v1alpha1.ResetPerBlock || d == v1alpha1.ResetPerTrial
}

// Load fills a target with the workload's data, or looks at what is there.
func Load(in Input, target string) Execution {
	e := Execution{
		Name: contract.ReloadName(in.Run.Name, target, in.Run.Status.Releases),
		Ref:  contract.TrialRef{RunUID: string(in.Run.UID), Phase: string(contract.PhasePrepare), Target: target},
		Busy: in.Timeouts.Load.Duration, Workload: in.Work.Params, Clients: 1,
	}
	each := 1
	if in.Work.Tool.Data.SharesLoad && !in.Run.Target(target).HasData() {
		each = in.Work.Clients()
	}
	e.Clients, e.Groups = each*in.Run.Spec.TenantCount(), experiment.TenantsOf(in.Work, each)
	if in.named(e) {
		// One client decides by the store whether there is something to load, and the archive takes about as long as the load.
		e.Clients, e.Busy = 1, e.Busy+in.Timeouts.Load.Duration
	}
	e.Standing = in.standsFrom(e)
	if in.resets() && in.Run.Target(target).MySQL != nil {
		e.Snapshot = true
		e.Busy += in.Timeouts.Reset.Duration
	}
	if e.Settings = triedSettings(in.Run.Spec.Matrix); len(e.Settings) > 0 {
		e.Busy += in.Timeouts.Reset.Duration
	}
	return e
}

// standsFrom a look at data on: where no target is loaded, the client that stands looks at the data of all of them, and then has its pod
// already. Several clients are created for the trials, because one alone looks. A look that another manager began with a client of its own
// is left to that one.
func (in Input) standsFrom(e Execution) bool {
	loads := slices.ContainsFunc(in.Run.Spec.Targets, func(t v1alpha1.Target) bool { return t.Published == nil && !t.HasData() })
	return stands(in.Run) && in.Run.ClientCount() == 1 && !loads && in.Children.Jobs[e.Name] == nil
}

// triedSettings are all values that the running server will be asked to take: whether it does is known before hours of loading.
func triedSettings(matrix []v1alpha1.Axis) (out []contract.VariedSetting) {
	for _, axis := range matrix {
		name, is := axis.Setting()
		if !is || axis.Apply == v1alpha1.ApplyRestart {
			continue
		}
		for _, value := range axis.Values {
			out = append(out, contract.VariedSetting{Name: name, Value: value.String()})
		}
	}
	return out
}

// Cleanup drops the tables that a run made in an external target. It is not needed
// where the tool made nothing that could be dropped.
func Cleanup(in Input, target string) (e Execution, needed bool) {
	e = Execution{
		Name: contract.CleanupName(in.Run.Name, target),
		Ref:  contract.TrialRef{RunUID: string(in.Run.UID), Phase: string(contract.PhaseCleanup), Target: target},
		Busy: in.Timeouts.Cleanup.Duration, Workload: in.Work.Params, Clients: in.Run.Spec.TenantCount(), Groups: experiment.TenantsOf(in.Work, 1),
	}
	return e, !in.Work.Tool.Skips(message(in, e).Of(0), contract.PhaseCleanup)
}

// Measurement is an attempt at a trial of the plan. Workload, groups and length are those of its
// cell.
func Measurement(in Input, at journal.Position, workload json.RawMessage, groups []contract.Group, length runner.Length) Execution {
	t := in.Plan.Trials[at.Index]
	target := in.Plan.Targets[t.Target]
	e := Execution{
		Name: contract.TrialName(in.Run.Name, at.Index, at.Attempt), Attempt: at.Attempt, Workload: workload,
		Clients: in.Run.ClientCount(), Groups: groups, Standing: stands(in.Run),
		Ref: contract.TrialRef{
			RunUID: string(in.Run.UID), Phase: string(contract.PhaseRun), Target: target,
			Index: new(int(t.Index)), Block: new(int(t.Block)), Cell: new(int(t.Cell)), Attempt: int(at.Attempt),
		},
	}
	d := in.Run.Spec.Design
	asked := contract.Trial{
		Ref: e.Ref, Runner: in.Work.Tool.Name, Workload: e.Workload, Clients: e.Clients, Groups: e.Groups,
		WarmupSeconds: int64(d.Warmup.Seconds()), DurationSeconds: int64(d.Duration.Seconds()),
	}
	// Two processes come to their work, that of the warm-up and that which measures; the data may be checked at the end.
	asked = asked.Of(0)
	e.Busy = length.Most + settle + 2*in.Work.Tool.Opening(asked).Lead + in.Work.Tool.CheckTime(asked)
	if delay, err := runner.Delay(asked); err == nil && !in.Work.Tool.MeasuresOften() { // of the connections of both, and of what is under way at the end
		e.Busy += delayedTrips * delay
	}
	if d.MeasuresLoad() { // a stop of the server, statistics, and the count of the rows follow
		e.Busy += in.Timeouts.Reset.Duration + in.Timeouts.Load.Duration
	}
	if e.Restart = t.Restart; e.Restart {
		e.Busy += in.Timeouts.Reset.Duration
	}
	if e.Settings = settingsOf(in.Run.Spec.Matrix, in.Plan.Cells[t.Cell]); len(e.Settings) > 0 {
		e.Busy += in.Timeouts.Reset.Duration // a buffer pool that changes may take as long as a start
	}
	// An attempt that failed may have left anything behind.
	if t.Reset || at.Attempt > 0 && in.resets() {
		tenants := time.Duration(in.Run.Spec.TenantCount()) // their data is loaded again and counted one after the other
		e.Reset, e.Busy = contract.ResetSnapshot, e.Busy+in.Timeouts.Reset.Duration+tenants*verifying
		if in.Run.Target(target).External != nil {
			e.Reset, e.Busy = contract.ResetReload, e.Busy+tenants*in.Timeouts.Load.Duration
		}
	}
	return e
}

// settingsOf the server in a cell, in the order of the axes.
func settingsOf(matrix []v1alpha1.Axis, cell plan.Cell) (out []contract.VariedSetting) {
	for _, axis := range matrix {
		if name, is := axis.Setting(); is {
			value := cell[axis.Name]
			out = append(out, contract.VariedSetting{Name: name, Value: value.String(), Restart: axis.Apply == v1alpha1.ApplyRestart})
		}
	}
	return out
}

// message is what the clients of an execution are told, but for its deadline and for
// what a reset has to leave.
func message(in Input, e Execution) contract.Trial {
	t := in.Run.Target(e.Ref.Target)
	d := in.Run.Spec.Design
	trial := contract.Trial{
		Version: contract.TrialVersion, Ref: e.Ref, Runner: in.Work.Tool.Name, Workload: e.Workload, Clients: e.Clients, Groups: e.Groups,
		Restart: e.Restart, Settings: e.Settings, Measurement: in.Work.Measurement(), WarmupSeconds: int64(d.Warmup.Seconds()), DurationSeconds: int64(d.Duration.Seconds()),
		Snapshot: e.Snapshot, Loads: d.MeasuresLoad(), Demand: in.Demand.On(int64(in.Run.Spec.ServersOf(t))), Seed: seed(in),
		MaxResultBytes: clientBudget(in.Run), Store: storeOf(in), CPUs: resources.CPUs(in.Run),
		SharedServer: servers.SharesServer(in.Run.Spec.Targets, t),
	}
	if e.Clients > 1 {
		trial.SettleSeconds = settle.Seconds()
	}
	if trial.Measurement != nil {
		trial.DurationSeconds = int64(e.Busy.Seconds())
	}
	if in.Work.Tool.Skips(trial.Of(0), contract.PhaseWarmup) {
		trial.WarmupSeconds = 0 // nobody would do anything meanwhile
	}
	if t.External != nil {
		trial.Endpoint, trial.Existing = externalEndpoint(in.Run.Namespace, t.External), t.HasData()
		trial.Groups = tenantsIn(in, t, e.Groups, trial.Endpoint.Database)
		return trial
	}
	server := resources.Primary(in.Run, t)
	trial.Agent, trial.Existing = server.AgentAddress(), t.HasData()
	if t.Replicas() > 0 {
		for _, replica := range resources.Further(in.Run, t) {
			trial.Replicas = append(trial.Replicas, replica.AgentAddress())
		}
	}
	trial.Endpoint = contract.Endpoint{
		Host: server.Address(), Port: resources.DatabasePort, Database: resources.Database,
		TLS: contract.TLSMode(cmp.Or(t.MySQL.TLS, v1alpha1.TLSDisabled)), StorageEngine: t.MySQL.StorageEngine,
	}
	trial.Groups = tenantsIn(in, t, e.Groups, trial.Endpoint.Database)
	return trial
}

// externalEndpoint is where a server answers that Assay does not provide.
func externalEndpoint(namespace string, e *v1alpha1.ExternalTarget) contract.Endpoint {
	if e.JDBC != nil {
		return contract.Endpoint{TLS: contract.TLSMode(e.Encryption()), JDBC: &contract.JDBC{URL: e.JDBC.URL, Driver: e.JDBC.Driver}}
	}
	return contract.Endpoint{
		Host: e.HostIn(namespace), Port: e.Port, Database: e.Database, TLS: contract.TLSMode(e.Encryption()), InsecureSkipVerify: e.InsecureSkipVerify,
	}
}

// seed of the run. A run whose plan was lost has that of the status; one that was never
// planned has none, and starts no tool.
func seed(in Input) int64 {
	switch st := in.Run.Status.Plan; {
	case in.Plan != nil:
		return in.Plan.Seed
	case st != nil && st.Seed != nil:
		return *st.Seed
	}
	return 0
}
