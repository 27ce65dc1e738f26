package contract

import (
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(s float64) *time.Time { return new(began.Add(time.Duration(s * float64(time.Second)))) }
	total := func(s float64) []Measurement { return []Measurement{{Name: NameTotalTime, Unit: "s", Value: &s}} }
	tests := map[string]struct {
		times      Times
		with       []Measurement
		start, end *time.Time
	}{
		"the tool's length counts back from the end":     {Times{MeasureStarted: at(0), MeasureEnded: at(12)}, total(10), at(2), at(12)},
		"a warm-up in the process is not in the window":  {Times{MeasureStarted: at(0), MeasureEnded: at(43), WindowStarted: at(32), WindowEnded: at(42)}, total(10), at(32), at(42)},
		"without a length it is the life of the process": {Times{MeasureStarted: at(0), MeasureEnded: at(12)}, nil, at(0), at(12)},
		"a length that cannot be is not believed":        {Times{MeasureStarted: at(0), MeasureEnded: at(12)}, total(13), at(0), at(12)},
		"a length of nothing is none":                    {Times{MeasureStarted: at(0), MeasureEnded: at(12)}, total(0), at(0), at(12)},
		"a tool that did not run has none":               {Times{Planned: at(0)}, total(10), nil, nil},
		"nor has one whose end is not known":             {Times{MeasureStarted: at(0)}, total(10), nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			start, end, ok := MeasuredWindow(Result{Times: tc.times, Measurements: tc.with})
			if ok != (tc.start != nil) || ok && (!start.Equal(*tc.start) || !end.Equal(*tc.end)) {
				t.Errorf("got %v to %v, %v; want %v to %v", start, end, ok, tc.start, tc.end)
			}
		})
	}
}
