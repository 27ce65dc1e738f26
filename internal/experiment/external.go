package experiment

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// CheckExternal refuses an external target that the tool cannot reach, or only with a risk that its user has not taken. The
// field is that of the target. A refusal has the reason InvalidSpec.
func (w Work) CheckExternal(field string, e *v1alpha1.ExternalTarget) error {
	switch {
	case e.JDBC != nil && !w.Tool.Connection.JDBC:
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s.jdbc: %s does not speak JDBC: use the workload ycsb, or give the host of a server of the MySQL family",
			field, w.Tool.Name)
	case e.JDBC == nil && w.Tool.Connection.SkipsVerification && !e.InsecureSkipVerify:
		return Refuse(v1alpha1.ReasonInvalidSpec,
			"%s.insecureSkipVerify: %s logs in to servers that it did not verify, also with tls: Required, so that whoever can redirect its connections obtains the password: set it to true, or use another tool",
			field, w.Tool.Name)
	}
	return nil
}

// checkExisting refuses a cell that cannot use data that exists, and one that may write into it where nobody has allowed that.
func checkExisting(w Work, i int, cell plan.Cell, trial contract.Trial) error {
	for at, t := range w.spec.Targets {
		if !t.HasData() {
			continue
		}
		data, writes, loaded := "external.data", "external.allowWrites", "data: Loaded with a schema for it"
		switch {
		case t.FromRun() != nil:
			data, writes, loaded = "mysql.storage.fromRun", "mysql.storage.fromRun.allowWrites", "leave fromRun out"
		case t.FromSnapshot() != nil: // which may be written into
			data, loaded = "mysql.storage.fromSnapshot", "leave fromSnapshot out"
		}
		readsOnly, err := w.Tool.OnExisting(trial)
		switch {
		case err != nil:
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].%s: cell %d (%v) of spec.workload.%s cannot use tables that exist: %v: "+
				"use another workload, or %s", at, data, i, cell, w.Tool.Name, err, loaded)
		case !readsOnly && !t.AllowsWrites():
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.targets[%d].%s: cell %d (%v) of spec.workload.%s may write into the tables of target %s, which exist before the run: "+
				"use a workload that only reads, or set allowWrites: true", at, writes, i, cell, w.Tool.Name, t.Name)
		}
	}
	return nil
}
