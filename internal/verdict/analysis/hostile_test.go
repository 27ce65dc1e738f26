package analysis

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Labels that differ in every trial, as only a hostile tool writes them, must not take the memory of
// the manager (256 MiB) nor minutes: as many values as the records of a run may have.
func TestLabelsOfEachTrial(t *testing.T) {
	p := planOf(100, 1, "a", "b")
	all := recordsOf(p, 0.01, bOver(1.5))
	n, usual := 0, len(all[0].Values)
	for i := range all {
		for range 3900 {
			n++
			all[i].Values = append(all[i].Values, contract.RecordedValue{
				Name: "latency.percentile", Labels: map[string]string{"p": fmt.Sprint(1000 + n)}, Value: 1, Unit: "ms", Direction: contract.LowerIsBetter,
			})
		}
	}
	s := readSeries(Layout{Plan: p}, all, summary.LeftOut)
	runtime.GC()
	var with, without runtime.MemStats
	runtime.ReadMemStats(&with)
	if len(s.kinds) > maxKinds || s.left != n+usual-maxKinds || len(s.values) > maxKinds+usual*len(p.Targets) {
		t.Errorf("%d kinds, %d series and %d values left out, want at most %d kinds and the rest of %d left out", len(s.kinds), len(s.values), s.left, maxKinds, n)
	}
	runtime.KeepAlive(s)
	s = nil
	runtime.GC()
	runtime.ReadMemStats(&without)
	if most := uint64(16 << 20); with.HeapAlloc > without.HeapAlloc+most {
		t.Errorf("the series take %d bytes, want at most %d", with.HeapAlloc-without.HeapAlloc, most)
	}
	out := conclude(t, Input{Layout: Layout{Plan: p}, Records: all}, 2, nil)
	if out.Entries[0].Verdict != v1alpha1.VerdictFaster || len(out.Findings) != 1 || out.Findings[0].Check != "comparisons-cut" {
		t.Errorf("the verdict is %s with the findings %+v, want Faster and comparisons-cut", out.Entries[0].Verdict, out.Findings)
	}
}

// A price in EUR is no multiple of one in USD, and milliseconds are none of seconds.
func TestUnitsAreNotCompared(t *testing.T) {
	p := planOf(10, 1, "a", "b")
	all := recordsOf(p, 0.01, bOver(1.5))
	for i := range all {
		if all[i].Target == "b" {
			all[i].Values[0].Unit = "rows/s"
		}
	}
	e := conclude(t, Input{Layout: Layout{Plan: p}, Records: all}, 2, nil).Entries[0]
	if e.Verdict != v1alpha1.VerdictNotMeasured || e.Ratio != "" {
		t.Errorf("tx/s against rows/s: %s, ratio %q: %s", e.Verdict, e.Ratio, said(e.Reasons))
	}
}

// Values at the ends of what a number can be have no ratio that anybody can read.
func TestExtremeValues(t *testing.T) {
	for what, values := range map[string][2]float64{
		"a ratio that is no number": {1e308, 1e-308}, "a ratio of 0": {1e-308, 1e308},
		"many digits": {1e200, 1}, "the smallest number": {math.SmallestNonzeroFloat64, 1},
	} {
		for _, order := range []v1alpha1.TrialOrder{v1alpha1.OrderSequential, v1alpha1.OrderRandomizedBlocks} {
			p := planOf(10, 1, "a", "b")
			p.Order = order
			all := recordsOf(p, 0.01, bOver(1.5))
			changed := 0
			for i := range all {
				if all[i].Target == "b" && changed < 3 {
					all[i].Values[0].Value = values[0]
					changed++
				} else if all[i].Target == "a" {
					all[i].Values[0].Value = values[1]
				}
			}
			out := conclude(t, Input{Layout: Layout{Plan: p}, Records: all}, 2, nil)
			for _, e := range out.Entries {
				for _, text := range []string{e.Ratio, e.IntervalLow, e.IntervalHigh, e.DetectableEffect, said(e.Reasons)} {
					if strings.Contains(text, "Inf") || strings.Contains(text, "NaN") || strings.Contains(text, "000000000000000") || len(text) > 300 {
						t.Errorf("%s, %s: %q", what, order, text)
					}
				}
			}
			want := v1alpha1.VerdictInconclusive
			if order == v1alpha1.OrderSequential {
				want = v1alpha1.VerdictExploratory
			}
			if e := out.Entries[0]; e.Verdict != want || len(e.Reasons) == 0 {
				t.Errorf("%s, %s: %s, %q; want %s with a reason", what, order, e.Verdict, said(e.Reasons), want)
			}
		}
	}
}

// A custom tool may have a parameter that is called target. The factor target means the targets all
// the same, and the sides of a comparison differ in nothing else.
func TestAnAxisThatIsCalledTarget(t *testing.T) {
	p := planOf(10, 2, "a", "b")
	p.Axes = []string{v1alpha1.FactorTarget}
	for i := range p.Cells {
		p.Cells[i] = plan.Cell{v1alpha1.FactorTarget: intstr.FromInt(i)}
	}
	all := recordsOf(p, 0.001, func(target string, cell int32) float64 { return 100 * float64(cell+1) })
	for _, a := range []*v1alpha1.Analysis{nil, analysisOf(v1alpha1.Comparison{Factor: v1alpha1.FactorTarget, Baseline: value(intstr.FromString("a"))})} {
		for _, e := range conclude(t, Input{Layout: Layout{Plan: p}, Records: all}, 2, a).Entries[:2] {
			if e.Value != "b" || e.Baseline != "a" || !strings.HasPrefix(e.Ratio, "1") && !strings.HasPrefix(e.Ratio, "0.99") || e.Parameters[v1alpha1.FactorTarget] != intstr.FromInt32(e.Cell) {
				t.Errorf("%s=%v: %s", v1alpha1.FactorTarget, e.Parameters, e.Ratio)
			}
		}
	}
}
