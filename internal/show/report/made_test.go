package report

import (
	"fmt"
	"math"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// made is an experiment whose stored result the tests make with the code that makes it in the manager: the summary
// and the comparisons are those of its records.
type made struct {
	targets []string
	axes    []string
	cells   []plan.Cell
	blocks  int
	names   []string
	loads   []string
	// combinations that each trial measures.
	combinations []analysis.Combination
	comparisons  []analysis.Comparison
	// measure a trial.
	measure func(target string, cell plan.Cell, block int) []contract.RecordedValue
	// change a record before it is summarised; nil changes none.
	change func(*contract.Record)
}

func (m made) input(t testing.TB) Input {
	t.Helper()
	p := &plan.Plan{Seed: 1, Order: v1alpha1.OrderRandomizedBlocks, Targets: m.targets, Cells: []plan.Cell{{}}}
	if len(m.axes) > 0 {
		p.Axes, p.Cells = m.axes, m.cells
	}
	in := Input{Plan: p, Run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "made", Namespace: "bench"}}}
	valid, begun := true, time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for block := range m.blocks {
		for cell, c := range p.Cells {
			for target, name := range m.targets {
				index := int32(len(p.Trials))
				p.Trials = append(p.Trials, plan.Trial{Index: index, Block: int32(block), Cell: int32(cell), Target: int32(target)})
				at := begun.Add(time.Duration(index) * time.Minute)
				rec := contract.Record{
					Index: index, Block: int32(block), Cell: int32(cell), Target: name, State: contract.Succeeded, Final: true, Valid: &valid,
					Values: m.measure(name, c, block), WindowStartTime: &at, Result: fmt.Sprintf("made-trial-%05d-result-0", index),
				}
				for axis, v := range c {
					if rec.Parameters == nil {
						rec.Parameters = map[string]contract.Scalar{}
					}
					rec.Parameters[axis] = contract.Scalar{Text: v.StrVal, Int: v.IntVal, IsInt: v.Type == intstr.Int}
				}
				if m.change != nil {
					m.change(&rec)
				}
				in.Records = append(in.Records, rec)
			}
		}
	}
	in.Entries, _ = summary.Of(summary.Input{Plan: p, Names: m.names, Records: in.Records})
	result, err := analysis.Conclude(analysis.Input{
		Layout:      analysis.Layout{Plan: p, Combinations: m.combinations, Loads: m.loads},
		Declaration: analysis.Declaration{Declared: true, Comparisons: m.comparisons, MinimumEffect: 0.05, ErrorRate: 0.05},
		Names:       m.names, Records: in.Records, Limit: 2000,
	})
	if err != nil {
		t.Fatal(err)
	}
	in.Comparisons, in.Sweeps = result.Entries, result.Sweeps
	n := int32(len(p.Trials))
	start, end := metav1.NewTime(begun), metav1.NewTime(begun.Add(time.Duration(n)*time.Minute))
	in.Run.Status = v1alpha1.BenchmarkRunStatus{
		Phase: v1alpha1.PhaseComplete, StartTime: &start, CompletionTime: &end, Comparisons: in.Comparisons, Sweeps: in.Sweeps, Differences: result.Differences,
		Headline: readout.Headline(p, m.names, in.Entries), Conditions: []metav1.Condition{condition(v1alpha1.ConditionComplete, "True", "Done", "all trials ended"), condition(v1alpha1.ConditionValid, "True", "Sound", "no check failed")},
		Progress: v1alpha1.Progress{Planned: n, Totals: v1alpha1.Totals{Done: n, Succeeded: n}},
	}
	readout.Describe(in.Run, in.Comparisons, in.Sweeps, result.Differences)
	readout.SetWords(in.Run)
	in.read()
	return in
}

// noise of a trial, the same in each test: at most so much, as a share.
func noise(most float64, of ...int) float64 {
	x := 0.0
	for i, n := range of {
		x += math.Sin(float64(n+1) * (12.9898 + 7*float64(i)))
	}
	x *= 43758.5453
	return 1 + most*(2*(x-math.Floor(x))-1)
}

func value(name, unit string, direction contract.Direction, v float64, labels ...string) contract.RecordedValue {
	out := contract.RecordedValue{Name: name, Unit: unit, Direction: direction, Value: v}
	for i := 0; i+1 < len(labels); i += 2 {
		if out.Labels == nil {
			out.Labels = map[string]string{}
		}
		out.Labels[labels[i]] = labels[i+1]
	}
	return out
}

// twoServers: one is half as fast again as the other one, at any number of threads.
func twoServers(blocks int, threads ...int32) made {
	m := made{
		targets: []string{"mysql", "mariadb"}, blocks: blocks, names: []string{contract.NameThroughput, contract.NameLatencyPercentile},
		comparisons: []analysis.Comparison{{Field: "spec.targets", Factor: v1alpha1.FactorTarget, Measurements: []analysis.Measurement{{Name: contract.NameThroughput}}}},
		measure: func(target string, cell plan.Cell, block int) []contract.RecordedValue {
			threads := cell["threads"]
			n := max(float64(threads.IntVal), 1)
			rate := 400 * n / (1 + n/16 + n*n/1600) // most at 40 threads
			second := 0
			if target != "mysql" {
				rate, second = rate*1.5, 1
			}
			rate *= noise(0.02, block, int(n), second)
			return []contract.RecordedValue{
				value(contract.NameThroughput, "tx/s", contract.HigherIsBetter, rate),
				value(contract.NameLatencyPercentile, "ms", contract.LowerIsBetter, 1500*n/rate, "p", "95"),
			}
		},
	}
	if len(threads) > 0 {
		m.axes, m.loads = []string{"threads"}, []string{"threads"}
		for _, n := range threads {
			m.cells = append(m.cells, plan.Cell{"threads": intstr.FromInt32(n)})
		}
	}
	return m
}
