package validity

import (
	"fmt"
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

// became says how one size became another; empty where no part that is known of both differs.
func became(from, to size) string {
	var parts []string
	if a, b := from.cpus, to.cpus; a != nil && b != nil && *a != *b {
		parts = append(parts, fmt.Sprintf("%g CPUs became %g", *a, *b))
	}
	if a, b := from.memory, to.memory; a != nil && b != nil && *a != *b {
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

// CheckResized compares the sizes of the server and of the tools at the start of a window with those when the data was loaded. It needs
// the results of all clients.
func CheckResized(loaded contract.Result, results []contract.Result) []Finding {
	var out []Finding
	compare := func(side string, then, now *contract.Environment) {
		if then == nil || now == nil {
			return
		}
		if how := became(size{then.Limits.CPUs, then.Limits.MemoryBytes}, sizeFrom(*now)); how != "" {
			out = append(out, Finding{checkResized, Disturbed, fmt.Sprintf("%s was resized since the data was loaded: %s", side, how)})
		}
	}
	for _, r := range results {
		if r.State != contract.Succeeded {
			continue
		}
		compare(targetSide, loaded.Target, r.Target)
		compare(fmt.Sprintf(clientSide+"%d", r.Trial.Client), &loaded.Client.Environment, &r.Client.Environment)
	}
	return out
}

// sizeFrom the start of the window on; from what was read of a container once, where its counters are absent.
func sizeFrom(e contract.Environment) size {
	s := sizeAt(e.Before)
	if s.cpus == nil {
		s.cpus = e.Limits.CPUs
	}
	if s.memory == nil {
		s.memory = e.Limits.MemoryBytes
	}
	return s
}
