package validity

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// checkResized is a container whose limits somebody changed. The kernel has what is in force, whoever asked for it.
const checkResized = "resized"

// size is what a container may use. A part is absent where it has no limit, or where it is unknown.
type size struct {
	cpus   *float64
	memory *int64
}

func sizeAt(u *contract.Usage) size {
	if u == nil {
		return size{}
	}
	return size{u.CPULimit, u.MemoryLimitBytes}
}

// Smaller differences come from roundings: of the quota, which runtimes with systemd round up to 10 ms of a second, and of the memory,
// which the kernel rounds down to pages of at most 64 KiB.
const (
	leastCPUs   = 0.01
	leastMemory = 64 << 10
)

// became says how one size became another; empty where no part that is known of both differs by more than its rounding.
func became(from, to size) string {
	var parts []string
	if a, b := from.cpus, to.cpus; a != nil && b != nil && math.Abs(*a-*b) >= leastCPUs {
		parts = append(parts, fmt.Sprintf("%g CPUs became %g", *a, *b))
	}
	if a, b := from.memory, to.memory; a != nil && b != nil && max(*a-*b, *b-*a) >= leastMemory {
		parts = append(parts, fmt.Sprintf("%d bytes of memory became %d", *a, *b))
	}
	return list(parts)
}

// resized says which containers were, during the window.
func resized(r contract.Result, _ runner.Expectations) string {
	var parts []string
	add := func(side string, before, after *contract.Usage) {
		if how := became(sizeAt(before), sizeAt(after)); how != "" {
			parts = append(parts, fmt.Sprintf("%s was resized during the measured window: %s", side, how))
		}
	}
	if t := r.Target; t != nil {
		add(targetSide, t.Before, t.After)
		for _, replica := range t.Replicas {
			add(fmt.Sprintf("replica %d", replica.Index), replica.Before, replica.After)
		}
	}
	add("the client", r.Client.Before, r.Client.After)
	return strings.Join(parts, "; ")
}

// CheckResized compares the sizes of the server, its replicas and the tools at the start of a window with those when the data was loaded.
// Replicas have the size of their primary. It needs the results of all clients.
func CheckResized(loaded contract.Result, results []contract.Result) []Finding {
	var out []Finding
	compare := func(then *contract.Environment, now size, format string, of ...any) {
		if then == nil {
			return
		}
		if how := became(size{then.Limits.CPUs, then.Limits.MemoryBytes}, now); how != "" {
			out = append(out, Finding{checkResized, Disturbed, fmt.Sprintf(format, of...) + ": " + how})
		}
	}
	for _, r := range results {
		if r.State != contract.Succeeded {
			continue
		}
		if t := r.Target; t != nil {
			compare(loaded.Target, sizeFrom(t.Before, &t.Limits), "%s was resized since the data was loaded", serverOf(r))
			for _, replica := range t.Replicas {
				compare(loaded.Target, sizeFrom(replica.Before, replica.Limits),
					"replica %d was resized since the data was loaded, or never had the size of its primary", replica.Index)
			}
		}
		compare(&loaded.Client.Environment, sizeFrom(r.Client.Before, &r.Client.Limits), clientSide+"%d was resized since the data was loaded", r.Trial.Client)
	}
	return out
}

// sizeFrom the start of the window on; from what was read of a container once, where its counters are absent.
func sizeFrom(before *contract.Usage, once *contract.Limits) size {
	s := sizeAt(before)
	if s.cpus == nil && once != nil {
		s.cpus = once.CPUs
	}
	if s.memory == nil && once != nil {
		s.memory = once.MemoryBytes
	}
	return s
}
