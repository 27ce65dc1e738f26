package plan

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestEveryOrderHasEveryTrialOnce(t *testing.T) {
	sizes := map[string]v1alpha1.BenchmarkRunSpec{
		"one of each": spec("", 1, "a"),
		"no matrix":   spec("", 7, "a b c"),
		"a matrix":    spec("", 5, "a b", numbers("x", 3), numbers("y", 4)),
	}
	for name, s := range sizes {
		for _, order := range allOrders {
			t.Run(name+" "+string(order), func(t *testing.T) {
				s.Design.Order = order
				p := mustNew(t, s)
				seen := map[Trial]int{}
				for i, trial := range p.Trials {
					if int(trial.Index) != i {
						t.Errorf("trial %d has index %d", i, trial.Index)
					}
					trial.Index = 0
					seen[trial]++
				}
				want := map[Trial]int{}
				for b := range s.Design.Blocks {
					for c := range int32(len(p.Cells)) {
						for x := range int32(len(p.Targets)) {
							want[Trial{Block: b, Cell: c, Target: x}] = 1
						}
					}
				}
				if diff := cmp.Diff(want, seen); diff != "" {
					t.Errorf("how often each trial is planned (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestRandomizedBlocksKeepWhatIsComparedTogether(t *testing.T) {
	const cells, targets = 12, 3
	for seed := range int64(50) {
		s := spec(v1alpha1.OrderRandomizedBlocks, 6, "a b c", numbers("x", 3), numbers("y", 4))
		s.Design.Seed = seed
		for i, trial := range mustNew(t, s).Trials {
			if want := int32(i / (cells * targets)); trial.Block != want {
				t.Fatalf("seed %d: trial %d is of block %d, want %d: blocks are mixed", seed, i, trial.Block, want)
			}
			if first := i / targets * targets; i > first && trial.Cell != mustNew(t, s).Trials[first].Cell {
				t.Fatalf("seed %d: trial %d is of another cell than trial %d: the targets of a cell are apart", seed, i, first)
			}
		}
	}
}

func TestTheOrderIsThatOfTheSeed(t *testing.T) {
	s := spec(v1alpha1.OrderRandomizedBlocks, 3, "a b", numbers("x", 8))
	seen := map[string]int64{}
	for seed := range int64(1000) {
		s.Design.Seed = seed
		p := mustNew(t, s)
		if p.SHA256() != mustNew(t, s).SHA256() {
			t.Fatalf("seed %d gives two plans", seed)
		}
		p.Seed = 0 // only the order counts
		if other, twice := seen[p.SHA256()]; twice {
			t.Fatalf("seeds %d and %d give the same order", seed, other)
		}
		seen[p.SHA256()] = seed
	}
}

// TestRandomizedBlocksAreBalanced: over many seeds and blocks every target is as
// often first in its cell as any other, and every cell first in its block; and the
// order of one block or cell says nothing about that of the next.
func TestRandomizedBlocksAreBalanced(t *testing.T) {
	const blocks, cells, targets, seeds = 10, 5, 3, 400
	firstTarget, firstCell := make([]int, targets), make([]int, cells)
	nextBlock, nextCell := make([]int, targets*targets), make([]int, targets*targets)
	for seed := range int64(seeds) {
		s := spec(v1alpha1.OrderRandomizedBlocks, blocks, "a b c", numbers("x", cells))
		s.Design.Seed = seed
		trials := mustNew(t, s).Trials
		for i := 0; i < len(trials); i += targets {
			firstTarget[trials[i].Target]++
			if i%(cells*targets) == 0 {
				firstCell[trials[i].Cell]++
			}
			if i%(2*targets) == 0 && i+targets < len(trials) {
				nextCell[trials[i].Target*targets+trials[i+targets].Target]++
			}
		}
		for b := 0; b+1 < blocks; b += 2 {
			at := func(block int32) int32 {
				return trials[slices.IndexFunc(trials, func(x Trial) bool { return x.Block == block && x.Cell == 0 })].Target
			}
			nextBlock[at(int32(b))*targets+at(int32(b)+1)]++
		}
	}
	// The bounds are the 99.9 % points of chi-square for one less than the classes.
	tests := map[string]struct {
		counts []int
		bound  float64
	}{
		"targets first in their cell":         {firstTarget, 13.82},
		"cells first in their block":          {firstCell, 18.47},
		"first target here and in next cell":  {nextCell, 26.12},
		"first target here and in next block": {nextBlock, 26.12},
	}
	for name, tt := range tests {
		if got := chiSquare(tt.counts); got > tt.bound {
			t.Errorf("%s: %v, chi-square %.1f, want at most %.2f", name, tt.counts, got, tt.bound)
		}
	}
}

// chiSquare against the same number in every class.
func chiSquare(counts []int) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	want, sum := float64(total)/float64(len(counts)), 0.0
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

func TestMarkResets(t *testing.T) {
	// Of each trial: target, cell, block; a star for a reset.
	plan := func(order v1alpha1.TrialOrder, policy v1alpha1.DataReset) []string {
		s := spec(order, 2, "a b", axis("x", 1, 2))
		s.Design.DataReset = policy
		var out []string
		for _, trial := range mustNew(t, s).Trials {
			text := string([]byte{"ab"[trial.Target], "01"[trial.Cell], "01"[trial.Block]})
			if trial.Reset {
				text += "*"
			}
			out = append(out, text)
		}
		return out
	}
	tests := map[string]struct {
		order  v1alpha1.TrialOrder
		policy v1alpha1.DataReset
		want   []string
	}{
		"PerRun resets nothing": {
			v1alpha1.OrderABBA, v1alpha1.ResetPerRun,
			[]string{"a00", "b00", "a10", "b10", "b01", "a01", "b11", "a11"},
		},
		"PerBlock resets a target once in each block but the first": {
			v1alpha1.OrderABBA, v1alpha1.ResetPerBlock,
			[]string{"a00", "b00", "a10", "b10", "b01*", "a01*", "b11", "a11"},
		},
		"PerTrial resets before every trial but a target's first": {
			v1alpha1.OrderABBA, v1alpha1.ResetPerTrial,
			[]string{"a00", "b00", "a10*", "b10*", "b01*", "a01*", "b11*", "a11*"},
		},
		"PerBlock in a sequence resets whenever the block changes": {
			v1alpha1.OrderSequential, v1alpha1.ResetPerBlock,
			[]string{"a00", "a01*", "a10*", "a11*", "b00", "b01*", "b10*", "b11*"},
		},
		"PerTrial in a sequence": {
			v1alpha1.OrderSequential, v1alpha1.ResetPerTrial,
			[]string{"a00", "a01*", "a10*", "a11*", "b00", "b01*", "b10*", "b11*"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, plan(tt.order, tt.policy)); diff != "" {
				t.Errorf("trials (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheLargestPlanIsMadeInTime(t *testing.T) {
	for _, order := range allOrders {
		s := spec(order, 10, "a b", numbers("x", 25), numbers("y", 40))
		start := time.Now()
		p := mustNew(t, s)
		p.SHA256()
		if took := time.Since(start); took > time.Second || len(p.Trials) != MaxTrials {
			t.Errorf("%s: %d trials in %s, want %d in a second", order, len(p.Trials), took, MaxTrials)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	s := spec(v1alpha1.OrderRandomizedBlocks, 10, "a b", numbers("x", 25), numbers("y", 40))
	for b.Loop() {
		mustNew(b, s)
	}
}
