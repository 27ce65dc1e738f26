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

// orders list every (block, cell, target) exactly once, without index and reset.
var orders = map[v1alpha1.TrialOrder]func(seed int64, n size) []Trial{
	v1alpha1.OrderRandomizedBlocks: randomizedBlocks,
	v1alpha1.OrderABBA:             abba,
	v1alpha1.OrderSequential:       sequential,
}

// randomizedBlocks goes block by block. In a block the cells are in random order, and in a
// cell the targets, so trials that are compared are close in time. Two blocks form a pair: the
// second block has the targets of each cell in the opposite order, so each of two targets is
// first in one of the blocks. Independent orders for each block would put one target first in
// 8 or more of 10 blocks for 1 seed in 9, and the position would then bias the comparison.
// With an odd number of blocks the last block has no partner.
//
// With a search, a block has as many rounds as the search has trials, and they are ordered like that
// many blocks: BLOCK is then the number of the round, counted over all blocks.
//
// Random means: sorted by a key, the SHA-256 of these words, each followed by a
// newline, numbers in decimal and from 0:
//
//	cells of a block:   assay.dev/order/v2  SEED  BLOCK  CELL
//	targets of a cell:  assay.dev/order/v2  SEED  BLOCK  CELL  TARGET
//
// BLOCK of the targets is the first block of the pair, an even number; the second block uses
// the reversed list. CELL and TARGET are the indices into Plan.Cells and Plan.Targets. Any
// language can check an order in a few lines. A shuffle by math/rand would be specified only
// by the source of one Go release, and could change with the next.
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

// abba goes block by block, with the cells in the order of the matrix. The targets are in
// forward order in even blocks and in reverse order in odd blocks, so a linear drift cancels
// out.
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
