package rerun

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// made is a tool in a simulation: what it gives for a value.
type made struct {
	name string
	give func(float64) float64
}

// tools that give a value as it is, rounded to 0.01 as sysbench prints, and the bucket of a histogram whose buckets grow by 1.8 %.
func tools() []made {
	return []made{
		{"continuous", func(v float64) float64 { return v }},
		{"rounded to 0.01", func(v float64) float64 { return math.Round(v*100) / 100 }},
		{"buckets of 1.8 %", func(v float64) float64 { return math.Exp(math.Round(math.Log(v)/0.018) * 0.018) }},
	}
}

// simulation of runs of a true value of about 0.6 ms: their medians over blocks, with the spread between runs and within them.
type simulation struct {
	tool            func(float64) float64
	runs, of        int
	between, within float64
}

const simulatedBlocks = 6

// run of the simulation: the values of its blocks.
func (s simulation) run(random *rand.Rand, level float64) (blocks []float64) {
	own := level * math.Exp(s.between*random.NormFloat64())
	for range simulatedBlocks {
		blocks = append(blocks, s.tool(own*math.Exp(s.within*random.NormFloat64())))
	}
	return blocks
}

// outside is the share of repetitions of one measurement that lie outside of what runs predict, of those of which anything is
// predicted.
func (s simulation) outside(random *rand.Rand, rounds int) (share float64, predicted int) {
	out := 0
	for range rounds {
		level := 0.6 * math.Exp(0.05*random.Float64()) // where between two steps the true value lies is not known
		var values, all []float64
		for range s.runs {
			blocks := s.run(random, level)
			all = append(all, blocks...)
			values = append(values, median(blocks))
		}
		of, err := stats.PredictRun(values, stats.Resolution(all))
		if err != nil { // the medians are one
			continue
		}
		predicted++
		if p := (Prediction{Value: median(s.run(random, level))}).from(of, s.of); !p.Within {
			out++
		}
	}
	return float64(out) / float64(max(predicted, 1)), predicted
}

func median(blocks []float64) float64 {
	e, err := stats.EstimateMedian(blocks)
	if err != nil {
		panic(err)
	}
	return e.Median
}

// Of repetitions like the earlier runs at most so many lie outside as the level says, as far as 2,000 rounds or fewer can tell,
// also where tools round or count in buckets, and runs differ by less than a step. Without what Check adds for the resolution it is up to four times as many:
// 0.025 where the level is 0.00625, for 20 runs whose medians differ by less than the step of 1.8 %.
func TestCoverageOfRoundedValues(t *testing.T) {
	const rounds = 2000
	for _, tool := range tools() {
		for _, n := range []int{3, 20} {
			for _, spread := range []float64{0.003, 0.02} {
				for _, of := range []int{1, 8} {
					name := fmt.Sprintf("%s/%d runs/spread %v/%d measurements", tool.name, n, spread, of)
					random := rand.New(rand.NewPCG(uint64(n), uint64(of))) //nolint:gosec // a simulation
					s := simulation{tool.give, n, of, spread, spread}
					level := (1 - Confidence) / float64(of)
					share, predicted := s.outside(random, rounds)
					// Four standard deviations of a share at the level.
					if most := level + 4*math.Sqrt(level*(1-level)/float64(predicted)); share > most {
						t.Errorf("%s: %.4f outside of %d, at most %.4f", name, share, predicted, most)
					}
				}
			}
		}
	}
}
