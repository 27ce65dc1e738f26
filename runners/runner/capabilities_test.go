package runner

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// answers of a runner to every optional question.
type answers struct {
	Fields                       []string
	Rows                         map[string]int64
	Wear                         Wear
	WearKnown, DemandKnown, Same bool
	Demand                       contract.Demand
	CheckTime                    time.Duration
	Skips                        bool
	Opening                      Opening
	Often                        bool
	Length                       Length
	Axis                         Axis
	Offers                       Offered
	Pods                         Pods
	Quotes                       bool
}

func asked(r Runner) (a answers, err error) {
	var trial contract.Trial
	var workload json.RawMessage
	var errs [8]error
	a.Fields, errs[0] = r.DataFields(workload)
	a.Rows, errs[1] = r.Rows(trial)
	a.Wear, a.WearKnown, errs[2] = r.Wear(trial)
	a.Demand, a.DemandKnown, errs[3] = r.Demand(trial)
	a.Length, errs[4] = r.Length(trial, time.Minute)
	a.Axis, errs[5] = r.Axis(workload)
	a.Pods, errs[6] = r.PodsOf(workload)
	a.Offers, errs[7] = r.Offers(workload)
	a.Same, a.Skips, a.Often, a.Quotes = r.SameBytes(trial), r.Skips(trial, contract.PhaseRun), r.MeasuresOften(), r.Quotes()
	a.Opening, a.CheckTime = r.Opening(trial), r.CheckTime(trial)
	return a, errors.Join(errs[:]...)
}

func says[Q, A any](answer A, err error) func(Q) (A, error) {
	return func(Q) (A, error) { return answer, err }
}

func able(err error) Runner {
	return Runner{
		Data: Data{
			Fields: says[json.RawMessage]([]string{"tables"}, err),
			Rows:   says[contract.Trial](map[string]int64{"t": 7}, err),
			Wear:   says[contract.Trial](Wear{Deletes: 1}, err), SameBytes: func(contract.Trial) bool { return true },
		},
		Connection: Connection{Demand: says[contract.Trial](contract.Demand{Connections: 4}, err)},
		Phases: Phases{
			Skips:     func(contract.Trial, contract.Phase) bool { return true },
			Opening:   func(contract.Trial) Opening { return Opening{Timed: true} },
			CheckTime: func(contract.Trial) time.Duration { return time.Hour },
		},
		Design: Design{
			Length: says[contract.Trial](Length{Least: 1, Most: 2}, err),
			Axis:   says[json.RawMessage](Axis{Field: "language", Values: []string{"Go"}}, err),
			Offers: says[json.RawMessage](Offered{Field: "rate", Percentiles: []string{"99"}}, err),
		},
		Pods:  says[json.RawMessage](Pods{Variant: "go"}, err),
		Quote: func([]byte) Report { return Report{} },
	}
}

func TestOptionalQuestions(t *testing.T) {
	for name, tc := range map[string]struct {
		runner Runner
		want   answers
	}{
		"what a tool leaves out": {Runner{}, answers{Length: Length{Least: time.Minute, Most: time.Minute}}},
		"what a tool answers": {able(nil), answers{
			Fields: []string{"tables"}, Rows: map[string]int64{"t": 7}, Wear: Wear{Deletes: 1}, WearKnown: true, Same: true,
			Demand: contract.Demand{Connections: 4}, DemandKnown: true, CheckTime: time.Hour, Skips: true,
			Opening: Opening{Timed: true}, Often: true, Length: Length{Least: 1, Most: 2},
			Axis: Axis{Field: "language", Values: []string{"Go"}}, Offers: Offered{Field: "rate", Percentiles: []string{"99"}}, Pods: Pods{Variant: "go"}, Quotes: true,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := asked(tc.runner)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOptionalQuestionsThatFail(t *testing.T) {
	_, err := asked(able(errors.New("no such workload")))
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 8 {
		t.Errorf("got %v, want the errors of all eight questions", err)
	}
}

// Wear without the number of rows says nothing.
func TestWearOfUnknownRows(t *testing.T) {
	r := able(nil)
	r.Data.Rows = nil
	if _, known, err := r.Wear(contract.Trial{}); known || err != nil {
		t.Errorf("known %v, %v", known, err)
	}
}
