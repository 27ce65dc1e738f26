package export

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/search"
	"github.com/assay-bench/assay/internal/stored"
	"github.com/assay-bench/assay/internal/summary"
)

// Row of the long table: one value of one attempt at a trial. An attempt without a value has one row
// without a measurement. What is not known is nil, or empty for a text.
type Row struct {
	// Namespace, Run and RunUID are those of the BenchmarkRun.
	Namespace string `parquet:"namespace,dict"`
	Run       string `parquet:"run,dict"`
	RunUID    string `parquet:"run_uid,dict"`
	// SpecHash is the same for runs of one experiment.
	SpecHash string `parquet:"spec_hash,dict"`
	// Trial is the index in the plan, Attempt that of the attempt, Block the repetition, Cell the index
	// of the cell, each from 0.
	Trial   int32 `parquet:"trial"`
	Attempt int32 `parquet:"attempt"`
	Block   int32 `parquet:"block"`
	Cell    int32 `parquet:"cell"`
	// Target that was measured.
	Target string `parquet:"target,dict"`
	// Parameters of the cell by the names of the axes, as a JSON object with sorted names.
	Parameters string `parquet:"parameters,dict"`
	// State is Succeeded or Failed, with the Reason of a failure.
	State  string  `parquet:"state,dict"`
	Reason *string `parquet:"reason,optional,dict"`
	// Counted is true for what is behind the medians and verdicts of the run; LeftOut is why not.
	Counted bool    `parquet:"counted"`
	LeftOut *string `parquet:"left_out,optional,dict"`
	// Valid is false where a result contradicts itself, and nil without a check.
	Valid *bool `parquet:"valid,optional"`
	// Disturbed: something interfered with the measurement.
	Disturbed bool `parquet:"disturbed"`
	// Saturated: the target did not achieve the offered rate, so that latencies grow with the length of the window.
	Saturated bool `parquet:"saturated"`
	// Warnings are the names of the checks that have a doubt, sorted, with a comma between them.
	Warnings *string `parquet:"warnings,optional,dict"`
	// WindowStart and WindowEnd bound the measured window.
	WindowStart *time.Time `parquet:"window_start,optional,timestamp(microsecond)"`
	WindowEnd   *time.Time `parquet:"window_end,optional,timestamp(microsecond)"`
	// TargetNode is the node of the database.
	TargetNode *string `parquet:"target_node,optional,dict"`
	// Measurement such as throughput, with its Labels as a JSON object, its Value in the Unit, and its
	// Direction: HigherIsBetter, LowerIsBetter, or nil where neither is.
	Measurement *string  `parquet:"measurement,optional,dict"`
	Labels      *string  `parquet:"labels,optional,dict"`
	Value       *float64 `parquet:"value,optional"`
	Unit        *string  `parquet:"unit,optional,dict"`
	Direction   *string  `parquet:"direction,optional,dict"`
}

// superseded is why an attempt is left out that was repeated.
const superseded = "Superseded"

// Rows of a run, in the order in which its attempts ended.
func Rows(run *stored.Run) iter.Seq[Row] {
	left := leftOut(run)
	return func(yield func(Row) bool) {
		for _, rec := range run.Records {
			row := rowOf(run, rec, left)
			if len(rec.Values) == 0 && !yield(row) {
				return
			}
			for _, v := range rec.Values {
				value := v.Value
				row.Measurement, row.Labels, row.Value, row.Unit, row.Direction = &v.Name, objectOf(v.Labels), &value, known(v.Unit), known(string(v.Direction))
				if !yield(row) {
					return
				}
			}
		}
	}
}

func rowOf(run *stored.Run, rec contract.Record, left map[int32]v1alpha1.LeftOutReason) Row {
	o := run.Object
	row := Row{
		Namespace: o.Namespace, Run: o.Name, RunUID: string(o.UID), SpecHash: o.Status.SpecHash,
		Trial: rec.Index, Attempt: rec.Attempt, Block: rec.Block, Cell: rec.Cell, Target: rec.Target, Parameters: "{}",
		State: string(rec.State), Reason: known(rec.Reason), Valid: rec.Valid, Disturbed: rec.Disturbed,
		Saturated: rec.Saturated, Warnings: known(strings.Join(warningsOf(rec), ",")),
		WindowStart: rec.WindowStartTime, WindowEnd: rec.WindowEndTime, TargetNode: known(rec.TargetNodeName),
	}
	if text := objectOf(rec.Parameters); text != nil {
		row.Parameters = *text
	}
	row.Counted, row.LeftOut = counted(rec, left)
	return row
}

// leftOut is why trials do not count, by their index; a trial that counts has an empty reason, and one
// that no plan has is absent.
func leftOut(run *stored.Run) map[int32]v1alpha1.LeftOutReason {
	out := map[int32]v1alpha1.LeftOutReason{}
	if run.Plan == nil {
		return out
	}
	plan := run.Plan
	if run.Object.Spec.Search != nil { // its trials are no pairs
		plan = search.Judged(run.Plan, run.Records)
	}
	for i, reason := range summary.LeftOut(plan, run.Records) {
		out[plan.Trials[i].Index] = reason
	}
	return out
}

// warningsOf a record: the checks that have a doubt about the trial, sorted.
func warningsOf(rec contract.Record) (out []string) {
	for _, f := range rec.Findings {
		if f.Severity == v1alpha1.SeverityWarning {
			out = append(out, f.Check)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// counted says whether an attempt is behind the medians, and why not.
func counted(rec contract.Record, left map[int32]v1alpha1.LeftOutReason) (bool, *string) {
	reason, planned := left[rec.Index]
	switch {
	case !rec.Final:
		return false, known(superseded)
	case !planned:
		return false, known(string(v1alpha1.LeftOutNotRun))
	}
	return reason == "", known(string(reason))
}

// known is nil for an empty text.
func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// objectOf names as JSON; nil without any.
func objectOf[V any](values map[string]V) *string {
	if len(values) == 0 {
		return nil
	}
	data, err := json.Marshal(values) // sorted
	if err != nil {
		return nil // texts and numbers, which are always encoded
	}
	return known(string(data))
}
