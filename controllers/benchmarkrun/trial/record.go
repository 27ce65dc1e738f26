package trial

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/groups"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/podhealth"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
)

// Planned is the record of an attempt of which nothing is known but what was planned. RateField is
// the parameter with the rate that a decision offers; empty where none does.
func Planned(p *plan.Plan, at journal.Position, rateField string) contract.Record {
	t := p.Trials[at.Index]
	rec := contract.Record{Index: t.Index, Attempt: at.Attempt, Block: t.Block, Cell: t.Cell, Target: p.Targets[t.Target], Rate: at.Rate}
	parameters := map[string]contract.Scalar{}
	for name, value := range p.Cells[t.Cell] {
		parameters[name] = contract.Scalar{Text: value.StrVal, Int: value.IntVal, IsInt: value.Type == intstr.Int}
	}
	if rateField != "" && at.Rate > 0 && at.Rate <= math.MaxInt32 {
		parameters[rateField] = contract.Scalar{Int: int32(at.Rate), IsInt: true}
	}
	if len(parameters) > 0 {
		rec.Parameters = parameters
	}
	return rec
}

// Record of an attempt that ended, for the journal. It has no meaning while questions are
// open.
func Record(in Input, e Execution, at journal.Position, end End, ask *decision.Asking) contract.Record {
	rec := describe(in, e, at, end)
	rec.TargetNodeName = cmp.Or(rec.TargetNodeName, commonBehind(in, e, ask).NodeName)
	rec.Facts = facts(in, e, rec, end, ask)
	rec.Delivered = append(loadDelivered(in, at, ask), end.Delivered...)
	if !end.failed() {
		all, err := outcomeOf(in, e, end.Results)
		if err != nil {
			end = end.with(v1alpha1.ReasonResultContradictory, "the results of the clients cannot be merged: "+err.Error())
		} else {
			evaluate(in, e, all, &rec, ask)
		}
	}
	rec.Findings = append(rec.Findings, end.Lost...)
	if end.failed() {
		rec.State, rec.Reason, rec.Message = contract.Failed, end.Reason, end.Message
		d := in.Run.Spec.Design
		rec.Final = d.OnTrialFailure != v1alpha1.OnFailureRetry || at.Attempt >= d.MaxRetries || in.Work.Search.Explains(rec)
	}
	return in.bounded(rec)
}

// loadDelivered has the digests of what the clients delivered that loaded the target of an
// attempt, if it is the first one on this target since then.
func loadDelivered(in Input, at journal.Position, ask *decision.Asking) []contract.RecordedDelivery {
	t := in.Plan.Trials[at.Index]
	since := in.Run.Status.ReleasedBeforeTrial
	first := slices.IndexFunc(in.Plan.Trials, func(o plan.Trial) bool { return o.Target == t.Target && o.Index >= since })
	target := in.Plan.Targets[t.Target]
	if in.Work.Search != nil { // the first one of the plan may have been skipped
		first = int(t.Index)
		if slices.ContainsFunc(in.Recorded, func(r contract.Record) bool { return r.Target == target && r.Index >= since && r.Index != t.Index }) {
			return nil
		}
	}
	again := at.Attempt > 0 && (since == 0 || t.Index != since)
	if int32(first) != t.Index || again || in.Run.TargetStatus(target).LoadResult == "" {
		return nil
	}
	var out []contract.RecordedDelivery
	load := Load(in, target)
	for i := range load.Clients {
		name := contract.ResultName(load.Name, i)
		if stored := ask.Stored(name); stored.Value.Exists {
			out = append(out, contract.RecordedDelivery{ConfigMap: name, Digests: stored.Value.Digests})
		}
	}
	return out
}

