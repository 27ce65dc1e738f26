package claims

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Statistic of the values of all blocks of the runs. A block is here what a sample of Benchmark.js and a round of pytest-benchmark are to them.
type Statistic string

// Statistics, each as the tool of a source has it.
const (
	// Margin of error of the mean in percent of it, at 95 % by Student's t: Benchmark.js.
	Margin Statistic = "Margin"
	// IQR is the third quartile less the first one, each the median of a half that has the middle too: pytest-benchmark.
	IQR Statistic = "IQR"
	// Outliers are how many values are more than a standard deviation from the mean, and how many more than 1.5 IQR outside the quartiles, such as
	// 7;1: pytest-benchmark.
	Outliers Statistic = "Outliers"
	// Count is how many values there are.
	Count Statistic = "Count"
)

var statistics = []Statistic{Margin, IQR, Outliers, Count}

// of values with their unit, of which there are two or more, as text in a form.
func (s Statistic) of(values []float64, f Form, unit string) string {
	switch s {
	case Margin:
		return "±" + figure.Number(marginOf(values)) + " %"
	case IQR:
		low, high := quartiles(values)
		return inUnit(f.prefix(high-low, unit), Side{Unit: unit}, high-low)
	case Outliers:
		return outliers(values)
	default:
		return figure.Number(float64(len(values)))
	}
}

// marginOf the mean of values, in percent of it.
func marginOf(values []float64) float64 {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return 100 * t * deviation / math.Sqrt(n) / mean
}

// quartiles of values: the first and the third one.
func quartiles(values []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return median(sorted[:(n+1)/2]), median(sorted[n/2:])
}

func outliers(values []float64) string {
	mean, deviation := stat.MeanStdDev(values, nil)
	low, high := quartiles(values)
	far, outside := 0, 0
	for _, v := range values {
		if math.Abs(v-mean) > deviation {
			far++
		}
		if v < low-1.5*(high-low) || v > high+1.5*(high-low) {
			outside++
		}
	}
	return fmt.Sprintf("%d;%d", far, outside)
}
