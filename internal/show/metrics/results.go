package metrics

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/family"
)

// results of a run, as far as it has any. The summary is last: with its intervals it is longer than the bound of a run's series by itself, and
// what exceeds that is left out.
func results(r *v1alpha1.BenchmarkRun) []series {
	checks, verdicts := counts{}, counts{}
	for _, f := range r.Status.Findings {
		checks[[2]string{f.Check, f.Severity}]++
	}
	for _, c := range r.Status.Comparisons {
		verdicts[[2]string{string(c.Family), string(c.Verdict)}]++
	}
	out := append(verdicts.series(r, comparisons), checks.series(r, findings)...)
	for _, c := range r.Status.Comparisons {
		if ratio, ok := number(c.Ratio, 1); ok && c.Family == v1alpha1.FamilyPrimary {
			labels := id(r, strconv.Itoa(int(c.Cell)), c.Target, measurement(c.Name, c.Labels), c.Factor, c.Value, baselineOf(c), string(c.Verdict))
			out = append(out, series{comparisonRatio, labels, ratio})
		}
	}
	if r.Finished() {
		for _, s := range r.Status.Summary {
			out = append(out, values(r, s)...)
		}
	}
	return out
}

// counts by two words.
type counts map[[2]string]int

func (c counts) series(r *v1alpha1.BenchmarkRun, of *family.Family) (out []series) {
	keys := make([][2]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, k := range keys {
		out = append(out, series{of, id(r, k[0], k[1]), float64(c[k])})
	}
	return out
}

// values of an entry of the summary. A number that is missing has no series.
func values(r *v1alpha1.BenchmarkRun, s v1alpha1.SummaryEntry) (out []series) {
	unit, factor := family.BaseUnit(s.Unit)
	parameters := family.Pairs(s.Parameters, func(v intstr.IntOrString) string { return v.String() })
	labels := id(r, strconv.Itoa(int(s.Cell)), parameters, s.Target, s.Name, plainPairs(s.Labels), unit)
	for _, v := range []struct {
		of   *family.Family
		text string
	}{{resultMedian, s.Median}, {resultLow, s.IntervalLow}, {resultHigh, s.IntervalHigh}} {
		if n, ok := number(v.text, factor); ok {
			out = append(out, series{v.of, labels, n})
		}
	}
	return out
}

// baselineOf a comparison; where the sides differ in more than the factor, with that of its side, such as mysql{scheme=SingleRow}.
func baselineOf(c v1alpha1.ComparisonEntry) string {
	values := map[string]string{}
	for _, u := range c.Unlike {
		values[u.Factor] = u.Baseline
	}
	return measurement(c.Baseline, values)
}

// measurement names one with its labels, such as latency{percentile=95}.
func measurement(name string, labels map[string]string) string {
	if len(labels) == 0 {
		return name
	}
	return name + "{" + plainPairs(labels) + "}"
}

func plainPairs(m map[string]string) string {
	return family.Pairs(m, func(s string) string { return s })
}

// number reads a decimal number; ok is false for one that is missing or not finite.
func number(text string, factor float64) (n float64, ok bool) {
	n, err := strconv.ParseFloat(text, 64)
	n *= factor
	return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
}
