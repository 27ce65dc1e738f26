package conclude

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

func TestVerdict(t *testing.T) {
	p := &plan.Plan{Targets: []string{"a", "b"}, Cells: []plan.Cell{{}, {}}}
	for block := range int32(2) {
		for cell := range int32(2) {
			for target := range int32(2) {
				p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: block, Cell: cell, Target: target})
			}
		}
	}
	// all trials of the plan, in their order, changed by index.
	all := func(change map[int]func(*contract.Record)) []contract.Record {
		var out []contract.Record
		for i, tr := range p.Trials {
			rec := contract.Record{
				Index: tr.Index, Block: tr.Block, Cell: tr.Cell, Target: p.Targets[tr.Target], State: contract.Succeeded, Valid: new(true), Final: true,
			}
			if f := change[i]; f != nil {
				f(&rec)
			} else if f := change[-1]; f != nil {
				f(&rec)
			}
			out = append(out, rec)
		}
		return out
	}
	failed := func(r *contract.Record) { r.State, r.Valid = contract.Failed, nil }
	invalid := func(r *contract.Record) { r.Valid = new(false) }
	disturbed := func(r *contract.Record) { r.Disturbed = true }
	beside := func(r *contract.Record) {
		r.Disturbed, r.Findings = true, []contract.RecordedFinding{{Check: "neighbours", Severity: v1alpha1.SeverityDisturbed}}
	}
	type changes = map[int]func(*contract.Record)
	tests := map[string]struct {
		records []contract.Record
		want    string
	}{
		"nothing was measured": {nil, "  "},
		"nothing has a result": {all(changes{-1: failed}), "  "},
		"all is well":          {all(nil), "True Succeeded 8 of 8 results passed every check"},
		"one failed":           {all(changes{0: failed}), "True Succeeded 7 of 7 results passed every check"},
		"one was disturbed":    {all(changes{0: disturbed}), "True Succeeded 7 of 8 results passed every check; not part of the summary: 1 disturbed, 1 of the same blocks as disturbed ones"},
		"one is invalid":       {all(changes{0: invalid}), "False Contradictions 1 of 8 results contradict themselves: see status.findings; not part of the summary: 1 invalid"},
		"all were disturbed":   {all(changes{-1: disturbed}), "False NoUsableTrial none of 8 results counts: 8 disturbed: see status.findings"},
		"all were disturbed by what lasts": {all(changes{-1: beside}), "False NoUsableTrial none of 8 results counts; 8 disturbed, and neighbours lasted for more than half of the blocks: " +
			"the summary has these trials, marked, and decides nothing by them: see status.findings"},
		"most were disturbed by what lasts": {all(changes{-1: beside, 0: func(*contract.Record) {}, 1: func(*contract.Record) {}}), "True Succeeded 2 of 8 results passed every check; " +
			"6 disturbed, and neighbours lasted for more than half of the blocks: the summary has these trials, marked, and decides nothing by them; " +
			"1 of 2 cells have no usable trial of at least one target"},
		"all are invalid":             {all(changes{-1: invalid}), "False NoUsableTrial none of 8 results counts: 8 invalid: see status.findings"},
		"some of both":                {all(changes{-1: invalid, 3: disturbed}), "False NoUsableTrial none of 8 results counts: 1 disturbed, 7 invalid: see status.findings"},
		"invalid and disturbed, both": {all(changes{-1: func(r *contract.Record) { invalid(r); disturbed(r) }}), "False NoUsableTrial none of 8 results counts: 8 invalid: see status.findings"},
		"a disturbed one in each block leaves none": {all(changes{0: disturbed, 3: disturbed, 5: disturbed, 6: disturbed}),
			"False NoUsableTrial none of 8 results counts: 4 disturbed, 4 of the same blocks as disturbed ones: see status.findings"},
		"a cell without any": {all(changes{0: disturbed, 4: disturbed}),
			"True Succeeded 6 of 8 results passed every check; not part of the summary: 2 disturbed, 2 of the same blocks as disturbed ones; " +
				"1 of 2 cells have no usable trial of at least one target"},
		"a target without any in one cell": {all(changes{0: failed, 4: failed}),
			"True Succeeded 6 of 6 results passed every check; 1 of 2 cells have no usable trial of at least one target"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			v := fatesOf(p, tc.records).verdict()
			status := map[bool]string{true: "True", false: "False"}[v.Valid]
			if !v.Known {
				status = ""
			}
			if got := status + " " + v.Reason + " " + v.Message; got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// A run that only loads is valid when its data was loaded, and nothing was found that would invalidate what is measured on it.
func TestVerdictOfARunThatOnlyLoads(t *testing.T) {
	durability := v1alpha1.Finding{Check: "durability", Severity: v1alpha1.SeverityInvalid, Message: "its commits are not durable"}
	for name, tt := range map[string]struct {
		change func(*Input)
		want   Verdict
	}{
		"it has loaded": {func(*Input) {}, Verdict{Known: true, Valid: true, Reason: v1alpha1.ReasonOnlyLoaded,
			Message: "there are no results: nothing was measured (spec.data.policy: Make)"}},
		"it has failed": {func(in *Input) { in.Failure = decision.Failed{Reason: v1alpha1.ReasonDataSetFailed} }, Verdict{}},
		"an object is another one": {func(in *Input) { in.Checked.tampered = tally{named: []string{"the plan"}, count: 1} },
			Verdict{Known: true, Reason: v1alpha1.ReasonTampered, Message: "the plan"}},
		"a target is not durable": {func(in *Input) { in.Run.Status.Targets[1].InvalidatedBy = []v1alpha1.Finding{durability} },
			Verdict{Known: true, Reason: v1alpha1.ReasonContradictions, Message: "loading target b: durability: its commits are not durable"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := sweep(t, 1, 1, 0, "x")
			in.Records, in.Run.Spec.Data = nil, &v1alpha1.DataSet{Name: "sbtest", Policy: v1alpha1.DataMake}
			in.Run.Status.Targets = []v1alpha1.TargetStatus{{Name: "a"}, {Name: "b"}}
			tt.change(&in)
			if diff := cmp.Diff(tt.want, decided(in).Verdict); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}
