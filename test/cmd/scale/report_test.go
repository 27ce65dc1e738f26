package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	like := func(runs int, change ...func(*figures)) figures {
		f := figures{size: size{runs, 2 * runs}, cpu: 200 * time.Millisecond, passes: 4, each: writes{manager: 9, events: 1, agents: 2}, peak: 40 << 20}
		for _, c := range change {
			c(&f)
		}
		return f
	}
	cpu := func(d time.Duration) func(*figures) { return func(f *figures) { f.cpu = d } }
	tests := map[string]struct {
		all    []figures
		missed []string
		met    int
	}{
		"all are met":                          {all: []figures{like(1), like(10), like(1000)}, met: 8},
		"without 1,000 there is no growth":     {all: []figures{like(10), like(100, cpu(time.Hour))}, met: 4},
		"just met":                             {all: []figures{like(10), like(1000, cpu(260*time.Millisecond))}, met: 6},
		"too much CPU":                         {all: []figures{like(10), like(1000, cpu(261*time.Millisecond))}, met: 5, missed: []string{"CPU per run at 1000"}},
		"too many passes":                      {all: []figures{like(10), like(1000, func(f *figures) { f.passes = 5.3 })}, met: 5, missed: []string{"passes per run"}},
		"too many writes":                      {all: []figures{like(1, func(f *figures) { f.each.manager = 9.1 })}, met: 1, missed: []string{"1: 12.10 writes per trial"}},
		"too much memory":                      {all: []figures{like(1, func(f *figures) { f.peak = 300 << 20 })}, met: 1, missed: []string{"1: 300 MiB"}},
		"runs that wait are no base of growth": {all: []figures{{size: size{10, 4}, cpu: 1}, like(10), like(1000)}, met: 7},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var missed []string
			met := 0
			for _, v := range judge(tt.all) {
				if v.missed {
					missed = append(missed, v.text)
				} else {
					met++
				}
			}
			if met != tt.met || len(missed) != len(tt.missed) {
				t.Fatalf("met %d, missed %q; want %d and %q", met, missed, tt.met, tt.missed)
			}
			for i := range missed {
				if !strings.HasPrefix(missed[i], tt.missed[i]) {
					t.Errorf("missed %q, want %q", missed[i], tt.missed[i])
				}
			}
		})
	}
}

func TestParseSizes(t *testing.T) {
	tests := map[string]struct {
		text string
		want []size
		bad  bool
	}{
		"two nodes for each run":     {text: "1, 10", want: []size{{1, 2}, {10, 20}}},
		"fewer nodes":                {text: "100/20", want: []size{{100, 20}}},
		"no number":                  {text: "1,x", bad: true},
		"no runs":                    {text: "0", bad: true},
		"a node alone is not enough": {text: "5/1", bad: true},
		"nothing":                    {text: "", bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseSizes(tt.text)
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(size{})); d != "" && !tt.bad || (err != nil) != tt.bad {
				t.Errorf("%v\n%s", err, d)
			}
		})
	}
}

func TestParseProcess(t *testing.T) {
	const stat = "42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 250 31 0 0 20 0 9 0 100 1 2\n"
	const status = "Name:\ta\nVmPeak:\t  999 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 1024 kB\n"
	tests := map[string]struct {
		stat, status string
		want         process
		bad          bool
	}{
		"brackets in the name":     {stat: stat, status: status, want: process{cpu: 2810 * time.Millisecond, peak: 2 << 20}},
		"no peak":                  {stat: stat, status: "Name:\ta\n", bad: true},
		"a line that is cut":       {stat: "42 (a) S 1 2", status: status, bad: true},
		"a number that is none":    {stat: strings.Replace(stat, "250", "x", 1), status: status, bad: true},
		"nothing":                  {bad: true},
		"a peak that is no number": {stat: stat, status: "VmHWM: x kB\n", bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseProcess(tt.stat, tt.status)
			if (err != nil) != tt.bad || !tt.bad && got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
