package validity

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// dry is the share of writes of an interval that change nothing when the rows are gone.
const dry = 0.5

// ranDry: the rows of a delete test were there when the window began, and gone before it
// ended, so that it measures two tests. It compares the first quarter of the intervals with
// the last one. An interval counts writes that are done and transactions that have ended, which
// may be those of different ones: so it only explains what no-op-writes has found in the
// whole.
func ranDry(r contract.Result, f runner.Facts) string {
	shares, at := writeShares(r, f)
	quarter := max(1, len(shares)/4)
	if len(shares) < 2 || noOpMuch(r, f) == "" {
		return ""
	}
	first, last := shares[:quarter].noOps(), shares[len(shares)-quarter:].noOps()
	if last <= dry || first > last/2 {
		return ""
	}
	since := len(shares)
	for since > 0 && shares[since-1:since].noOps() > dry {
		since--
	}
	return fmt.Sprintf("the tables ended before the window did: %.1f %% of the writes changed nothing in the first quarter of the intervals, and %.1f %% in the last "+
		"(more than half of them since the interval that ended at %g s): load more rows, measure shorter, or load anew before each trial (spec.design.dataReset)",
		100*first, 100*last, at[min(since, len(at)-1)])
}

// writesAt are the rates of writes in an interval: those promised, and those that changed
// something.
type writesAt struct{ promised, changed float64 }

type writeSeries []writesAt

// noOps is the share of writes that changed nothing.
func (s writeSeries) noOps() float64 {
	var sum writesAt
	for _, w := range s {
		sum.promised += w.promised
		sum.changed += w.changed
	}
	if sum.promised == 0 {
		return 0
	}
	return max(0, 1-sum.changed/sum.promised)
}

// writeShares of the intervals that have both rates, and their ends in seconds.
func writeShares(r contract.Result, f runner.Facts) (writeSeries, []float64) {
	operations, ok := unlabelled(r, contract.NameThroughput)
	writes, known := unlabelled(r, contract.NameWrites)
	if !ok || !known || f.WritesPerOperation == 0 {
		return nil, nil
	}
	changed := map[float64]float64{}
	for _, point := range writes.Intervals {
		if point.Value != nil {
			changed[point.AtSeconds] = *point.Value
		}
	}
	var shares writeSeries
	var at []float64
	for _, point := range operations.Intervals {
		if n, there := changed[point.AtSeconds]; there && point.Value != nil {
			shares = append(shares, writesAt{promised: f.WritesPerOperation * *point.Value, changed: n})
			at = append(at, point.AtSeconds)
		}
	}
	return shares, at
}

