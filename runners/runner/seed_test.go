package runner

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func seededTrial(block, cell int) contract.Trial {
	return contract.Trial{Seed: 42, Ref: contract.TrialRef{Phase: string(contract.PhaseRun), Target: "mariadb", Block: new(block), Cell: new(cell)}}
}

// The line in the document is the specification: whoever runs it gets the seed.
func TestTheShellLineOfTheDocumentGivesTheSeed(t *testing.T) {
	line := documented(t, "../../docs/reference/order-and-seeds.md", "assay.dev/seed/v1")
	out, err := exec.Command("sh", "-c", line).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
	if got, want := strings.TrimSpace(string(out)), strconv.FormatInt(Seed(seededTrial(0, 0), contract.PhaseWarmup), 10); got != want {
		t.Errorf("%s\nprints %s, and Seed gives %s", line, got, want)
	}
	// The same line for any other trial, with the target where it counts.
	trial := seededTrial(7, 3)
	trial.Seed, trial.Ref.Client, trial.Ref.Attempt, trial.SharedServer = 9007199254740991, 5, 2, true
	other := strings.Replace(line, "42 0 0 Warmup 0 0", "9007199254740991 7 3 Run 5 2 mariadb", 1)
	if out, err = exec.Command("sh", "-c", other).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", other, err, out)
	}
	if got, want := strings.TrimSpace(string(out)), strconv.FormatInt(Seed(trial, contract.PhaseRun), 10); got != want {
		t.Errorf("%s\nprints %s, and Seed gives %s", other, got, want)
	}
}

// documented is the code block of a document that has the text.
func documented(t *testing.T, path, text string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(data), "```") {
		if script, isShell := strings.CutPrefix(block, "sh\n"); i%2 == 1 && isShell && strings.Contains(script, text) {
			return script
		}
	}
	t.Fatalf("%s has no shell block with %s", path, text)
	return ""
}

func TestWhatHasASeedOfItsOwn(t *testing.T) {
	first := Seed(seededTrial(0, 0), contract.PhaseRun)
	tests := map[string]struct {
		change func(*contract.Trial)
		phase  contract.Phase
		same   bool
	}{
		"the same":                                {phase: contract.PhaseRun, same: true},
		"the warm-up":                             {phase: contract.PhaseWarmup},
		"another block":                           {phase: contract.PhaseRun, change: func(t *contract.Trial) { t.Ref.Block = new(1) }},
		"another cell":                            {phase: contract.PhaseRun, change: func(t *contract.Trial) { t.Ref.Cell = new(1) }},
		"another client":                          {phase: contract.PhaseRun, change: func(t *contract.Trial) { t.Ref.Client = 1 }},
		"another attempt":                         {phase: contract.PhaseRun, change: func(t *contract.Trial) { t.Ref.Attempt = 1 }},
		"another run":                             {phase: contract.PhaseRun, change: func(t *contract.Trial) { t.Seed = 43 }},
		"another target":                          {phase: contract.PhaseRun, same: true, change: func(t *contract.Trial) { t.Ref.Target = "mysql" }},
		"another place in the order":              {phase: contract.PhaseRun, same: true, change: func(t *contract.Trial) { t.Ref.Index = new(9) }},
		"another target on the same server":       {phase: contract.PhaseRun, change: func(t *contract.Trial) { t.SharedServer, t.Ref.Target = true, "mysql" }},
		"a window twice as long after no warm-up": {phase: contract.PhaseRun, same: true, change: func(t *contract.Trial) { t.DurationSeconds, t.WarmupSeconds = 600, 0 }},
	}
	for name, tt := range tests {
		trial := seededTrial(0, 0)
		if tt.change != nil {
			tt.change(&trial)
		}
		if got := Seed(trial, tt.phase); (got == first) != tt.same {
			t.Errorf("%s: seed %d beside %d, want the same: %v", name, got, first, tt.same)
		}
	}
}

func TestTargetsOfOneServerDiffer(t *testing.T) {
	a, b := seededTrial(0, 0), seededTrial(0, 0)
	b.Ref.Target = "mysql"
	a.SharedServer, b.SharedServer = true, true
	if Seed(a, contract.PhaseRun) == Seed(b, contract.PhaseRun) {
		t.Errorf("two targets on one server have the seed %d: the second finds what the first did", Seed(a, contract.PhaseRun))
	}
}

// A reset loads again within a trial what was loaded before all of them.
func TestDataIsLoadedAgainFromTheSameSeed(t *testing.T) {
	loaded := contract.Trial{Seed: 42, Ref: contract.TrialRef{Phase: string(contract.PhasePrepare), Target: "mariadb"}}
	again := seededTrial(5, 2)
	again.Ref.Target, again.Ref.Attempt, again.SharedServer = "mysql", 1, true
	if a, b := Seed(loaded, contract.PhasePrepare), Seed(again, contract.PhasePrepare); a != b {
		t.Errorf("loaded with seed %d, and again with %d", a, b)
	}
}

// The largest plan: 20,000 trials with two phases. If seeds were drawn at random from
// 2147483647, 0.37 pairs would be equal; more than 5 are less likely than 1 in 100,000.
func TestSeedsOfTheLargestPlan(t *testing.T) {
	const blocks, cells = 100, 200
	for run := range int64(3) {
		seen := map[int64]string{}
		equal, sum, odd := 0, 0.0, 0
		for block := range blocks {
			for cell := range cells {
				for _, phase := range []contract.Phase{contract.PhaseWarmup, contract.PhaseRun} {
					trial := seededTrial(block, cell)
					trial.Seed = run
					seed := Seed(trial, phase)
					if seed < 1 || seed > MaxSeed {
						t.Fatalf("seed %d is out of range", seed)
					}
					if _, twice := seen[seed]; twice {
						equal++
					}
					seen[seed] = fmt.Sprintf("%d %d %s", block, cell, phase)
					sum += float64(seed) / MaxSeed
					odd += int(seed & 1)
				}
			}
		}
		const n = 2 * blocks * cells
		if equal > 5 {
			t.Errorf("run %d: %d of %d seeds are there already", run, equal, n)
		}
		// Four standard errors of a uniform number and of a coin.
		if mean := sum / n; math.Abs(mean-0.5) > 4*math.Sqrt(1.0/12/n) {
			t.Errorf("run %d: the mean seed is %.4f of the largest", run, mean)
		}
		if share := float64(odd) / n; math.Abs(share-0.5) > 4*math.Sqrt(0.25/n) {
			t.Errorf("run %d: %.4f of the seeds are odd", run, share)
		}
	}
}
