//go:build linux

package machinespeed

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	// mixes is the length of the chain of one repetition of the integer kernel: about 1 ms
	// on a machine of 2020.
	mixes = 250_000
	// walkBytes is the size of the memory that one repetition of the memory kernel walks
	// through: beyond the second-level cache of current machines, and little beside the
	// memory of the smallest container.
	walkBytes = 8 << 20
	// lineBytes is the distance of two steps at least: a cache line.
	lineBytes = 64
	// walkLines is how many steps one whole walk has; a power of two.
	walkLines = walkBytes / lineBytes
	// steps of one repetition of the memory kernel: a quarter of a walk. The next repetition
	// goes on where it ended.
	steps = walkLines / 4
)

// integer mixes a number repeatedly. Each step needs the result of the previous step, so
// neither the compiler nor the CPU can execute two steps at a time.
func integer(x uint64) uint64 {
	for range mixes {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		x *= 0x9e3779b97f4a7c15
	}
	return x
}

// walk is memory that is read in an order that no prefetcher predicts.
type walk struct {
	memory []byte
	at     uint64
}

// newWalk allocates memory from the kernel in pages of the usual size. Huge pages are not
// always available and would change the measured time.
func newWalk() (*walk, error) {
	memory, err := unix.Mmap(-1, 0, walkBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("taking %d bytes: %w", walkBytes, err)
	}
	// A kernel without huge pages refuses the advice, and needs none.
	_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE)
	// Pages that were only read would all be the one page of zeros.
	for i := 0; i < walkBytes; i += 4 << 10 {
		memory[i] = 0
	}
	return &walk{memory: memory}, nil
}

func (w *walk) close() error { return unix.Munmap(w.memory) }

// go on for the steps of one repetition. The next line is known only when this one has been
// read, although each holds a zero; the generator (Knuth's MMIX multiplier is 5 modulo 8, the
// increment is odd) visits each line once in walkLines steps, and another page each time.
func (w *walk) goOn() uint64 {
	at := w.at
	for range steps {
		at = (at*6364136223846793005 + 1442695040888963407 + uint64(w.memory[at*lineBytes])) % walkLines
	}
	w.at = at
	return at
}
