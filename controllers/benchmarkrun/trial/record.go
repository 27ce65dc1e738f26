package trial

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/validity"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/podhealth"

	"github.com/assay-bench/assay/internal/merge"
)

// Status of an attempt that runs.
func Status(p *plan.Plan, at journal.Position) v1alpha1.TrialStatus {
	t := p.Trials[at.Index]
	st := v1alpha1.TrialStatus{
		Index: t.Index, Attempt: at.Attempt, Block: t.Block, Cell: t.Cell, Target: p.Targets[t.Target], State: v1alpha1.TrialRunning,
	}
	if cell := p.Cells[t.Cell]; len(cell) > 0 {
		st.Parameters = cell
	}
	return st
}

// Record of an attempt that ended, for the journal. It has no meaning while questions are
// open.
func Record(in Input, e Execution, at journal.Position, end End, ask *decision.Asking) journal.Record {
	rec := journal.Record{TrialStatus: describe(in, e, at, end), Final: true}
	if !end.failed() {
		merged, skew, err := merge.Results(end.Results)
		if err != nil {
			end = end.with(v1alpha1.ReasonResultContradictory, "the results of the clients cannot be merged: "+err.Error())
		} else {
			evaluate(in, e, end.Results, outcome{merged, skew}, &rec, ask)
		}
	}
	if end.failed() {
		rec.State, rec.Reason, rec.Message = v1alpha1.TrialFailed, end.Reason, end.Message
		d := in.Run.Spec.Design
		rec.Final = d.OnTrialFailure != v1alpha1.OnFailureRetry || at.Attempt >= d.MaxRetries
	}
	return rec
}

// Broken is the record of an attempt that was under way when the run failed.
func Broken(in Input, at journal.Position, failure decision.Failed) journal.Record {
	st := Status(in.Plan, at)
	name := contract.TrialName(in.Run.Name, at.Index, at.Attempt)
	st.State, st.Result, st.Ended = v1alpha1.TrialFailed, contract.ResultName(name, 0), &metav1.MicroTime{Time: in.Now}
	st.Reason, st.Message = failure.Reason, "the run ended before the trial did: "+failure.Message
	return journal.Record{TrialStatus: st, Final: true}
}

// describe says where and when an attempt ran.
func describe(in Input, e Execution, at journal.Position, end End) v1alpha1.TrialStatus {
	st := Status(in.Plan, at)
	st.State, st.Result = v1alpha1.TrialSucceeded, contract.ResultName(e.Name, 0)
	st.Ended = &metav1.MicroTime{Time: in.Now}
	st.TargetNode = in.Run.PlacementOf(st.Target).Node
	for _, pod := range end.Pods {
		st.Nodes = append(st.Nodes, pod.Spec.NodeName)
		st.ClientQOSClass = string(pod.Status.QOSClass)
		for _, c := range pod.Status.ContainerStatuses {
			if c.Name == resources.RunnerContainer && c.ImageID != "" {
				st.ClientImageID = c.ImageID
			}
		}
	}
	if len(end.Results) == 0 {
		return st
	}
	first := end.Results[0]
	if from, to, ok := contract.MeasuredWindow(first); ok {
		st.MeasureStarted, st.MeasureEnded = &metav1.MicroTime{Time: from}, &metav1.MicroTime{Time: to}
	}
	st.MachineSpeed = machineSpeed(first)
	if first.Data != nil && first.Data.Reset != nil {
		reset := first.Data.Reset
		st.ResetTime = v1alpha1.Decimal(reset.Ended.Sub(reset.Started).Seconds())
	}
	return st
}

// outcome is what the clients measured together.
type outcome struct {
	merged contract.Result
	skew   merge.Skew
}

// evaluate compares the results of the clients with what can be true, and writes what was
// measured and found into the record.
func evaluate(in Input, e Execution, results []contract.Result, all outcome, rec *journal.Record, ask *decision.Asking) {
	if all.skew.SpreadSeconds != nil {
		rec.StartSkew = v1alpha1.Decimal(*all.skew.SpreadSeconds)
	}
	if u := all.skew.SpreadUncertaintySeconds; u != nil {
		rec.StartSkewUncertainty = v1alpha1.Decimal(*u)
	}
	rec.Values = values(in.Work.Tool.Summary, all.merged)
	rec.Findings, rec.LimitedBy = check(in, e, results, all.skew)
	rec.Throttled = throttledIn(results)
	rec.Findings = append(rec.Findings, checkTogether(in, e, all, ask)...)
	if cut := valuesOf(in.Work.Tool.Summary, all.merged) - len(rec.Values); cut > 0 {
		rec.Findings = append(rec.Findings, v1alpha1.Finding{Check: "values-cut", Severity: string(validity.Warning), Message: fmt.Sprintf(
			"%d values of this trial are in its result only: a record holds %d, and the summary those of the record; use fewer labels, or fewer clients", cut, maxValues)})
	}
	// Of several clients, one that could not offer its share is enough.
	rec.Saturated = slices.ContainsFunc(rec.Findings, func(f v1alpha1.Finding) bool { return f.Check == validity.CheckSaturated })
	rec.Findings = append(rec.Findings, neighbours(in, rec.TrialStatus, ask)...)
	rec.Findings = append(rec.Findings, in.Run.TargetStatus(rec.Target).InvalidatedBy...)
	for i := range rec.Findings {
		rec.Findings[i].Trial, rec.Findings[i].Target = new(rec.Index), rec.Target
	}
	rec.Valid = new(!slices.ContainsFunc(rec.Findings, v1alpha1.Finding.IsInvalid))
	rec.Disturbed = slices.ContainsFunc(rec.Findings, v1alpha1.Finding.IsDisturbed)
}

// neighbours are notes about foreign pods on the nodes of a trial. To be there is not to
// disturb: what others used during the window is what counts, see
// validity.CheckNeighbours. A manager that may look at its own namespaces only cannot say.
func neighbours(in Input, st v1alpha1.TrialStatus, ask *decision.Asking) []v1alpha1.Finding {
	if st.MeasureStarted == nil || st.MeasureEnded == nil {
		return nil
	}
	nodes := append(slices.Clone(st.Nodes), st.TargetNode)
	slices.Sort(nodes)
	var out []v1alpha1.Finding
	for _, node := range slices.Compact(nodes) {
		if node == "" {
			continue
		}
		pods := ask.PodsOn(node)
		if pods.Known && !pods.Exists {
			return nil
		}
		if names := podhealth.Others(pods.Value, string(in.Run.UID), node, st.MeasureStarted.Time, st.MeasureEnded.Time); len(names) > 0 {
			out = append(out, v1alpha1.Finding{
				Check: "second-workload", Severity: string(validity.Note),
				Message: fmt.Sprintf("on node %s ran also: %s", node, abridged(names)),
			})
		}
	}
	return out
}

// ClientNodes describes the nodes of clients that are not in the list yet, once each. One
// that is gone is left out.
func ClientNodes(known []v1alpha1.NodeInfo, results []contract.Result, ask *decision.Asking) []v1alpha1.NodeInfo {
	var out []v1alpha1.NodeInfo
	for _, res := range results {
		name := res.Client.Node
		is := func(n v1alpha1.NodeInfo) bool { return n.Name == name }
		if name == "" || slices.ContainsFunc(known, is) || slices.ContainsFunc(out, is) {
			continue
		}
		if node := ask.Node(name); node.Exists {
			info := v1alpha1.DescribeNode(node.Value)
			info.CPUModel = res.Client.Machine.CPUModel
			out = append(out, info)
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
