package integrity

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Reading goes along the records of a run that has ended, for somebody who takes values from them: from the first part
// to the last, and then to the status.
type Reading struct {
	run    *v1alpha1.BenchmarkRun
	anchor v1alpha1.IntegrityStatus
	walk   *Walk
	parts  []Part
}

// NewReading of the records of a run with a chain.
func NewReading(run *v1alpha1.BenchmarkRun, anchor v1alpha1.IntegrityStatus) *Reading {
	return &Reading{run: run, anchor: anchor, walk: NewWalk(anchor.PlanSHA256)}
}

// Part reads the next part, which is in the ConfigMap of the name; nil for one that is not there. What it returns is
// vouched for when End has found nothing.
func (r *Reading) Part(name string, cm *corev1.ConfigMap) ([]contract.Record, []Finding) {
	p := Part{Name: name, Key: contract.KeyRecords, Stored: StoredIn(cm, r.run)}
	r.parts = append(r.parts, p)
	if !p.Exists {
		r.walk.broken = true
		return nil, nil // End says so
	}
	records, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
	if err != nil {
		r.walk.broken = true
		return nil, []Finding{tampered(name, "it cannot be read: %v", err)}
	}
	return records.Records, r.walk.Part(name, records)
}

// End compares the last part and the number of trials with the status.
func (r *Reading) End() []Finding {
	var out []Finding
	if len(r.parts) > 0 {
		out = Parts(r.parts, r.anchor.RecordsSHA256)
	}
	return append(out, r.walk.End(r.anchor, r.run.Status.Progress.Totals)...)
}
