package main

import (
	"strings"
	"testing"
)

// A limit that is no number of bytes is an error: the manager would run without one.
func TestMemoryLimit(t *testing.T) {
	t.Setenv(memoryEnv, "256Mi")
	if err := limitMemory(); err == nil || !strings.Contains(err.Error(), memoryEnv) {
		t.Errorf("got %v", err)
	}
}
