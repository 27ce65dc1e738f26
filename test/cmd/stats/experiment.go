package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// noise of one trial, as a logarithm, given that of the trial before.
type noise func(random *rand.Rand, before float64) float64

// Spreads of the noise of a trial. The ratios of two of them spread by 9 and 17 %: what windows of 1 s on slices of a CPU have,
// and what the worst of them have (docs/evidence/statistics.md). A quiet machine whose quota is not used up has 2 % or less.
const (
	spread = 0.065
	loud   = 0.12
	quiet  = 0.02
)

// betweenRuns is what runs of one server differ by: each new process draws a level of its own.
const betweenRuns = 0.02

func normal(random *rand.Rand, _ float64) float64 { return spread * random.NormFloat64() }

// of is a noise with another spread.
func (n noise) of(sd float64) noise {
	return func(random *rand.Rand, before float64) float64 { return sd / spread * n(random, before*spread/sd) }
}

// autoregressive noise has a correlation of 1/2 from trial to trial.
func autoregressive(random *rand.Rand, before float64) float64 {
	const rho = 0.5
	return rho*before + spread*math.Sqrt(1-rho*rho)*random.NormFloat64()
}

// laplace noise has heavier tails than normal noise.
func laplace(random *rand.Rand, _ float64) float64 {
	v := spread / math.Sqrt2 * random.ExpFloat64()
	if random.IntN(2) == 0 {
		return -v
	}
	return v
}

// disturbed noise is normal, but one trial in ten loses up to a fifth.
func disturbed(random *rand.Rand, before float64) float64 {
	v := normal(random, before)
	if random.IntN(10) == 0 {
		v -= 0.2 * random.Float64()
	}
	return v
}

// experiment is a run of two targets that is simulated many times.
type experiment struct {
	blocks, cells int
	order         v1alpha1.TrialOrder
	noise         noise
	// drift from the first trial to the last, and what the second target is faster by; logarithms.
	drift, effect float64
	// step of the printed values, relative; 0 for all digits.
	step  float64
	plans [][]plan.Trial
}

// differentPlans are how many orders of trials an experiment is played with.
const differentPlans = 64

// cellsOf an experiment, as words.
func cellsOf(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

func (e *experiment) prepare() {
	for seed := range int64(differentPlans) {
		p := must(plan.New(e.spec(seed), nil, plan.Limits{Cells: 1 << 20, Trials: 1 << 20}))
		e.plans = append(e.plans, p.Trials)
	}
}

// spec of the run.
func (e *experiment) spec(seed int64) v1alpha1.BenchmarkRunSpec {
	axis := v1alpha1.Axis{Name: "threads"}
	for i := range max(1, e.cells) {
		axis.Values = append(axis.Values, intstr.FromInt(i+1))
	}
	spec := v1alpha1.BenchmarkRunSpec{
		Targets:  []v1alpha1.Target{{Name: "baseline", MySQL: &v1alpha1.MySQLTarget{}}, {Name: "subject", MySQL: &v1alpha1.MySQLTarget{}}},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{}},
		Matrix:   []v1alpha1.Axis{axis},
		Design:   v1alpha1.Design{Blocks: int32(e.blocks), Order: e.order, Seed: &seed, DataReset: v1alpha1.ResetPerRun},
	}
	spec.SetDefaults()
	return spec
}

// samples are the values of baseline and subject in one cell, by block.
type samples struct{ baseline, subject []float64 }

// run the experiment once.
func (e *experiment) run(random *rand.Rand) []samples {
	if e.plans == nil {
		e.prepare()
	}
	cells := make([]samples, max(1, e.cells))
	for i := range cells {
		cells[i] = samples{make([]float64, e.blocks), make([]float64, e.blocks)}
	}
	trials := e.plans[random.IntN(len(e.plans))]
	before := 0.0
	for i, t := range trials {
		before = e.noise(random, before)
		v := before + e.drift*float64(i)/float64(len(trials))
		side := cells[t.Cell].baseline
		if t.Target == 1 {
			side = cells[t.Cell].subject
			v += e.effect
		}
		side[t.Block] = printed(1000*math.Exp(v), e.step)
	}
	return cells
}

// printed is a value as a tool with few digits prints it.
func printed(v, step float64) float64 {
	if step == 0 {
		return v
	}
	return math.Exp(step * math.Round(math.Log(v)/step))
}

// compared are the paired comparisons of all cells of one experiment.
func (e *experiment) compared(random *rand.Rand) []stats.Comparison {
	var family []stats.Comparison
	for _, s := range e.run(random) {
		family = append(family, paired(s))
	}
	return family
}

func paired(s samples) stats.Comparison {
	return must(stats.ComparePaired(s.subject, s.baseline))
}

func unpaired(s samples) stats.Comparison {
	return must(stats.CompareUnpaired(s.subject, s.baseline))
}

// must returns what cannot fail for simulated values.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
