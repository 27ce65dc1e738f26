package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
)

// gcPercent trades CPU time, of which the manager needs little, for memory.
const gcPercent = 50

// memoryEnv has the memory limit of the container in bytes, which the Deployment takes from its own
// resources.
const memoryEnv = "ASSAY_MEMORY_LIMIT"

// limitMemory lets the garbage collector work harder before the container is killed: from nine
// tenths of its limit on. GOGC and GOMEMLIMIT of the environment have precedence.
func limitMemory() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	text := os.Getenv(memoryEnv)
	if text == "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	limit, err := strconv.ParseInt(text, 10, 64)
	if err != nil || limit <= 0 {
		return fmt.Errorf("%s: got %q, want a number of bytes", memoryEnv, text)
	}
	debug.SetMemoryLimit(limit / 10 * 9)
	return nil
}
