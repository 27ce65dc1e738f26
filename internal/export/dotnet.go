package export

import (
	"io"
	"math"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/stored"
)

const higher = contract.HigherIsBetter

// JSON as BenchmarkDotNet's full exporter writes it, as far as a run has it. Times are in nanoseconds.
type (
	dotnetFile struct {
		Title               string            `json:"Title"`
		HostEnvironmentInfo map[string]string `json:"HostEnvironmentInfo"`
		Benchmarks          []dotnetBenchmark `json:"Benchmarks"`
	}
	dotnetBenchmark struct {
		DisplayInfo string           `json:"DisplayInfo"`
		Namespace   string           `json:"Namespace"`
		Type        string           `json:"Type"`
		Method      string           `json:"Method"`
		MethodTitle string           `json:"MethodTitle"`
		Parameters  string           `json:"Parameters"`
		FullName    string           `json:"FullName"`
		Statistics  dotnetStatistics `json:"Statistics"`
	}
	dotnetStatistics struct {
		OriginalValues     []float64 `json:"OriginalValues"`
		N                  int       `json:"N"`
		Min                float64   `json:"Min"`
		LowerFence         float64   `json:"LowerFence"`
		Q1                 float64   `json:"Q1"`
		Median             float64   `json:"Median"`
		Mean               float64   `json:"Mean"`
		Q3                 float64   `json:"Q3"`
		UpperFence         float64   `json:"UpperFence"`
		Max                float64   `json:"Max"`
		InterquartileRange float64   `json:"InterquartileRange"`
		LowerOutliers      []float64 `json:"LowerOutliers"`
		UpperOutliers      []float64 `json:"UpperOutliers"`
		StandardError      *float64  `json:"StandardError,omitempty"`
		Variance           *float64  `json:"Variance,omitempty"`
		StandardDeviation  *float64  `json:"StandardDeviation,omitempty"`
	}
)

// writeDotNet writes each time that counts as a benchmark whose values are the trials.
func writeDotNet(out io.Writer, run *stored.Run) error {
	file := dotnetFile{Title: run.Object.Namespace + "/" + run.Object.Name, HostEnvironmentInfo: map[string]string{"BenchmarkDotNetCaption": "Assay"}, Benchmarks: []dotnetBenchmark{}}
	if all := Caveats(run); len(all) > 0 {
		file.HostEnvironmentInfo["AssayCaveat"] = strings.Join(all, "; ")
	}
	tool := toolOf(run)
	for _, s := range seriesOf(run) {
		values, ok := s.inSeconds()
		if !ok || s.direction == higher {
			continue
		}
		for i := range values {
			values[i] *= 1e9
		}
		full := tool + "." + s.target + "." + s.measurement()
		if cell := cellText(s.parameters); cell != "" {
			full += "(" + cell + ")"
		}
		file.Benchmarks = append(file.Benchmarks, dotnetBenchmark{
			DisplayInfo: s.measurement() + " " + s.place(), Namespace: tool, Type: s.target, Method: s.measurement(), MethodTitle: s.measurement(),
			Parameters: cellText(s.parameters), FullName: full, Statistics: dotnetOf(values),
		})
	}
	return encodeIndented(out, file)
}

func dotnetOf(values []float64) dotnetStatistics {
	v := spreadOf(values)
	out := dotnetStatistics{
		OriginalValues: values, N: v.n, Min: v.min, LowerFence: v.low, Q1: v.q1, Median: v.median, Mean: v.mean, Q3: v.q3, UpperFence: v.high, Max: v.max,
		InterquartileRange: v.q3 - v.q1, LowerOutliers: append([]float64{}, v.below...), UpperOutliers: append([]float64{}, v.above...),
	}
	if v.devKnown {
		variance, standardError := v.dev*v.dev, v.dev/math.Sqrt(float64(v.n))
		out.StandardDeviation, out.Variance, out.StandardError = &v.dev, &variance, &standardError
	}
	return out
}
