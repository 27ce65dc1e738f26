// Package affinity keeps a process, and all that it starts, to its part of a machine's CPUs (design.cpus: Apart), or to the CPU
// that both ends have (Together). In: how the machine is divided, and which side the process is. Out: the affinity of its threads.
//
// Both ends of a trial find the same CPUs without a word between them: from the topology that the kernel shows to both, and the
// ratio in their messages. Whole cores are divided, since two CPUs of one core share most of it; those of a single core are divided
// where there is no other.
package affinity

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Side of a trial.
type Side int

// Sides of a trial.
const (
	Servers Side = iota
	Clients
)

// Reasons to leave a process alone.
var (
	// ErrOneCPU: there is nothing to divide.
	ErrOneCPU = errors.New("design.cpus: Apart needs two CPUs, and this machine has one")
	// ErrNoTopology: nothing says which CPUs there are.
	ErrNoTopology = errors.New("design.cpus: the kernel does not show which CPUs this machine has")
	// ErrNarrowed: the container has CPUs of its own already.
	ErrNarrowed = errors.New("this container may use fewer CPUs than its machine has, and keeps those")
)

// Keep this process to the part of a side, if this machine is divided. Processes that it starts later inherit that. A container that
// may use less than the machine has, such as one with exclusive CPUs, keeps what it has: its other end may have other CPUs, and
// would divide those.
func Keep(r environment.Reader, cpus *contract.CPUs, side Side) error {
	if cpus == nil || !cpus.On(r.BootID()) {
		return nil
	}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("reading which CPUs this process may use: %w", err)
	}
	cores := r.Cores()
	for _, cpu := range slices.Concat(cores...) {
		if !allowed.IsSet(cpu) {
			return fmt.Errorf("%w: CPU %d is not among them", ErrNarrowed, cpu)
		}
	}
	part, err := partOf(cores, cpus, side)
	if err != nil {
		return err
	}
	return setAll(part)
}

// partOf a side of the cores of a machine.
//
// The CPU of both is the first of the last core: the kernel gives most interrupts to the first core, and the other CPUs of a core, which
// share it, have nothing to do then.
func partOf(cores [][]int, cpus *contract.CPUs, side Side) (*unix.CPUSet, error) {
	if len(cores) == 0 {
		return nil, ErrNoTopology
	}
	if cpus.Together {
		var set unix.CPUSet
		set.Set(cores[len(cores)-1][0])
		return &set, nil
	}
	if len(cores) == 1 {
		cores = slices.Collect(slices.Chunk(cores[0], 1))
	}
	if len(cores) < 2 {
		return nil, ErrOneCPU
	}
	share := float64(cpus.Servers) / float64(cpus.Servers+cpus.Clients)
	at := max(1, min(int(math.Round(share*float64(len(cores)))), len(cores)-1))
	part := cores[:at]
	if side == Clients {
		part = cores[at:]
	}
	var set unix.CPUSet
	for _, cpu := range slices.Concat(part...) {
		set.Set(cpu)
	}
	return &set, nil
}

// settle is how long a thread may take from the copy of its maker's affinity until it is listed.
const settle = 10 * time.Millisecond

// setAll sets the affinity of all threads of this process. A thread that begins meanwhile has that of the one that made it, so there
// are passes until one finds no thread that the last had not.
func setAll(set *unix.CPUSet) error {
	seen := map[string]bool{}
	for found := true; found; time.Sleep(settle) {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("listing the threads of this process: %w", err)
		}
		found = false
		for _, thread := range threads {
			found = found || !seen[thread.Name()]
			seen[thread.Name()] = true
			id, err := strconv.Atoi(thread.Name())
			if err == nil {
				err = unix.SchedSetaffinity(id, set)
			}
			if err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
				return fmt.Errorf("keeping thread %s to its CPUs: %w", thread.Name(), err)
			}
		}
	}
	return nil
}
