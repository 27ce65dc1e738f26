package ycsb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func point(at float64, rate *float64) contract.Interval {
	return contract.Interval{AtSeconds: at, Value: rate}
}

func TestStatusLinesGiveTheIntervals(t *testing.T) {
	const day = "2026-11-20 20:25:"
	tests := map[string]struct {
		lines  []string
		length float64
		want   []contract.Interval
		bad    int
	}{
		"the first line tells nothing, and what is left at the end neither": {
			[]string{
				day + "19:824 0 sec: 0 operations; est completion in 0 second ",
				day + "20:779 1 sec: 100 operations; 100 current ops/sec; est completion in 8 second [READ: Count=1, Max=2, Min=9223372036854775807, Avg=NaN]",
				day + "21:780 2 sec: 250 operations; 149.85 current ops/sec; est completion in 8 second ",
				day + "21:993 2 sec: 260 operations; 46.95 current ops/sec; [CLEANUP: Count=2] ",
			}, 1, []contract.Interval{point(1, new(100.0)), point(2.001, new(149.85))}, 0},
		"before the first operation there is no rate, and nothing is done": {
			[]string{day + "19:824 0 sec: 0 operations; est completion in 0 second ", day + "20:779 1 sec: 0 operations; est completion in 106751991167300 days 15 hours "},
			1, []contract.Interval{point(1, new(0.0))}, 0},
		"a rate that is no number is absent": {
			[]string{day + "20:000 1 sec: 5 operations; ∞ current ops/sec; ", day + "21:000 2 sec: 5 operations; NaN current ops/sec; "},
			1, []contract.Interval{point(1, nil), point(2, nil)}, 0},
		"longer intervals": {
			[]string{day + "10:000 10 sec: 10 operations; 1 current ops/sec; est", day + "20:000 20 sec: 30 operations; 2 current ops/sec; est", day + "25:000 25 sec: 31 operations; 0.2 current ops/sec; "},
			10, []contract.Interval{point(10, new(1.0)), point(20, new(2.0))}, 0},
		"an interval is missing": {
			[]string{day + "10:000 1 sec: 10 operations; 1 current ops/sec; est", day + "12:000 3 sec: 30 operations; 2 current ops/sec; est"},
			1, []contract.Interval{point(1, new(1.0)), point(3, new(2.0))}, 0},
		"a line is late, and the next one in time again": {
			[]string{day + "10:000 1 sec: 10 operations; 10 current ops/sec; est", day + "11:400 2 sec: 24 operations; 10 current ops/sec; est",
				day + "12:001 3 sec: 30 operations; 9.98 current ops/sec; est", day + "13:000 4 sec: 40 operations; 10.01 current ops/sec; est"},
			1, []contract.Interval{point(1, new(10.0)), point(2.4, new(10.0)), point(3.001, new(9.98)), point(4, new(10.01))}, 0},
		"across midnight": {
			[]string{"2026-11-20 23:59:59:900 1 sec: 10 operations; 1 current ops/sec; est", "2026-11-21 00:00:00:901 2 sec: 30 operations; 2 current ops/sec; est"},
			1, []contract.Interval{point(1, new(1.0)), point(2.001, new(2.0))}, 0},
		"a label stands before the time": {
			[]string{"client 3 " + day + "20:000 1 sec: 5 operations; 5 current ops/sec; "}, 1, []contract.Interval{point(1, new(5.0))}, 0},
		"what goes back is none": {
			[]string{day + "20:000 2 sec: 5 operations; 5 current ops/sec; ", day + "21:000 1 sec: 9 operations; 5 current ops/sec; ", day + "22:000 3 sec: 4 operations; 5 current ops/sec; "},
			1, []contract.Interval{point(2, new(5.0))}, 2},
		"what only looks like one": {[]string{"60 sec: 5 operations;", "2026-13-41 00:00:00:000 1 sec: 5 operations; 5 current ops/sec;"}, 1, nil, 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var s status
			bad := 0
			for _, line := range tc.lines {
				if !s.add(line) {
					bad++
				}
			}
			if diff := cmp.Diff(tc.want, s.intervals(tc.length)); diff != "" {
				t.Errorf("intervals (-want +got):\n%s", diff)
			}
			if bad != tc.bad {
				t.Errorf("%d lines were not understood, want %d", bad, tc.bad)
			}
		})
	}
}