// Broken is the record of an attempt that was under way when the run failed.
func Broken(in Input, at journal.Position, failure decision.Failed) contract.Record {
	rec := Planned(in.Plan, at, in.Work.Search.Parameter())
	name := contract.TrialName(in.Run.Name, at.Index, at.Attempt)
	rec.State, rec.Result, rec.CompletionTime, rec.Final = contract.Failed, contract.ResultName(name, 0), &in.Now, true
	rec.ResultBytes = int64(in.Run.ClientCount()) * budget.OfResult(clientBudget(in.Run))
	rec.Reason, rec.Message = failure.Reason, "the run ended before the trial did: "+failure.Message
	return in.bounded(rec)
}

// describe says where and when an attempt ran.
func describe(in Input, e Execution, at journal.Position, end End) contract.Record {
	rec := Planned(in.Plan, at, in.Work.Search.Parameter())
	rec.State, rec.Final, rec.Result, rec.CompletionTime = contract.Succeeded, true, contract.ResultName(e.Name, 0), &in.Now
	rec.ResultBytes = end.Bytes
	rec.TargetNodeName, rec.Load = in.Run.PlacementOf(rec.Target).NodeName, in.Run.TargetStatus(rec.Target).LoadResult
	for _, pod := range end.Pods {
		rec.ClientNodeNames = append(rec.ClientNodeNames, pod.Spec.NodeName)
		if class := pod.Status.QOSClass; rec.ClientQOSClass == "" || class != "" && class != corev1.PodQOSGuaranteed { // one that is not is told
			rec.ClientQOSClass = string(class)
		}
	}
	rec.ClientImageID = toolImageID(end.Pods)
	if len(end.Results) == 0 {
		return rec
	}
	first := end.Results[0]
	if from, to, ok := contract.MeasuredWindow(first); ok {
		rec.WindowStartTime, rec.WindowEndTime = &from, &to
	}
	rec.MachineSpeed = machineSpeed(first)
	for _, res := range end.Results { // of several servers the slowest counts
		if res.Data == nil {
			continue
		}
		if reset := res.Data.Reset; reset != nil {
			rec.ResetSeconds = longer(rec.ResetSeconds, reset.Ended.Sub(reset.Started))
		}
		if restart := res.Data.Restart; restart != nil {
			rec.RestartSeconds = longer(rec.RestartSeconds, restart.Ended.Sub(restart.Started))
		}
	}
	return rec
}

// longer of two times, in seconds; nil is no time.
func longer(a *float64, b time.Duration) *float64 {
	if a == nil {
		return new(b.Seconds())
	}
	return new(max(*a, b.Seconds()))
}

// facts are the circumstances of a trial that has a result.
func facts(in Input, e Execution, rec contract.Record, end End, ask *decision.Asking) contract.Facts {
	if len(end.Results) == 0 {
		return ""
	}
	st, target := in.Run.TargetStatus(rec.Target), in.Run.Target(rec.Target)
	from := likeness.Source{
		Result: end.Results[0], ServerImageID: st.ImageID, ClientImageID: rec.ClientImageID, Node: rec.TargetNodeName, FsyncsPerCommit: st.FsyncsPerCommit,
		ByAddress: target.External != nil && target.Service() == nil, Set: setInTargets(in.Run), Varied: varied(in.Run), RetainedBy: retainedBy(in.Run, rec.Target), CopiedFrom: copiedFrom(in.Run, rec.Target),
	}
	if target.Service() != nil { // it may have other pods than before
		now := commonBehind(in, e, ask)
		from.ServerImageID, from.ServerLimits = now.ImageID, now.Limits
	}
	if st.LoadResult != "" {
		if loaded := loadedData(in, rec.Target, ask); saysData(loaded) {
			from.Loaded, from.SameBytes = loaded.Value.Result, in.Work.Tool.SameBytes(message(in, e).Of(0))
		}
	}
	return likeness.FactsOf(from)
}

// varied are the variables that are parameters of the trials.
func varied(run *v1alpha1.BenchmarkRun) (out []string) {
	for _, axis := range run.Spec.Matrix {
		if name, is := axis.Setting(); is {
			out = append(out, name)
		}
	}
	return out
}

