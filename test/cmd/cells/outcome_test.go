package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/finished"
)

func TestOutcomeOfATrial(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		rec  contract.Record
		want Outcome
	}{
		"measured":           {contract.Record{State: contract.Succeeded, Valid: &yes}, Outcome{State: Measured}},
		"not checked":        {contract.Record{State: contract.Succeeded}, Outcome{State: Measured}},
		"disturbed is there": {contract.Record{State: contract.Succeeded, Valid: &yes, Disturbed: true}, Outcome{State: Measured}},
		"failed":             {contract.Record{State: contract.Failed, Reason: "LimitTooLow", Message: "more\nconnections"}, Outcome{Failed, "LimitTooLow: more connections"}},
		"invalid": {contract.Record{State: contract.Succeeded, Valid: &no, Findings: []contract.RecordedFinding{
			{Check: "duration", Severity: "Warning", Message: "long"}, {Check: "little", Severity: "Invalid", Message: "3 of 2 threads"},
		}}, Outcome{Failed, "its result is invalid: little: 3 of 2 threads"}},
	} {
		if diff := cmp.Diff(tt.want, outcomeOf(&tt.rec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOutcomeOfAMeasurement(t *testing.T) {
	value := 1.5
	absent := func(state contract.AbsenceState) contract.Measurement {
		return contract.Measurement{Name: contract.NameThroughput, Absent: &contract.Absence{State: state, Reason: "no such\ncall"}}
	}
	for name, tt := range map[string]struct {
		m    contract.Measurement
		want Outcome
		says bool
	}{
		"a rate":              {contract.Measurement{Name: contract.NameThroughput, Value: &value}, Outcome{State: Measured}, true},
		"what a driver lacks": {absent(contract.Unsupported), Outcome{Unsupported, "no such call"}, true},
		"what went wrong":     {absent(contract.NotMeasured), Outcome{Failed, "no such call"}, true},
		"without a reason":    {contract.Measurement{Name: contract.NameThroughput}, Outcome{Failed, "its number is absent, without a reason"}, true},
		"another measurement": {contract.Measurement{Name: contract.NameLatencyAvg, Value: &value}, Outcome{}, false},
	} {
		got, says := outcomeIn(tt.m)
		if diff := cmp.Diff(tt.want, got); diff != "" || says != tt.says {
			t.Errorf("%s: %v (-want +got):\n%s", name, says, diff)
		}
	}
}

// The places of a run that has ended: a trial that failed at first counts as it ended, one that was disturbed counts, and a place that the
// run does not have says how the run ended.
func TestOutcomesOfARun(t *testing.T) {
	run, err := stored.Read(t.Context(), finished.New(t, finished.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	run.Object.Status.Phase = "Complete"
	at := func(target, threads string, within map[string]string) place {
		return place{trial: map[string]string{"target": target, "threads": threads}, within: within}
	}
	places := []place{
		at("a", "2", nil), at("b", "2", nil), at("a", "64", nil), at("b", "64", nil), at("a", "3000", nil),
		at("b", "64", map[string]string{"driver": "x"}),
	}
	got, err := outcomesOf(t.Context(), places, run)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Outcome{
		"target=a threads=2": {State: Measured}, "target=b threads=2": {State: Measured}, "target=a threads=64": {State: Measured}, "target=b threads=64": {State: Measured},
		"target=a threads=3000":        {Failed, "it was not measured: the run ended as Complete"},
		"driver=x target=b threads=64": {Failed, "the result of its trial does not have it"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
