package contract

import (
	"strings"
	"testing"
)

func TestDecisionsThatCannotFollow(t *testing.T) {
	rec, again := Record{Index: 4, Final: true}, Record{Index: 4}
	for name, tt := range map[string]struct {
		record   Record
		decision Decision
		want     string
	}{
		"a stop":                            {rec, Decision{Stop: true, Why: "x"}, ""},
		"a rate":                            {rec, Decision{Rate: 100}, ""},
		"a skip to the last trial":          {rec, Decision{Next: new(int32(9)), Rate: 100}, ""},
		"a skip out of the plan":            {rec, Decision{Next: new(int32(10))}, "trial 4 is to be followed by trial 10, of 10"},
		"a trial that was measured":         {rec, Decision{Next: new(int32(4))}, "followed by trial 4"},
		"before an attempt that is missing": {again, Decision{Stop: true}, "tried again"},
		"a stop that goes on":               {rec, Decision{Stop: true, Rate: 1}, "both stops and goes on"},
		"a stop that skips":                 {rec, Decision{Stop: true, Next: new(int32(5))}, "both stops and goes on"},
		"a rate below 0":                    {rec, Decision{Rate: -1}, "a rate of -1"},
		"a long explanation":                {rec, Decision{Stop: true, Why: strings.Repeat("x", 1025)}, "1025 bytes"},
	} {
		err := tt.decision.Check(tt.record, 10)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if err := (Decision{Next: new(int32(10))}).Check(rec, 0); err != nil {
		t.Errorf("without a plan to compare with: %v", err)
	}
}