// setInTargets are the variables that a server of the run has set. The data of all targets is loaded before the first trial, so that
// the list is the same for all trials.
func setInTargets(run *v1alpha1.BenchmarkRun) (out []string) {
	for _, t := range run.Status.Targets {
		for _, s := range t.NonDefault {
			out = append(out, s.Name)
		}
	}
	return out
}

// outcome is what the clients measured together.
type outcome struct {
	// working are the results of the clients that did anything, and measuring are those of them that measured the workload.
	working, measuring []contract.Result
	// merged are those that measured, and apart has the measurements of each tenant and of a second load.
	merged contract.Result
	apart  []contract.Measurement
	// skew of those that worked, and own is that of those that measured.
	skew, own merge.Skew
	// shared: another load was at work beside the workload.
	shared bool
	// within: the tool makes the other load itself.
	within bool
	// servers are those of tenants that have servers of their own; none where there is one.
	servers []served
}

// each server that was measured, with what all clients measured on it.
func (o outcome) each() []served {
	if len(o.servers) > 0 {
		return o.servers
	}
	return []served{{results: o.measuring, merged: o.merged, skew: o.skew}}
}

func outcomeOf(in Input, e Execution, results []contract.Result) (out outcome, err error) {
	asked := message(in, e)
	own, err := in.Work.Tool.Expectations(asked.Of(0))
	if err != nil {
		own = runner.Expectations{} // check says so, and what was measured stays
	}
	out = outcome{working: groups.Working(asked, results), measuring: groups.Measuring(asked, results), shared: own.Shared || groups.Shared(asked), within: own.Shared}
	if out.merged, out.own, err = merge.Results(out.measuring); err != nil {
		return out, err
	}
	out.skew = merge.SkewOf(out.working)
	if out.servers, err = serversIn(asked, out.measuring); err != nil {
		return out, err
	}
	out.apart, err = groups.Apart(asked, out.working, in.Work.Tool)
	return out, err
}

// evaluate compares the results of the clients with what can be true, and writes what was
// measured and found into the record.
func evaluate(in Input, e Execution, all outcome, rec *contract.Record, ask *decision.Asking) {
	rec.StartSkewSeconds, rec.StartSkewUncertaintySeconds = all.skew.SpreadSeconds, all.skew.SpreadUncertaintySeconds
	all.merged.Measurements = loadedBy(in, e, all.merged)
	all.merged.Measurements = slices.Concat(all.merged.Measurements, costsOf(in, all, rec.Target), levelsOf(all), all.apart)
	// Those of groups come last, so that a record that is full has the others.
	measured := values(in.Work.Names(), all.merged)
	slices.SortStableFunc(measured, func(a, b contract.RecordedValue) int {
		return contract.First(contract.OfGroup(b.Labels), contract.OfGroup(a.Labels))
	})
	rec.Values = measured[:min(len(measured), in.mostValues())]
	rec.Findings, rec.LimitedBy = check(in, e, all)
	rec.Throttled = throttledIn(all.measuring)
	rec.Findings = append(rec.Findings, checkShapes(in, *rec, all.working, ask)...)
	rec.Findings = append(rec.Findings, checkTogether(in, e, all, ask)...)
	if cut := len(measured) - len(rec.Values); cut > 0 {
		rec.Findings = append(rec.Findings, contract.RecordedFinding{Check: "values-cut", Severity: string(validity.Warning), Message: fmt.Sprintf(
			"%d values of this trial are in its result only: a record holds %d, and the summary those of the record; use fewer labels, fewer clients, or fewer trials", cut, in.mostValues())})
	}
	// Of several clients that measure, one that could not offer its share is enough.
	rec.Saturated = slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool {
		return f.Check == validity.CheckSaturated && (f.Client == nil || in.Run.Spec.Measures(int(*f.Client)))
	})
	rec.Findings = append(rec.Findings, neighbours(in, *rec, ask)...)
	rec.Findings = append(rec.Findings, checkBehind(in, e, *rec, ask)...)
	rec.Findings = append(rec.Findings, anotherServer(in, *rec)...)
	for _, f := range in.Run.TargetStatus(rec.Target).InvalidatedBy {
		rec.Findings = append(rec.Findings, contract.RecordedFinding{Check: f.Check, Severity: f.Severity, Message: f.Message})
	}
	rec.Valid = new(!slices.ContainsFunc(rec.Findings, hasSeverity(validity.Invalid)))
	rec.Disturbed = slices.ContainsFunc(rec.Findings, hasSeverity(validity.Disturbed))
	if !in.Run.Spec.Design.MeasuresLoad() { // a table that grows is no steady state
		steadiness(all, rec)
	}
}

