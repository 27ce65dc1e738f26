package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeSchedules(t *testing.T) {
	tests := map[string]struct {
		change func(*scheduleFigures)
		missed string
	}{
		"all are met":               {change: func(*scheduleFigures) {}},
		"a run is lost":             {change: func(f *scheduleFigures) { f.delays = f.delays[1:] }, missed: "1 runs for 2 schedules"},
		"a run is in no history":    {change: func(f *scheduleFigures) { f.wrong = []string{"due-0001 has 2 runs"} }, missed: "2 runs for 2 schedules that were due, and 1 schedules with a run too many or too few: due-0001"},
		"a write at rest":           {change: func(f *scheduleFigures) { f.rest.writes = 1 }, missed: "1 writes in 60 s at rest"},
		"a write of a new manager":  {change: func(f *scheduleFigures) { f.again.writes = 1 }, missed: "1 writes of a new manager"},
		"a new manager that sleeps": {change: func(f *scheduleFigures) { f.again.passes = 9 }, missed: "0 writes of a new manager in 9 passes over 10"},
		"a late run":                {change: func(f *scheduleFigures) { f.delays[1] = 16 * time.Second }, missed: "the last run was created 16.00 s"},
		"too many writes":           {change: func(f *scheduleFigures) { f.asked["create events"] = 13 }, missed: "8.50 writes for a schedule"},
		"reads do not count":        {change: func(f *scheduleFigures) { f.asked["get configmaps"] = 99 }},
		"too much memory":           {change: func(f *scheduleFigures) { f.peak = 300 << 20 }, missed: "300 MiB"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := scheduleFigures{
				size: schedules{all: 10, due: 2}, delays: []time.Duration{time.Second, 2 * time.Second}, asked: map[string]int{"create benchmarkruns": 4},
				rest: usage{took: time.Minute}, again: usage{passes: 10}, peak: 50 << 20,
			}
			tt.change(&f)
			var missed []string
			for _, v := range judgeSchedules(f) {
				if v.missed {
					missed = append(missed, v.text)
				}
			}
			if text := strings.Join(missed, "; "); !strings.HasPrefix(text, tt.missed) || (text == "") != (tt.missed == "") {
				t.Errorf("missed %q, want %q", text, tt.missed)
			}
		})
	}
}

// The audit log tells what a schedule costs from what its run costs, and the manager from all others.
func TestFiguresOfTheAuditLog(t *testing.T) {
	log := func(agent, verb, resource, subresource, name, body string) string {
		return `{"kind":"Event","verb":"` + verb + `","userAgent":"` + agent + `","objectRef":{"resource":"` + resource + `","subresource":"` + subresource +
			`","name":"` + name + `"},"requestObject":{"metadata":{"name":"` + body + `"}},"responseStatus":{"code":201},"stageTimestamp":"2026-11-22T22:00:03.500000Z"}` + "\n"
	}
	s := &server{dir: t.TempDir()}
	before, err := s.requests()
	if err != nil || len(before) != 0 {
		t.Fatalf("without a log: %v, %v", before, err)
	}
	const manager = "manager/v0.0.0 (linux/amd64)"
	text := log(manager, "create", "benchmarkruns", "", "", "due-0001-20261122-2200") +
		log(manager, "update", "benchmarkschedules", "status", "due-0001", "") +
		log(manager, "update", "benchmarkruns", "status", "due-0001-20261122-2200", "") +
		log(manager, "create", "events", "", "due-0001.18a", "") +
		log(manager, "create", "events", "", "due-0001-20261122-2200.18a", "") +
		log(manager, "create", "configmaps", "", "due-0001-history-0a1b2c3d", "") +
		log(manager, "create", "configmaps", "", "due-0001-20261122-2200-plan-0000", "") +
		log(manager, "get", "benchmarkschedules", "", "due-0001", "") +
		log("bench/v0.0.0", "create", "benchmarkschedules", "", "due-0001", "")
	if err := os.WriteFile(filepath.Join(s.dir, auditLog), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	after, err := s.requests()
	if err != nil {
		t.Fatal(err)
	}
	due := time.Date(2026, 11, 22, 22, 0, 0, 0, time.UTC)
	f := newScheduleFigures(schedules{all: 10, due: 1}, due, []moment{{}, {requests: after}, {requests: after}, {requests: after}})
	want := map[string]int{
		"create benchmarkruns": 1, "update benchmarkschedules/status": 1, "create events": 1, "create configmaps": 1, "get benchmarkschedules": 1,
	}
	if d := cmp.Diff(want, f.asked); d != "" {
		t.Error(d)
	}
	if f.due.requests != 8 || f.due.writes != 7 || f.rest.requests != 0 || f.writesPerSchedule() != 4 || len(f.delays) != 1 || f.slowest() != 3500*time.Millisecond {
		t.Errorf("figures %+v", f)
	}
}

func TestParseSchedules(t *testing.T) {
	tests := map[string]struct {
		want schedules
		bad  bool
	}{
		"1000/100": {want: schedules{1000, 100}},
		"none":     {},
		"1000":     {bad: true},
		"1000/0":   {bad: true},
		"10/100":   {bad: true},
		"x/y":      {bad: true},
	}
	for text, tt := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := parseSchedules(text)
			if (err != nil) != tt.bad || !tt.bad && got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
