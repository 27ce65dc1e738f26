package ycsb

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// quantileError is the relative width of the buckets: YCSB's histograms keep three
// significant digits.
const quantileError = 0.001

func (p Params) expectations(t contract.Trial) runner.Expectations {
	f := runner.Expectations{
		DurationSeconds:       t.DurationSeconds,
		Operations:            p.OperationCount,
		Rate:                  float64(p.Target),
		Threads:               p.Threads,
		ReportIntervalSeconds: p.StatusIntervalSeconds,
		QuantileError:         quantileError,
		Mix:                   mixOf(p.effective()),
		TLSRequired:           t.Endpoint.TLS == contract.TLSRequired,
		RowsOf:                p.changes(),
		StorageEngine:         t.Endpoint.StorageEngine,
	}
	if opening(t).WarmsUp {
		f.WarmupSeconds, f.Straddling = t.WarmupSeconds, int64(p.Threads)
	}
	if p.OperationCount > 0 {
		f.DurationSeconds = 0 // the longest, not the length that is to be expected
	}
	if p.Target > 0 {
		f.Threads = 0 // they wait between operations
		f.Pacers = p.Threads
	}
	return f
}

// distinctLength is the length in bytes from which two random fields are never equal.
const distinctLength = 8

// changes are the rows that operations are to change, by kind. An update that reads before
// it writes is counted as an UPDATE too. Fields that may be short or empty may be updated
// to what they are.
func (p Params) changes() map[string]runner.Rows {
	rows := map[string]runner.Rows{"insert": {Inserted: 1}}
	lengths := p.effective()["fieldlengthdistribution"]
	if p.FieldLength >= distinctLength && (lengths == "" || lengths == "constant") {
		rows["update"] = runner.Rows{Updated: 1}
	}
	return rows
}

// rows that the load has to leave.
func (p Params) rows(contract.Trial) map[string]int64 {
	return map[string]int64{tableName: p.RecordCount}
}

// demand: each thread has one connection. Statements live in the server only where the
// driver is told so, or sends a batch of inserts as one (MariaDB's does).
func (p Params) demand(contract.Trial) contract.Demand {
	d := contract.Demand{Connections: int64(p.Threads), Tables: 1}
	switch {
	case p.URLParameters["useServerPrepStmts"] == "true":
		d.PreparedStatements = int64(p.Threads) * p.statements()
	case p.Driver == driverMariaDB && p.BatchUpdateAPI:
		d.PreparedStatements = int64(p.Threads)
	}
	return d
}

// statements of a connection: one each for reads, scans and inserts, and for updates as many
// as there are sets of fields.
func (p Params) statements() int64 {
	updates := int64(p.FieldCount)
	if p.effective()["writeallfields"] == "true" {
		updates = 1
	}
	return 3 + updates
}
