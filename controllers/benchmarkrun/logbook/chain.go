package logbook

import (
	"errors"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
)

// vouched compares the last part with the anchor, and its records with each other. The earlier
// parts are compared when the run ends.
func vouched(run *v1alpha1.BenchmarkRun, anchor *v1alpha1.IntegrityStatus, book Book, ask *decision.Asking) decision.State {
	switch {
	case anchor == nil && book.Exists:
		return tampered(run, book.Part, errors.New("the plan that its records are chained to is not there"))
	case anchor == nil:
		return decision.Done{}
	}
	root := ""
	if book.Part == 0 {
		root = anchor.PlanSHA256
	}
	if _, err := book.CheckLinks(root); err != nil {
		return tampered(run, book.Part, err)
	}
	if anchor.Head == "" {
		return decision.Done{} // it was removed: the chain goes on as it stands, and a finding says so
	}
	err := integrity.Head(*anchor, book.Records)
	if err == nil {
		return decision.Done{}
	}
	// The status was read before the records: another manager may have gone on in between.
	now := ask.Anchor()
	if !now.Known || !now.Exists || now.Value != *anchor {
		return decision.WaitFor(v1alpha1.ReasonProgressing, "another manager goes on with this run")
	}
	return tampered(run, book.Part, err)
}

// tampered is the end of a run of which a part of the records is not what was stored.
func tampered(run *v1alpha1.BenchmarkRun, part int32, err error) decision.Failed {
	return decision.FailWith(v1alpha1.ReasonTampered,
		"ConfigMap %s with the records of this run is not what was stored: %v; create a new run", contract.RecordsName(run.Name, part), err)
}

// Check compares all parts of the plan and of the records with the anchor, and with each other.
// It has no meaning while questions are open. Last is the last part of the records, which Read
// has compared.
func Check(run *v1alpha1.BenchmarkRun, anchor *v1alpha1.IntegrityStatus, last Book, ask *decision.Asking) []integrity.Finding {
	if anchor == nil || run.Status.Plan == nil { // it may end before its plan is written down
		return nil
	}
	var plan []integrity.Part
	for i := range run.Status.Plan.ConfigMapCount {
		name := contract.PlanName(run.Name, i)
		plan = append(plan, integrity.Part{Name: name, Key: contract.KeyPlan, Stored: ask.Stored(name).Value})
	}
	found := integrity.Parts(plan, anchor.PlanSHA256)
	if !last.Exists {
		return found
	}
	walk := integrity.NewWalk(anchor.PlanSHA256)
	var parts []integrity.Part
	for number := range last.Part + 1 {
		book := last
		if number < last.Part {
			book, _ = part(run, number, ask.EarlierRecords) // All says what is wrong with one that cannot be read
		}
		if !ask.Complete() || !book.Exists {
			return found
		}
		name := contract.RecordsName(run.Name, number)
		found = append(found, walk.Part(name, book.Records)...)
		parts = append(parts, integrity.Part{Name: name, Key: contract.KeyRecords, Stored: integrity.Stored{
			Exists: true, Previous: book.PreviousPart(), Digests: map[string]string{contract.KeyRecords: book.SHA256},
		}})
	}
	return append(found, integrity.Parts(parts, last.SHA256)...)
}
