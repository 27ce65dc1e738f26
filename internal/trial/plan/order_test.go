package plan

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

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
		s.Design.Seed = &seed
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
		s.Design.Seed = &seed
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
		s.Design.Seed = &seed
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
		// The blocks of a pair depend on each other; a block and the next pair do not.
		for b := 1; b+1 < blocks; b += 2 {
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
		"targets first in their cell":        {firstTarget, 13.82},
		"cells first in their block":         {firstCell, 18.47},
		"first target here and in next cell": {nextCell, 26.12},
		"first target here and in next pair": {nextBlock, 26.12},
	}
	for name, tt := range tests {
		if got := chiSquare(tt.counts); got > tt.bound {
			t.Errorf("%s: %v, chi-square %.1f, want at most %.2f", name, tt.counts, got, tt.bound)
		}
	}
}

// Of two blocks of a pair, any target is before any other in exactly one, in every cell, for
// every seed: whatever comes first gains or loses nothing over an even number of blocks.
func TestTargetsOfAPairOfBlocksAreBalanced(t *testing.T) {
	const cells = 3
	for _, targets := range []string{"a b", "a b c", "a b c d e f g h"} {
		for _, blocks := range []int32{1, 2, 5, 6, 10} {
			for seed := range int64(60) {
				s := spec(v1alpha1.OrderRandomizedBlocks, blocks, targets, numbers("x", cells))
				s.Design.Seed = &seed
				for cell, order := range ordersOf(mustNew(t, s)) {
					for pair, before := range precedence(order) {
						if diff := 2*before - int(blocks); diff > 1 || diff < -1 {
							t.Fatalf("%s, %d blocks, seed %d, cell %d: target %d is before target %d in %d blocks",
								targets, blocks, seed, cell, pair[0], pair[1], before)
						}
					}
				}
			}
		}
	}
}

// ordersOf a plan: by cell, the targets of each block in their order.
func ordersOf(p *Plan) map[int32][][]int32 {
	out := map[int32][][]int32{}
	for i := 0; i < len(p.Trials); i += len(p.Targets) {
		var order []int32
		for _, trial := range p.Trials[i : i+len(p.Targets)] {
			order = append(order, trial.Target)
		}
		cell := p.Trials[i].Cell
		out[cell] = append(out[cell], order)
	}
	return out
}

// precedence counts the orders in which one target is before another.
func precedence(orders [][]int32) map[[2]int32]int {
	out := map[[2]int32]int{}
	for _, order := range orders {
		for i, a := range order {
			for _, b := range order {
				if _, known := out[[2]int32{a, b}]; a != b && !known {
					out[[2]int32{a, b}] = 0
				}
			}
			for _, b := range order[i+1:] {
				out[[2]int32{a, b}]++
			}
		}
	}
	return out
}

// Which block of a pair has a target first is not to be foretold: every order of three
// targets is as frequent in the first block of a pair as in the second.
func TestTheBlocksOfAPairAreAlike(t *testing.T) {
	counts := [2]map[string]int{{}, {}}
	for seed := range int64(1200) {
		s := spec(v1alpha1.OrderRandomizedBlocks, 2, "a b c")
		s.Design.Seed = &seed
		for block, order := range ordersOf(mustNew(t, s))[0] {
			counts[block][fmt.Sprint(order)]++
		}
	}
	for block, count := range counts {
		// The 99.9 % point of chi-square for six classes.
		if got := chiSquare(slices.Collect(maps.Values(count))); len(count) != 6 || got > 20.52 {
			t.Errorf("block %d: orders %v, chi-square %.1f, want six and at most 20.52", block, count, got)
		}
	}
}

// The example of the document is run as it stands.
func TestTheShellLinesOfTheDocumentGiveTheOrder(t *testing.T) {
	data, err := os.ReadFile("../../../docs/reference/order-and-seeds.md")
	if err != nil {
		t.Fatal(err)
	}
	s := spec(v1alpha1.OrderRandomizedBlocks, 4, "a b c", numbers("x", 3))
	p := mustNew(t, s)
	tests := map[string]struct {
		what string
		want []string
	}{
		"the cells of block 0":            {"'assay.dev/order/v2\\n42\\n0\\n%s\\n'", nil},
		"the targets of cell 1, blocks 2": {"'assay.dev/order/v2\\n42\\n2\\n1\\n%s\\n'", nil},
	}
	for _, trial := range p.Trials[:9] {
		if trial.Target == 0 {
			tt := tests["the cells of block 0"]
			tt.want = append(tt.want, fmt.Sprintf("cell %d", trial.Cell))
			tests["the cells of block 0"] = tt
		}
	}
	for _, target := range ordersOf(p)[1][2] {
		tt := tests["the targets of cell 1, blocks 2"]
		tt.want = append(tt.want, fmt.Sprintf("target %d", target))
		tests["the targets of cell 1, blocks 2"] = tt
	}
	if there, back := ordersOf(p)[1][2], ordersOf(p)[1][3]; there[0] != back[2] || there[1] != back[1] || there[2] != back[0] {
		t.Errorf("block 2 has %v and block 3 %v, want the opposite", there, back)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var script string
			for line := range strings.Lines(string(data)) {
				if strings.Contains(line, tt.what) {
					script = line
				}
			}
			out, err := exec.Command("sh", "-c", script).Output()
			if err != nil || script == "" {
				t.Fatalf("%q: %v", script, err)
			}
			var got []string
			for line := range strings.Lines(string(out)) {
				_, word, _ := strings.Cut(strings.TrimSpace(line), "  ")
				got = append(got, word)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s(-want +got):\n%s", script, diff)
			}
		})
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