// inconsistent: after the window the data breaks rules that hold whatever was measured. Work
// was lost, or done twice, and counts as throughput.
func inconsistent(r contract.Result, _ runner.Facts) string {
	if r.Data == nil || r.Data.Check == nil || len(r.Data.Check.Violations) == 0 {
		return ""
	}
	const most = 5
	texts := r.Data.Check.Violations
	if more := len(texts) - most; more > 0 {
		texts = append(slices.Clone(texts[:most]), fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("after the measured window the tool's own check of the data found rules that it breaks (%d checked): %s",
		r.Data.Check.Rules, strings.Join(texts, "; "))
}

// readsPerInsert is how many pages inserts may read from disk for each row: while the tables
// fit into memory there was none for a thousand rows, and 1 to 3 for each when they did not
// (MariaDB 10.11, a buffer pool of 8 MiB).
const readsPerInsert = 0.1

// outgrown: an insert test whose tables are larger than the buffer pool measures the disk
// from then on. It is asked only of operations that do nothing but insert.
func outgrown(r contract.Result, f runner.Facts) string {
	each := f.Rows
	if r.Server == nil || f.Clients > 1 || each.Inserted == 0 || each.Updated != 0 || each.Deleted != 0 || float64(f.QueriesPerOperation) > f.WritesPerOperation {
		return ""
	}
	rows := promisedRows(r, f).Inserted
	reads, known := counter(r.Server.StatusDelta, "Innodb_buffer_pool_reads")
	if !known || rows < fewWrites || reads <= readsPerInsert*rows {
		return ""
	}
	return fmt.Sprintf("inserting %.0f rows, the server read %.0f pages from disk (Innodb_buffer_pool_reads): the tables have outgrown the buffer pool "+
		"(innodb_buffer_pool_size = %s), or it was cold: measure shorter, load anew before each trial (spec.design.dataReset), or give the target more memory",
		rows, reads, r.Server.Variables["innodb_buffer_pool_size"])
}

const (
	// driftBound is by which share of its rows the data may be larger or smaller than what
	// was loaded when a trial begins. Reads of 10 % more rows are a few percent slower where
	// the data outgrows a cache; beyond that, trials of one run are trials of different data.
	driftBound = 0.10
	// sameStart is how far apart two looks at one start of a server may place it: its uptime
	// is in whole seconds, and the clocks of two clients differ.
	sameStart = time.Minute
)

// CheckDrift asks whether the tables still held what was loaded when a trial began, by the
// rows that the server had counted at the end of loading and then. It says nothing of a
// server that was started in between: it has counted anew.
func CheckDrift(loaded, trial contract.Result) []Finding {
	if loaded.Server == nil || trial.Server == nil || loaded.Data == nil {
		return nil
	}
	then, now := loaded.Server.Rows, trial.Server.Rows
	var rows int64
	for _, t := range loaded.Data.Tables {
		rows += t.Rows
	}
	if then == nil || now == nil || rows == 0 || now.Started.Sub(then.Started).Abs() > sameStart {
		return nil
	}
	inserted, deleted := now.Inserted-then.Inserted, now.Deleted-then.Deleted
	drift := float64(inserted-deleted) / float64(rows)
	if inserted < 0 || deleted < 0 || math.Abs(drift) <= driftBound {
		return nil
	}
	return []Finding{{"data-drift", Warning, fmt.Sprintf(
		"the trial began with %+.0f %% rows beside the %d that were loaded: %d were inserted and %d deleted since (warm-ups and earlier trials): its data is not that of the first trial; "+
			"set spec.design.dataReset to PerTrial, or to PerBlock", 100*drift, rows, inserted, deleted)}}
}

// CompareData asks whether two targets hold the same data after loading: the same tables
// with the same numbers of rows, and the same checksums where the tool loads the same bytes
// every time and one version of a server has computed both (others compute another one from
// the same rows).
func CompareData(first, second contract.Result, sameBytes bool) []Finding {
	if first.Data == nil || second.Data == nil {
		return nil
	}
	sameBytes = sameBytes && first.Server != nil && second.Server != nil && first.Server.Version == second.Server.Version
	var texts []string
	for _, a := range first.Data.Tables {
		i := slices.IndexFunc(second.Data.Tables, func(b contract.Table) bool { return strings.EqualFold(a.Name, b.Name) })
		if i < 0 {
			texts = append(texts, fmt.Sprintf("table %s (%d rows) is not there", a.Name, a.Rows))
			continue
		}
		switch b := second.Data.Tables[i]; {
		case a.Rows != b.Rows:
			texts = append(texts, fmt.Sprintf("table %s has %d rows instead of %d", a.Name, b.Rows, a.Rows))
		case sameBytes && a.Checksum != nil && b.Checksum != nil && *a.Checksum != *b.Checksum:
			texts = append(texts, fmt.Sprintf("table %s has the checksum %d instead of %d", a.Name, *b.Checksum, *a.Checksum))
		}
	}
	for _, b := range second.Data.Tables {
		if !slices.ContainsFunc(first.Data.Tables, func(a contract.Table) bool { return strings.EqualFold(a.Name, b.Name) }) {
			texts = append(texts, fmt.Sprintf("table %s (%d rows) is there only", b.Name, b.Rows))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	const most = 5
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf("and %d more", more))
	}
	return []Finding{{"same-data", Warning, fmt.Sprintf("after loading, it does not hold what target %s holds: %s: their numbers are not of the same data",
		first.Trial.Target, strings.Join(texts, "; "))}}
}
