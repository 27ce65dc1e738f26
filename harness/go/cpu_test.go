package main

import (
	"strings"
	"testing"
)

// The process uses CPU time, and what it uses is reported once it is enough for the steps of the clock.
func TestCPUTime(t *testing.T) {
	begin := cpuTime()
	for cpuSince(begin) == 0 {
		_ = strings.Repeat("work", 1000)
	}
	if used := cpuSince(begin); used < 10*cpuStep {
		t.Errorf("%d ns are a CPU time", used)
	}
	if used := cpuSince(cpuTime() + 1e9); used != 0 {
		t.Errorf("a clock that was put back reports %d ns", used)
	}
	if used := cpuSince(-1); used != 0 {
		t.Errorf("an unknown beginning reports %d ns", used)
	}
}