// starred are the trials of a plan: target, cell, block; a star for those with a mark.
func starred(t *testing.T, s v1alpha1.BenchmarkRunSpec, mark func(Trial) bool) (out []string) {
	t.Helper()
	for _, trial := range mustNew(t, s).Trials {
		text := string([]byte{"ab"[trial.Target], "01"[trial.Cell], "01"[trial.Block]})
		if mark(trial) {
			text += "*"
		}
		out = append(out, text)
	}
	return out
}

func TestMarkResets(t *testing.T) {
	plan := func(order v1alpha1.TrialOrder, policy v1alpha1.DataReset) []string {
		s := spec(order, 2, "a b", axis("x", 1, 2))
		s.Design.DataReset = policy
		return starred(t, s, func(trial Trial) bool { return trial.Reset })
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

// A server is started again before its first trial of a block, but for where a reset starts it.
func TestMarkRestarts(t *testing.T) {
	never := []string{"a00", "b00", "a10", "b10", "b01", "a01", "b11", "a11"}
	for name, tt := range map[string]struct {
		starts v1alpha1.Starts
		change func(*v1alpha1.BenchmarkRunSpec)
		want   []string
	}{
		"one start":              {starts: v1alpha1.StartsOne, want: never},
		"nothing is said":        {want: never},
		"one for each block":     {starts: v1alpha1.StartsPerBlock, want: []string{"a00*", "b00*", "a10", "b10", "b01*", "a01*", "b11", "a11"}},
		"a reset starts it":      {v1alpha1.StartsPerBlock, func(s *v1alpha1.BenchmarkRunSpec) { s.Design.DataReset = v1alpha1.ResetPerBlock }, []string{"a00*", "b00*", "a10", "b10", "b01", "a01", "b11", "a11"}},
		"a setting needs starts": {v1alpha1.StartsOne, startsFor("config.back_log"), []string{"a00*", "b00*", "a10*", "b10*", "b01*", "a01*", "b11*", "a11*"}},
		"a setting, and resets": {v1alpha1.StartsOne, func(s *v1alpha1.BenchmarkRunSpec) {
			startsFor("config.back_log")(s)
			s.Design.DataReset = v1alpha1.ResetPerTrial
		}, []string{"a00*", "b00*", "a10", "b10", "b01", "a01", "b11", "a11"}},
		"its turn starts it":   {v1alpha1.StartsPerBlock, func(s *v1alpha1.BenchmarkRunSpec) { s.Design.IdleTargets = v1alpha1.IdleStopped }, never},
		"a sequence of blocks": {v1alpha1.StartsPerBlock, func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Order = v1alpha1.OrderSequential }, []string{"a00*", "a01*", "a10*", "a11*", "b00*", "b01*", "b10*", "b11*"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(v1alpha1.OrderABBA, 2, "a b", axis("x", 1, 2))
			s.Design.Starts = tt.starts
			if tt.change != nil {
				tt.change(&s)
			}
			if diff := cmp.Diff(tt.want, starred(t, s, func(trial Trial) bool { return trial.Restart })); diff != "" {
				t.Errorf("trials (-want +got):\n%s", diff)
			}
		})
	}
	s := spec(v1alpha1.OrderABBA, 2, "a b", axis("x", 1, 2))
	s.Design.Starts, s.Targets[1].External = v1alpha1.StartsPerBlock, &v1alpha1.ExternalTarget{}
	if _, err := New(s, nil, Largest()); err == nil || !strings.Contains(err.Error(), "spec.design.starts: PerBlock, and Assay does not start spec.targets[1] (b)") {
		t.Errorf("an external target: %v", err)
	}
}

// startsFor a setting that only a start changes.
func startsFor(name string) func(*v1alpha1.BenchmarkRunSpec) {
	return func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix[0].Name, s.Matrix[0].Apply = name, v1alpha1.ApplyRestart }
}

// What a plan costs grows with its trials and no faster. BenchmarkNew has the time.
func TestTheLargestPlan(t *testing.T) {
	const most = 10 * MaxTrials
	for _, order := range allOrders {
		s := spec(order, 10, "a b", numbers("x", 25), numbers("y", 40))
		var p *Plan
		n := testing.AllocsPerRun(1, func() {
			p = mustNew(t, s)
			p.SHA256()
		})
		if n > most || len(p.Trials) != MaxTrials {
			t.Errorf("%s: %d trials with %v allocations, want %d with at most %d", order, len(p.Trials), n, MaxTrials, most)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	s := spec(v1alpha1.OrderRandomizedBlocks, 10, "a b", numbers("x", 25), numbers("y", 40))
	for b.Loop() {
		mustNew(b, s)
	}
}
