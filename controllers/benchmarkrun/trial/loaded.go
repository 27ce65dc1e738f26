package trial

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/trial/loads"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// maxLoad is how many figures of a load stand in the status.
const maxLoad = 40

// LoadFindings are what loading showed of a target, by the results of its clients: by itself, such as commits that were
// not durable, and beside the first target that was loaded. Numbers of targets are
// compared with each other only where their data is the same.
func LoadFindings(in Input, target string, results []contract.Result, ask *decision.Asking) []v1alpha1.Finding {
	var out []contract.RecordedFinding
	servers := results[:1]
	if in.Run.Target(target).OwnServers() {
		servers = firstsOf(message(in, Load(in, target)), results)
	}
	for _, res := range servers {
		for _, f := range validity.CheckLoad(res) {
			one := recorded(f)
			if len(servers) > 1 {
				one.Client = new(int32(res.Trial.Client))
			}
			out = append(out, one)
		}
	}
	var found []validity.Finding
	res := joined(servers)
	if first := firstLoaded(in, target); first != "" {
		if loaded := loadedData(in, first, ask); saysData(loaded) {
			e := Execution{Ref: res.Trial, Workload: in.Work.Params, Clients: 1}
			same := in.Work.Tool.SameBytes(message(in, e).Of(0))
			found = append(found, validity.CompareData(loaded.Value.Result, res, same)...)
		}
	}
	found = append(found, mixedOrigin(in, target, res)...)
	return Findings(target, append(out, allRecorded(found)...))
}

// mixedOrigin: the run gave its nodes back, and has its data in another way than the trials so far, whose records say theirs.
func mixedOrigin(in Input, target string, res contract.Result) []validity.Finding {
	if res.Data == nil || res.Data.DataSet == nil {
		return nil
	}
	restored := res.Data.DataSet.Restored != ""
	for _, rec := range slices.Backward(in.Recorded) {
		if rec.Target != target || rec.Facts == "" {
			continue
		}
		if likeness.Restored(rec.Facts) == restored {
			return nil
		}
		before, now := "restored from an archive", "loaded by the tool"
		if restored {
			before, now = now, before
		}
		return []validity.Finding{{Check: "mixed-origin", Severity: validity.Warning, Message: fmt.Sprintf(
			"the data of the trials so far was %s, and since the run gave its nodes back it is %s: its files may lie otherwise on the storage; compare trials of the same origin (data/origin in their records)",
			before, now)}}
	}
	return nil
}

// firstLoaded is the first target of the spec that holds its data, but for one of the
// given name; empty for none.
func firstLoaded(in Input, but string) string {
	for _, t := range in.Run.Spec.Targets {
		if t.Name != but && in.Run.TargetStatus(t.Name).LoadResult != "" {
			return t.Name
		}
	}
	return ""
}

// LoadFigures are what loading a target took: its time, the rows, their rate, and the
// figures that the tool itself gave, in the order of the summary. None where the tool had
// nothing to load. It fails when the results contradict each other.
func LoadFigures(in Input, e Execution, results []contract.Result) ([]v1alpha1.Value, error) {
	took, known := loadTime(results)
	if !known {
		return nil, nil
	}
	figure := func(name, unit string, better contract.Direction, v float64) v1alpha1.Value {
		return v1alpha1.Value{Name: name, Value: v1alpha1.Decimal(v), Unit: unit, Direction: string(better)}
	}
	out := []v1alpha1.Value{figure(contract.NameLoadTime, "s", contract.LowerIsBetter, took.Seconds())}
	rows, known, err := rowsLoaded(in, e, results)
	if err != nil {
		return nil, err
	}
	if known {
		out = append(out, figure(contract.NameRowsLoaded, "1", "", float64(rows)),
			figure(contract.NameRowRate, "rows/s", contract.HigherIsBetter, float64(rows)/took.Seconds()))
	}
	// A client without a part of the load says nothing of it.
	merged, _, err := merge.Results(slices.DeleteFunc(slices.Clone(results), func(r contract.Result) bool { return r.Times.MeasureStarted == nil }))
	if err != nil {
		return nil, fmt.Errorf("merging the results of %s: %w", e.Name, err)
	}
	names := slices.Concat([]string{contract.NameGeneratingTime, contract.NameWritingTime}, in.Work.Tool.Summary)
	out = append(out, shownValues(values(names, merged))...)
	return out[:min(len(out), maxLoad)], nil
}

// loadTime is from the start of the first tool to the end of the last one, by the clocks
// of the clients. A client without a share of the load started none.
func loadTime(results []contract.Result) (time.Duration, bool) {
	var from, to time.Time
	for _, res := range results {
		began, ended := res.Times.MeasureStarted, res.Times.MeasureEnded
		if began == nil || ended == nil {
			continue
		}
		if from.IsZero() || began.Before(from) {
			from = *began
		}
		if ended.After(to) {
			to = *ended
		}
	}
	return to.Sub(from), to.After(from)
}

// loadedBy a trial that is a load are its measurements; those of any other are as they were.
func loadedBy(in Input, e Execution, merged contract.Result) []contract.Measurement {
	own, err := in.Work.Tool.Leaves(message(in, e).Of(0))
	if err != nil {
		return merged.Measurements // check says so, by the expectations of the same workload
	}
	return loads.Of(merged, own, in.Run.Target(e.Ref.Target).External == nil)
}

// rowsLoaded are the rows of the tables that the tool says that it makes. Of a tool that
// does not say, all tables of a server that Assay began with are its own; those of an
// external server may be anybody's, so that nothing is known.
func rowsLoaded(in Input, e Execution, results []contract.Result) (rows int64, known bool, err error) {
	if results[0].Data == nil {
		return 0, false, nil
	}
	asked := message(in, e)
	own, err := in.Work.Tool.Rows(asked.Of(0))
	if err != nil {
		return 0, false, fmt.Errorf("the rows of %s: %w", e.Name, err)
	}
	own = asked.Everywhere(own)
	if len(own) == 0 && in.Run.Target(e.Ref.Target).External != nil {
		return 0, false, nil
	}
	known = true
	for _, res := range firstsOf(asked, results) {
		if known = known && res.Data != nil && len(res.Data.Tables) > 0; !known {
			return 0, false, nil
		}
		for _, table := range res.Data.Tables {
			if _, is := own[table.Name]; is || len(own) == 0 {
				rows += table.Rows
			}
		}
	}
	return rows, known, nil
}
