package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// The bars of an analysis of 10,000 trials.
const (
	maxSeconds = 3
	maxMemory  = 300 // MiB
)

// analyses are the rows of the cost of an analysis. They are played alone.
func analyses() []simulation {
	var all []simulation
	for _, of := range []struct{ blocks, cells int }{{10, 500}, {100, 50}} {
		conditions := fmt.Sprintf("2 targets, %d cells, %d blocks, 10 measurements", of.cells, of.blocks)
		all = append(all,
			simulation{"10,000 trials analysed: seconds", conditions, func(random *rand.Rand, _ int) row {
				in := inputOf(random, of.blocks, of.cells)
				return mean(5, bar{low: math.Inf(-1), high: maxSeconds}, func() float64 {
					began := time.Now()
					compared := len(must(analysis.Conclude(in)).Entries)
					if compared != 10*of.cells {
						return math.NaN() // a missed bar
					}
					return time.Since(began).Seconds()
				})
			}},
			simulation{"10,000 trials analysed: MiB", conditions + "; trials, and all that is allocated meanwhile", func(random *rand.Rand, _ int) row {
				return mean(1, bar{low: math.Inf(-1), high: maxMemory}, func() float64 {
					runtime.GC()
					before := memory()
					in := inputOf(random, of.blocks, of.cells)
					runtime.GC()
					held := memory().HeapAlloc - min(before.HeapAlloc, memory().HeapAlloc)
					begun := memory().TotalAlloc
					must(analysis.Conclude(in))
					return float64(held+memory().TotalAlloc-begun) / (1 << 20)
				})
			}},
		)
	}
	return all
}

func memory() runtime.MemStats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m
}

// inputOf an analysis of a run of sysbench: throughput, eight percentiles and the mean of latency.
func inputOf(random *rand.Rand, blocks, cells int) analysis.Input {
	e := experiment{blocks: blocks, cells: cells, order: v1alpha1.OrderRandomizedBlocks}
	spec := e.spec(0)
	p := must(plan.New(spec, nil, plan.Limits{Cells: 1 << 20, Trials: 1 << 20}))
	names := []string{"throughput", "latency.avg", "latency.percentile"}
	var records []contract.Record
	for _, t := range p.Trials {
		v := 1000 * math.Exp(normal(random, 0)) * (1 + 0.1*float64(t.Target))
		values := []contract.RecordedValue{
			{Name: names[0], Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter},
			{Name: names[1], Value: 1000 / v, Unit: "ms", Direction: contract.LowerIsBetter},
		}
		for i, percentile := range []string{"50", "75", "90", "95", "99", "99.5", "99.9", "99.99"} {
			values = append(values, contract.RecordedValue{
				Name: names[2], Labels: map[string]string{"p": percentile}, Value: float64(2+i) * 1000 / v, Unit: "ms", Direction: contract.LowerIsBetter,
			})
		}
		records = append(records, contract.Record{
			Final: true, Index: t.Index, Block: t.Block, Cell: t.Cell, Target: p.Targets[t.Target], State: contract.Succeeded, Valid: new(true), Values: values,
		})
	}
	return analysis.Input{Layout: analysis.Layout{Plan: p}, Declaration: must(analysis.Declare(spec, names)), Names: names, Records: records, Limit: 10000}
}
