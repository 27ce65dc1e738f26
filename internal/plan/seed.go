package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// maxSeed is the largest seed of the API: what every reader of JSON keeps exactly.
const maxSeed = 1<<53 - 1

// seedOf a spec: its own, or, when it has none, one that follows from what it asks for. One
// number for all would give everybody the same order, with whatever bias that order happens
// to have; one drawn at random would make a plan that nobody can make again. The same
// spec has the same seed, and one that differs in anything that decides the result another:
// the first 53 bits of the SHA-256 of the line assay.dev/run-seed/v1 and of Deciding as JSON.
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

// Deciding is the part of a spec that decides what is measured and how: all but what can be
// changed while the run is under way, and what decides only when it may begin and must end.
func Deciding(spec v1alpha1.BenchmarkRunSpec) v1alpha1.BenchmarkRunSpec {
	spec = *spec.DeepCopy()
	spec.SetDefaults()
	spec.Suspend, spec.Retain, spec.TTLSecondsAfterFinished, spec.Priority = false, "", nil, 0
	spec.Exclusive, spec.Deadline = nil, metav1.Duration{}
	return spec
}
