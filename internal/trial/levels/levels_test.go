package levels

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What a window began with is measured where the server tells it, and has no direction.
func TestOf(t *testing.T) {
	level := func(age, dirty, history int64) *contract.Level {
		return &contract.Level{CheckpointAgeBytes: &age, DirtyBytes: &dirty, HistoryLength: &history}
	}
	of := func(l *contract.Levels) contract.Result {
		return contract.Result{State: contract.Succeeded, Server: &contract.Server{Levels: l}}
	}
	failed := of(&contract.Levels{Begin: level(1, 2, 3)})
	failed.State = contract.Failed
	m := func(name, unit string, v float64) contract.Measurement {
		return contract.Measurement{Name: name, Unit: unit, Value: &v}
	}
	tests := map[string]struct {
		result contract.Result
		want   []contract.Measurement
	}{
		"all of them": {of(&contract.Levels{Begin: level(6111561, 11042816, 475), End: level(6702375, 11730944, 400)}),
			[]contract.Measurement{m(Log, "B", 6111561), m(Pages, "B", 11042816), m(History, "1", 475)}},
		"a level of 0 is one": {of(&contract.Levels{Begin: level(0, 0, 0)}), []contract.Measurement{m(Log, "B", 0), m(Pages, "B", 0), m(History, "1", 0)}},
		"what the server does not tell is absent": {of(&contract.Levels{Begin: &contract.Level{DirtyBytes: new(int64(3620864))}}),
			[]contract.Measurement{m(Pages, "B", 3620864)}},
		"the end alone":    {of(&contract.Levels{End: level(1, 2, 3)}), nil},
		"no levels":        {of(nil), nil},
		"a failed trial":   {failed, nil},
		"nobody was asked": {contract.Result{State: contract.Succeeded}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Of(tc.result)); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
		})
	}
}

// Of several servers a level is their sum, and absent where one does not tell it.
func TestOfServers(t *testing.T) {
	server := func(l contract.Level) contract.Result {
		return contract.Result{State: contract.Succeeded, Server: &contract.Server{Levels: &contract.Levels{Begin: &l}}}
	}
	got := Of(server(contract.Level{DirtyBytes: new(int64(3)), HistoryLength: new(int64(1))}), server(contract.Level{DirtyBytes: new(int64(4))}))
	if diff := cmp.Diff([]contract.Measurement{{Name: Pages, Unit: "B", Value: new(7.0)}}, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}
