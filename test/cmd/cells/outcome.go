package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// State of a cell that was played.
type State string

// States. Measured says that there is a number, which is no evidence of anything: it is of a window that is too short.
const (
	Measured    State = "Measured"
	Unsupported State = "Unsupported"
	Failed      State = "Failed"
)

// Outcome of a cell.
type Outcome struct {
	State State `json:"state"`
	// Why it is not measured, in the words of the run.
	Why string `json:"why,omitempty"`
}

// Figures of one run.
type Figures struct {
	// Piece that was played, by the name of its run, and the digest of its manifest.
	Piece    string `json:"piece"`
	Manifest string `json:"manifest"`
	// Date when it ended.
	Date time.Time `json:"date"`
	// Commit of the tree that the images were built of, and the machine.
	Commit  string `json:"commit"`
	Machine string `json:"machine"`
	// Seconds that the play took, its servers and their data included.
	Seconds float64 `json:"seconds"`
	// Cells by their labels.
	Cells map[string]Outcome `json:"cells"`
}

// failedAll says of each place of a piece why it has no number.
func failedAll(places []place, why string) map[string]Outcome {
	out := map[string]Outcome{}
	for _, p := range places {
		out[key(p.labels())] = Outcome{Failed, why}
	}
	return out
}

// outcomesOf the places of a piece in its run, which has ended.
func outcomesOf(ctx context.Context, places []place, run *stored.Run) (map[string]Outcome, error) {
	out := failedAll(places, "it was not measured: "+endOf(run.Object))
	last := map[string]*contract.Record{}
	for _, rec := range summary.LastRecords(run.Records) {
		last[key(trialOf(rec))] = rec
	}
	within := map[string]map[string]Outcome{}
	for _, p := range places {
		trial := key(p.trial)
		rec := last[trial]
		if rec == nil {
			continue
		}
		whole := outcomeOf(rec)
		if p.within == nil || whole.State != Measured {
			out[key(p.labels())] = whole
			continue
		}
		if within[trial] == nil {
			var err error
			if within[trial], err = measuredIn(ctx, run, rec); err != nil {
				return nil, err
			}
		}
		one, has := within[trial][key(p.within)]
		if !has {
			one = Outcome{Failed, "the result of its trial does not have it"}
		}
		out[key(p.labels())] = one
	}
	return out, nil
}

// endOf a run, in words.
func endOf(run *v1alpha1.BenchmarkRun) string {
	if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed); c != nil && c.Status == "True" {
		return contract.Line(fmt.Sprintf("the run failed, %s: %s", c.Reason, c.Message))
	}
	return fmt.Sprintf("the run ended as %s", run.Status.Phase)
}

// trialOf a record: its target and the values of its cell.
func trialOf(rec *contract.Record) map[string]string {
	out := map[string]string{v1alpha1.FactorTarget: rec.Target}
	for axis, v := range rec.Parameters {
		out[axis] = v.String()
	}
	return out
}

// outcomeOf a trial. A result that contradicts itself is no measurement.
func outcomeOf(rec *contract.Record) Outcome {
	switch {
	case rec.State != contract.Succeeded:
		return Outcome{Failed, contract.Line(rec.Reason + ": " + rec.Message)}
	case rec.Valid != nil && !*rec.Valid:
		var why []string
		for _, f := range rec.Findings {
			if f.Severity == "Invalid" {
				why = append(why, f.Check+": "+f.Message)
			}
		}
		return Outcome{Failed, contract.Line("its result is invalid: " + strings.Join(why, "; "))}
	}
	return Outcome{State: Measured}
}

// measuredIn a trial of a tool that measures many things one after the other, by their labels.
func measuredIn(ctx context.Context, run *stored.Run, rec *contract.Record) (map[string]Outcome, error) {
	out := map[string]Outcome{}
	for client, err := range run.Results(ctx, *rec) {
		if err != nil {
			return nil, err
		}
		for _, m := range client.Result.Measurements {
			if o, says := outcomeIn(m); says {
				labels := maps.Clone(m.Labels)
				delete(labels, contract.LabelLanguage)
				out[key(labels)] = o
			}
		}
	}
	return out, nil
}

// outcomeIn a measurement; only the throughput, which each has, says what became of it.
func outcomeIn(m contract.Measurement) (Outcome, bool) {
	switch {
	case m.Name != contract.NameThroughput:
		return Outcome{}, false
	case m.Value != nil:
		return Outcome{State: Measured}, true
	case m.Absent != nil && m.Absent.State == contract.Unsupported:
		return Outcome{Unsupported, contract.Line(m.Absent.Reason)}, true
	case m.Absent != nil:
		return Outcome{Failed, contract.Line(m.Absent.Reason)}, true
	}
	return Outcome{Failed, "its number is absent, without a reason"}, true
}

// latest figures of a piece as it is now; false where it was not played.
func latest(all []Figures, name, digest string) (Figures, bool) {
	for _, f := range slices.Backward(all) {
		if f.Piece == name && f.Manifest == digest {
			return f, true
		}
	}
	return Figures{}, false
}
