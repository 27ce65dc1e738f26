package benchmarkrun

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// words are the sentences of a status, made from its data: the last thing that is written into it, in every
// pass.
func words(run *v1alpha1.BenchmarkRun) { readout.SetWords(run) }