func TestParseLine(t *testing.T) {
	tests := map[string]*entry{
		"[OVERALL], RunTime(ms), 284570":                         {"OVERALL", "RunTime(ms)", "284570"},
		"[OVERALL], *Throughput(ops/sec), 9175.170520544125":     {"OVERALL", "Throughput(ops/sec)", "9175.170520544125"},
		"[TOTAL_GC_TIME_%_PS_Scavenge], Time(%), 0.88":           {"TOTAL_GC_TIME_%_PS_Scavenge", "Time(%)", "0.88"},
		"[READ-MODIFY-WRITE], 99.9PercentileLatency(us), 7":      {"READ-MODIFY-WRITE", "99.9PercentileLatency(us)", "7"},
		"[UPDATE], Return=OK, 5000393 ":                          {"UPDATE", "Return=OK", "5000393"},
		"[READ], AverageLatency(us), 1.5E-4":                     {"READ", "AverageLatency(us)", "1.5E-4"},
		"[READ], AverageLatency(us), NaN":                        {"READ", "AverageLatency(us)", "NaN"},
		"[READ], 1234, 17.0":                                     {"READ", "1234", "17.0"},
		"[READ], AverageLatency(us), 1.5E9999":                   nil,
		"[READ], AverageLatency(us), 0x10":                       nil,
		"[READ], AverageLatency(us), 1_0":                        nil,
		"[READ], AverageLatency(us),":                            nil,
		"[READ: Count=299, Max=11943]":                           nil,
		"[ WARN] (Thread-21) Error: 1146-42S02: [x], no, 3 more": nil,
		"[ASSAY], COMPLETE":                                      nil,
		"READ, Operations, 3":                                    nil,
	}
	for line, want := range tests {
		var got *entry
		if e, ok := parseLine(line); ok {
			got = &e
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// A value in ms is the double that is nearest to the decimal number of µs by 1000.
func TestFigureIsRoundedOnce(t *testing.T) {
	tests := map[string]string{
		"824.545880694433": "0.824545880694433", "1675": "1.675", "1.368576E7": "13685.76", "1.5E-4": "1.5e-07", "0.0": "0", "NaN": "<nil>",
		"Infinity": "<nil>", "1E400": "<nil>", "": "<nil>", "e": "<nil>",
	}
	for text, want := range tests {
		got := "<nil>"
		if v := (&figure{text}).value(-3); v != nil {
			got = fmt.Sprint(*v)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestParseMetric(t *testing.T) {
	tests := map[string]metric{
		"READ":                       {operation: "READ"},
		"Intended-READ":              {operation: "READ", intended: true},
		"READ-FAILED":                {operation: "READ", failed: "FAILED"},
		"Intended-READ-FAILED":       {operation: "READ", intended: true, failed: "FAILED"},
		"READ-NOT_FOUND":             {operation: "READ", failed: "NOT_FOUND"},
		"READ-MODIFY-WRITE":          {operation: "READ-MODIFY-WRITE"},
		"Intended-READ-MODIFY-WRITE": {operation: "READ-MODIFY-WRITE", intended: true},
		"READ-MODIFY-WRITE-FAILED":   {operation: "READ-MODIFY-WRITE", failed: "FAILED"},
		"COMMIT":                     {operation: "COMMIT"},
	}
	for name, want := range tests {
		if got := parseMetric(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestParseJSON(t *testing.T) {
	const one, two = `{"metric":"READ","measurement":"Operations","value":3}`, `{"metric":"READ","measurement":"AverageLatency(us)","value":1.5E+10}`
	first, second := entry{"READ", "Operations", "3"}, entry{"READ", "AverageLatency(us)", "1.5E10"}
	tests := map[string]struct {
		text string
		want []entry
		err  string
	}{
		"an array":                    {"[ " + one + " , " + two + " ]\n", []entry{first, second}, ""},
		"an empty array":              {"[]", nil, ""},
		"objects one after the other": {one + " " + two + "\n", []entry{first, second}, ""},
		"NaN is a string":             {`[{"metric":"READ","measurement":"AverageLatency(us)","value":"NaN"}]`, []entry{{"READ", "AverageLatency(us)", "NaN"}}, ""},
		"an array that is cut":        {"[ " + one + " , ", []entry{first}, "object 2"},
		"an array without its end":    {"[ " + one, []entry{first}, "after object 1"},
		"an object that is cut":       {one + " {", []entry{first}, "object 2"},
		"no value":                    {`[{"metric":"READ","measurement":"Operations","value":null}]`, nil, "is no number"},
		"a value that is a word":      {`[{"metric":"READ","measurement":"Operations","value":"many"}]`, nil, "many is no number"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if !isJSON([]byte(tc.text)) {
				t.Error("is not taken for JSON")
			}
			got, err := parseJSON([]byte(tc.text))
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
		})
	}
	for _, text := range []string{sound, "", "unknown"} {
		if isJSON([]byte(text)) {
			t.Errorf("taken for JSON: %q", text)
		}
	}
}
