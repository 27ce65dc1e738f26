package plan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// size of a plan.
type size struct{ blocks, cells, targets int32 }

// orders list every (block, cell, target) once, without index and reset.
var orders = map[v1alpha1.TrialOrder]func(seed int64, n size) []Trial{
	v1alpha1.OrderRandomizedBlocks: randomizedBlocks,
	v1alpha1.OrderABBA:             abba,
	v1alpha1.OrderSequential:       sequential,
}

// randomizedBlocks goes block by block; in a block the cells are in random order,
// and in a cell the targets, next to each other: what is compared is measured close
// in time. Two blocks are a pair: the second has the targets of each cell in the
// opposite order, so that of any two targets each is first in one of them. Orders drawn
// for each block alone put one target first in 8 or more of 10 blocks for 1 seed in 9, and
// then what comes first differs from what comes second for that reason. With an odd
// number of blocks the last one has no partner.
//
// Random means: sorted by a key, the SHA-256 of these words, each followed by a
// newline, numbers in decimal and from 0:
//
//	cells of a block:   assay.dev/order/v2  SEED  BLOCK  CELL
//	targets of a cell:  assay.dev/order/v2  SEED  BLOCK  CELL  TARGET
//
// BLOCK of the targets is the first block of the pair, an even number; in the second
// block the sorted list is read backwards. The opposite of a random order is as random:
// neither block of a pair is the one that is always turned round. CELL and TARGET are the indices into Plan.Cells and Plan.Targets. So anybody can
// check an order with a few lines of any language. A shuffle by math/rand would be
// specified by the source of one Go release only: which numbers a seed gives, and
// how a shuffle uses them, may change with the next.
func randomizedBlocks(seed int64, n size) []Trial {
	out := make([]Trial, 0, int(n.blocks)*int(n.cells)*int(n.targets))
	for block := range n.blocks {
		for _, cell := range shuffled(n.cells, seed, block) {
			targets := shuffled(n.targets, seed, block-block%2, cell)
			if block%2 == 1 {
				slices.Reverse(targets)
			}
			for _, target := range targets {
				out = append(out, Trial{Block: block, Cell: cell, Target: target})
			}
		}
	}
	return out
}

// abba goes block by block, the cells in their order; the targets go forward in
// even blocks and backward in odd ones, so that a linear drift cancels out.
func abba(_ int64, n size) []Trial {
	out := make([]Trial, 0, int(n.blocks)*int(n.cells)*int(n.targets))
	for block := range n.blocks {
		for cell := range n.cells {
			for target := range n.targets {
				if block%2 == 1 {
					target = n.targets - 1 - target
				}
				out = append(out, Trial{Block: block, Cell: cell, Target: target})
			}
		}
	}
	return out
}

// sequential goes target by target, cell by cell, block by block.
func sequential(_ int64, n size) []Trial {
	out := make([]Trial, 0, int(n.blocks)*int(n.cells)*int(n.targets))
	for target := range n.targets {
		for cell := range n.cells {
			for block := range n.blocks {
				out = append(out, Trial{Block: block, Cell: cell, Target: target})
			}
		}
	}
	return out
}

// shuffled lists 0 to n-1, sorted by the key of each.
func shuffled(n int32, seed int64, path ...int32) []int32 {
	prefix := fmt.Appendf(nil, "assay.dev/order/v2\n%d\n", seed)
	for _, p := range path {
		prefix = fmt.Appendf(prefix, "%d\n", p)
	}
	keys := make([][sha256.Size]byte, n)
	out := make([]int32, n)
	for i := range n {
		out[i] = i
		keys[i] = sha256.Sum256(fmt.Appendf(bytes.Clone(prefix), "%d\n", i))
	}
	slices.SortFunc(out, func(a, b int32) int { return bytes.Compare(keys[a][:], keys[b][:]) })
	return out
}
