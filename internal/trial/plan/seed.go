package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// maxSeed is the largest seed of the API: the largest integer that every JSON reader
// represents exactly.
const maxSeed = 1<<53 - 1

// seedOf a spec: its own seed, or a seed derived from the spec. A constant default would give
// all runs the same order with the same bias; a random default could not be repeated. The
// derived seed is the first 53 bits of the SHA-256 of the line assay.dev/run-seed/v1 and of
// Deciding as JSON, so it changes with every field that decides the result.
func seedOf(spec v1alpha1.BenchmarkRunSpec) int64 {
	if seed := spec.Design.Seed; seed != nil {
		return *seed
	}
	data, err := json.Marshal(Deciding(spec))
	if err != nil {
		panic(fmt.Sprintf("marshalling a spec, which came from JSON: %v", err))
	}
	sum := sha256.Sum256(append([]byte("assay.dev/run-seed/v1\n"), data...))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 11 & maxSeed)
}

// Deciding is the part of a spec that decides what is measured and how: without the fields
// that can be changed during the run, those that decide only when it may begin and must end, and
// the gate, which looks at results.
func Deciding(spec v1alpha1.BenchmarkRunSpec) v1alpha1.BenchmarkRunSpec {
	spec = *spec.DeepCopy()
	spec.SetDefaults()
	spec.Suspend, spec.Retain, spec.TTLSecondsAfterFinished, spec.Priority = false, "", nil, 0
	spec.Exclusive, spec.Deadline, spec.Gate = nil, metav1.Duration{}, nil
	for _, t := range spec.Targets {
		if t.MySQL != nil {
			t.MySQL.Storage.Retain, t.MySQL.Storage.Snapshot = false, nil // what becomes of a volume afterwards
		}
	}
	return spec
}
