package machinespeed

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The quantiles are those of R's qt().
func TestQuantile(t *testing.T) {
	for _, tc := range []struct{ p, freedom, want float64 }{
		{0.975, 5, 2.570582}, {0.995, 5, 4.032143}, {0.995, 10, 3.169273}, {0.995, 58, 2.663287},
		{0.9995, 30, 3.645959}, {0.995, 1e6, 2.575835},
	} {
		if got := quantile(tc.p, tc.freedom); math.Abs(got-tc.want) > 5e-4 {
			t.Errorf("quantile %g of %g degrees of freedom is %g, want %g", tc.p, tc.freedom, got, tc.want)
		}
	}
}

// recorded are times of the kernels, in ms, that were measured on a real machine.
type recorded map[string][]float64

// columns of a recording in their order.
var columns = []string{"integer", "integer-cpu", "memory", "memory-cpu"}

func load(t *testing.T, file string) recorded {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	r := recorded{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for i, field := range strings.Fields(line) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			r[columns[i]] = append(r[columns[i]], v)
		}
	}
	return r
}

// run draws the times of so many trials, on a machine that takes slower times as long, and
// that a quota stops for a share of the time: where it does, for stall ms at once.
func (r recorded) run(rng *rand.Rand, trials int, slower, share, stall float64) recorded {
	out := recorded{}
	for range trials {
		row := rng.IntN(len(r[columns[0]]))
		for _, name := range columns {
			v := r[name][row] * slower
			if share > 0 && !strings.HasSuffix(name, "-cpu") {
				burst := v * repetitions
				stalls := burst * share / (1 - share) / stall
				n := math.Floor(stalls)
				if rng.Float64() < stalls-n {
					n++
				}
				v += n * stall / repetitions
			}
			out[name] = append(out[name], v)
		}
	}
	return out
}

// The bars of the kernel: of runs on machines that are alike at most one in 100 is told apart
// by any of the four times, and a machine that is 5 % slower is found in 95 of 100 runs. How
// many trials that takes is up to the noise: those beside builds are the worst case.
func TestBars(t *testing.T) {
	const runs = 2000
	tests := map[string]struct {
		file                 string
		trials               int
		slower, share, stall float64
		least, most          float64
	}{
		"alike, few trials":                      {"beside-builds.txt", 12, 1, 0, 0, 0, 0.01},
		"alike, beside builds":                   {"beside-builds.txt", 60, 1, 0, 0, 0, 0.01},
		"alike, many trials":                     {"beside-builds.txt", 400, 1, 0, 0, 0, 0.01},
		"alike, with precedence":                 {"with-precedence.txt", 60, 1, 0, 0, 0, 0.01},
		"5 % slower, beside builds":              {"beside-builds.txt", 60, 1.05, 0, 0, 0.95, 1},
		"5 % slower, with precedence":            {"with-precedence.txt", 80, 1.05, 0, 0, 0.95, 1},
		"20 % slower, few trials":                {"beside-builds.txt", 12, 1.2, 0, 0, 0.95, 1},
		"a quota of 95 %, with precedence, 1 ms": {"with-precedence.txt", 240, 1, 0.05, 1, 0.95, 1},
		"a quota of 80 %, with precedence, 4 ms": {"with-precedence.txt", 60, 1, 0.2, 4, 0.95, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noise := load(t, tc.file)
			rng := rand.New(rand.NewPCG(1, 2))
			told := 0
			for range runs {
				a, b := noise.run(rng, tc.trials, 1, 0, 0), noise.run(rng, tc.trials, tc.slower, tc.share, tc.stall)
				if differ(a, b) {
					told++
				}
			}
			share := float64(told) / runs
			t.Logf("%d trials: %.1f %% of the runs are told apart", tc.trials, 100*share)
			if share < tc.least || share > tc.most {
				t.Errorf("%.4f of the runs are told apart, want %g to %g", share, tc.least, tc.most)
			}
		})
	}
}

func differ(a, b recorded) bool {
	for _, name := range columns {
		if c, ok := Compare(a[name], b[name], len(columns)); ok && (c.Slower() || c.Faster()) {
			return true
		}
	}
	return false
}