// steadiness of the throughput of all clients together. It never decides whether a trial counts,
// and needs no finding where the trial does not count anyway.
func steadiness(all outcome, rec *contract.Record) {
	from, to := 0.0, math.Inf(1)
	if all.own.FromSeconds != nil && all.own.ToSeconds != nil {
		from, to = *all.own.FromSeconds, *all.own.ToSeconds
	}
	state, found := validity.Steadiness(all.merged, from, to)
	rec.Steadiness = string(state)
	if *rec.Valid && !rec.Disturbed {
		rec.Findings = append(rec.Findings, allRecorded(found)...)
	}
}

// hasSeverity is a predicate of findings.
func hasSeverity(s validity.Severity) func(contract.RecordedFinding) bool {
	return func(f contract.RecordedFinding) bool { return f.Severity == string(s) }
}

// neighbours are notes about foreign pods on the nodes of a trial. To be there is not to
// disturb: what others used during the window is what counts, see
// validity.CheckNeighbours. A manager that may look at its own namespaces only cannot say.
func neighbours(in Input, rec contract.Record, ask *decision.Asking) []contract.RecordedFinding {
	if rec.WindowStartTime == nil || rec.WindowEndTime == nil {
		return nil
	}
	nodes := append(slices.Clone(rec.ClientNodeNames), rec.TargetNodeName)
	if in.Run.Target(rec.Target).OwnServers() {
		nodes = append(nodes, in.Run.PlacementOf(rec.Target).ReplicaNodeNames...)
	}
	slices.Sort(nodes)
	var out []contract.RecordedFinding
	for _, node := range slices.Compact(nodes) {
		if node == "" {
			continue
		}
		pods := ask.PodsOn(node)
		if pods.Known && !pods.Exists {
			return nil
		}
		if names := withoutServers(in, podhealth.Others(pods.Value, string(in.Run.UID), node, *rec.WindowStartTime, *rec.WindowEndTime)); len(names) > 0 {
			out = append(out, contract.RecordedFinding{
				Check: "second-workload", Severity: string(validity.Note),
				Message: fmt.Sprintf("on node %s ran also: %s", node, abridged(names)),
			})
		}
	}
	return out
}

// ClientNodes describes the nodes of the clients of an execution that are not in the list
// yet, once each, and says the CPU model of those that are there without one. One that is
// gone is left out.
func ClientNodes(known []v1alpha1.NodeInfo, end End, ask *decision.Asking) []v1alpha1.NodeInfo {
	models := map[string]string{} // empty where a client did not say
	for _, pod := range end.Pods {
		models[pod.Spec.NodeName] = ""
	}
	for _, res := range end.Results {
		models[res.Client.Node] = res.Client.Machine.CPUModel
	}
	delete(models, "")
	var out []v1alpha1.NodeInfo
	for _, name := range slices.Sorted(maps.Keys(models)) {
		i := slices.IndexFunc(known, func(n v1alpha1.NodeInfo) bool { return n.Name == name })
		switch {
		case i < 0:
			if node := ask.Node(name); node.Exists {
				info := v1alpha1.DescribeNode(node.Value)
				info.CPUModel = models[name]
				out = append(out, info)
			}
		case known[i].CPUModel == "" && models[name] != "":
			out = append(out, v1alpha1.NodeInfo{Name: name, CPUModel: models[name]})
		}
	}
	return out
}

// abridged is a list of which a reader reads the beginning.
func abridged(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
