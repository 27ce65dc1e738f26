package baseline

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// addRuns are the medians of a run, with these values, and of its repetitions. One that a repetition does not have has none.
func addRuns(to *v1alpha1.BenchmarkBaselineSpec, s Source, values []analysis.BlockValues) error {
	switch n := len(s.Repetitions) + 1; {
	case n == 1:
		return nil
	case n < stats.LeastRuns:
		return fmt.Errorf("how runs differ is taken from at least %d runs, and there are %d: name more, or one alone", stats.LeastRuns, n)
	case n > maxRuns:
		return fmt.Errorf("a baseline has the medians of at most %d runs, and there are %d: name the latest", maxRuns, n)
	}
	medians := make([]map[string]float64, 0, len(s.Repetitions)+1)
	own, err := mediansOf(values)
	if err != nil {
		return err
	}
	medians, to.Runs = append(medians, own), append(to.Runs, repeated(s.Run))
	for _, r := range s.Repetitions {
		values, err := analysis.ValuesOf(r.Recorded)
		if err != nil {
			return fmt.Errorf("run %s: %w", r.Run.Name, err)
		}
		of, err := mediansOf(values.Primary(s.More...))
		if err != nil {
			return fmt.Errorf("run %s: %w", r.Run.Name, err)
		}
		medians, to.Runs = append(medians, of), append(to.Runs, repeated(r.Run))
	}
	for i := range to.Measurements {
		m, key := &to.Measurements[i], Key(to.Measurements[i].MeasurementKey)
		for _, of := range medians {
			v, has := of[key]
			if !has {
				m.Runs = nil
				break
			}
			m.Runs = append(m.Runs, decimal(v))
		}
	}
	return nil
}

// mediansOf measurements by their keys; those without a value that counts are left out.
func mediansOf(all []analysis.BlockValues) (map[string]float64, error) {
	out := map[string]float64{}
	for _, v := range all {
		if len(v.Blocks) == 0 {
			continue
		}
		estimate, err := stats.Summarize(v.Blocks)
		if err != nil {
			return nil, err
		}
		out[Key(KeyOf(v))] = estimate.Median
	}
	return out, nil
}

func repeated(run *v1alpha1.BenchmarkRun) v1alpha1.RepeatedRun {
	return v1alpha1.RepeatedRun{Name: run.Name, UID: string(run.UID), CompletionTime: run.Status.CompletionTime}
}
