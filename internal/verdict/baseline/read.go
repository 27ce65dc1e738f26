package baseline

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Expected is a measurement of a baseline, read.
type Expected struct {
	// Key and Direction of the measurement.
	Key       v1alpha1.MeasurementKey
	Direction contract.Direction
	// Tolerance of the median, such as 0.25; 0 without one.
	Tolerance float64
	// Blocks are its values.
	Blocks []float64
	// Runs are the medians of several runs; none for a baseline of one run.
	Runs []float64
}

// Read the measurements of a baseline. It fails for one that contradicts itself; the message names the
// field.
func Read(spec v1alpha1.BenchmarkBaselineSpec) ([]Expected, error) {
	seen := map[string]int{}
	out := make([]Expected, 0, len(spec.Measurements))
	for i, m := range spec.Measurements {
		field := fmt.Sprintf("spec.measurements[%d]", i)
		key := Key(m.MeasurementKey)
		if first, is := seen[key]; is {
			return nil, fmt.Errorf("%s is spec.measurements[%d] once more (%s): give each once", field, first, Words(m.MeasurementKey))
		}
		seen[key] = i
		one := Expected{Key: m.MeasurementKey, Direction: contract.Direction(m.Direction)}
		var err error
		if one.Blocks, err = numbers(m.Blocks); err != nil {
			return nil, fmt.Errorf("%s.blocks%w", field, err)
		}
		if one.Runs, err = numbers(m.Runs); err != nil {
			return nil, fmt.Errorf("%s.runs%w", field, err)
		}
		if n := len(m.Runs); n > 0 && n != len(spec.Runs) {
			return nil, fmt.Errorf("%s.runs: it has %d medians, and spec.runs has %d runs: give one for each, or none", field, n, len(spec.Runs))
		}
		if m.Tolerance != "" {
			if one.Tolerance, err = analysis.Share(m.Tolerance); err != nil {
				return nil, fmt.Errorf("%s.tolerance: %w", field, err)
			}
		}
		if one.Direction == contract.HigherIsBetter && one.Tolerance >= 1 {
			return nil, fmt.Errorf("%s.tolerance: %s allows a rate of 0, and nothing is slower: use less than 100%%", field, m.Tolerance)
		}
		out = append(out, one)
	}
	for i, s := range spec.MachineSpeed {
		if _, err := numbers(s.Seconds); err != nil {
			return nil, fmt.Errorf("spec.machineSpeed[%d].seconds%w", i, err)
		}
	}
	return out, nil
}

// numbers of decimal texts; an error begins with the index.
func numbers(texts []string) ([]float64, error) {
	out := make([]float64, len(texts))
	for i, text := range texts {
		v, ok := figure.Decimal(text)
		if !ok {
			return nil, fmt.Errorf("[%d]: %q is no decimal number", i, text)
		}
		out[i] = v
	}
	return out, nil
}

// Records that have the circumstances of a target in a baseline, for a comparison of likeness. They
// have no values. Numbers that Read refuses are left out.
func Records(spec v1alpha1.BenchmarkBaselineSpec, target string) []contract.Record {
	var out []contract.Record
	for _, e := range spec.Environments {
		if e.Target == target {
			out = append(out, contract.Record{Target: target, State: contract.Succeeded, Facts: contract.Facts(e.Facts)})
		}
	}
	speeds := contract.Record{Target: target, State: contract.Succeeded}
	for _, s := range spec.MachineSpeed {
		seconds, err := numbers(s.Seconds)
		if s.Target != target || err != nil {
			continue
		}
		for _, v := range seconds {
			speeds.MachineSpeed = append(speeds.MachineSpeed, contract.RecordedSpeed{Side: string(s.Side), Kernel: string(s.Kernel), Seconds: v})
		}
	}
	if len(speeds.MachineSpeed) > 0 {
		out = append(out, speeds)
	}
	return out
}
