package validity

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// dry is the share of writes without effect in an interval after the rows are gone.
const dry = 0.5

// ranDry: the rows of a delete test were all deleted during the window, so the window measures
// two different workloads. It compares the first quarter of the intervals with the last
// quarter. Within one interval, the counted writes and transactions may differ, so this check
// only explains a finding of no-op-writes.
func ranDry(r contract.Result, e runner.Expectations) string {
	shares, at := writeShares(r, e)
	quarter := max(1, len(shares)/4)
	if len(shares) < 2 || noOpWrites(noOpMost, math.Inf(1))(r, e) == "" {
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
	return fmt.Sprintf("the tables became empty before the end of the window: %.1f %% of the writes changed nothing in the first quarter of the intervals, and %.1f %% in the last "+
		"(more than half of them since the interval that ended at %g s): load more rows, use a shorter duration, or restore the data before each trial (spec.design.dataReset)",
		100*first, 100*last, at[min(since, len(at)-1)])
}

// writesAt are the rates of writes in an interval: expected writes, and writes that changed a
// row.
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
func writeShares(r contract.Result, e runner.Expectations) (writeSeries, []float64) {
	operations, ok := unlabelled(r, contract.NameThroughput)
	writes, known := unlabelled(r, contract.NameWrites)
	if !ok || !known || e.WritesPerOperation == 0 {
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
			shares = append(shares, writesAt{promised: e.WritesPerOperation * *point.Value, changed: n})
			at = append(at, point.AtSeconds)
		}
	}
	return shares, at
}

// inconsistent: after the window the data breaks rules that hold whatever was measured. Work
// was lost, or done twice, and counts as throughput.
func inconsistent(r contract.Result, _ runner.Expectations) string {
	if r.Data == nil || r.Data.Check == nil || len(r.Data.Check.Violations) == 0 {
		return ""
	}
	return fmt.Sprintf("after the measured window the tool's own check of the data found rules that it breaks (%d checked): %s",
		r.Data.Check.Rules, strings.Join(atMost(5, r.Data.Check.Violations), "; "))
}

// readsPerInsert is the tolerated number of pages that inserts read from disk per row. It was
// below 0.001 while the tables fit into memory, and 1 to 3 when they did not (MariaDB 10.11, a
// buffer pool of 8 MiB).
const readsPerInsert = 0.1

// outgrown: an insert test measures the disk once its tables are larger than the buffer pool.
// The check applies only to operations that consist of inserts.
func outgrown(r contract.Result, e runner.Expectations) string {
	each := e.Rows
	if r.Server == nil || e.Clients > 1 || each.Inserted == 0 || each.Updated != 0 || each.Deleted != 0 || float64(e.QueriesPerOperation) > e.WritesPerOperation {
		return ""
	}
	rows := promisedRows(r, e).Inserted
	storage, _ := engines.StorageOf(*r.Server, e.StorageEngine)
	reads, known := engines.Counter(r.Server.StatusDelta, storage.ReadPages)
	if !known || rows < fewWrites || reads <= readsPerInsert*rows {
		return ""
	}
	return fmt.Sprintf("inserting %.0f rows, the server read %.0f pages from disk (%s): the tables have outgrown the buffer pool "+
		"(%s = %s), or it was cold: use a shorter duration, restore the data before each trial (spec.design.dataReset), or give the target more memory",
		rows, reads, storage.ReadPages, storage.CacheSize, r.Server.Variables[storage.CacheSize])
}

const (
	// driftBound is the tolerated relative change of the number of rows between loading and
	// the start of a trial. With 10 % more rows, reads are a few percent slower where the data
	// outgrows a cache. Beyond that, trials of one run measure different data.
	driftBound = 0.10
	// sameStart is the tolerance for the start time of a server: its uptime is in whole
	// seconds, and the clocks of two clients differ.
	sameStart = time.Minute
)

// CheckDrift checks that the number of rows had not changed between loading and the start of a
// trial, by the row counters of the server. Existing: the data was there before the run. It has no finding for a server that restarted in
// between, because its counters began at 0.
func CheckDrift(loaded, trial contract.Result, existing bool) []Finding {
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
	advice := "; set spec.design.dataReset to PerTrial, or to PerBlock"
	if existing { // no run puts it back
		advice = ""
	}
	return []Finding{{"data-drift", Warning, fmt.Sprintf(
		"the trial began with %+.0f %% rows beside the %d of before: %d were inserted and %d deleted since (warm-ups and earlier trials): its data is not that of the first trial%s",
		100*drift, rows, inserted, deleted, advice)}}
}

// CompareData checks that two targets hold the same data after loading: the same tables and
// numbers of rows, and the same checksums where the tool loads the same bytes every time and
// both servers have the same version (other versions compute other checksums).
func CompareData(first, second contract.Result, sameBytes bool) []Finding {
	if first.Data == nil || second.Data == nil {
		return nil
	}
	sameBytes = sameBytes && first.Server != nil && second.Server != nil && first.Server.Version == second.Server.Version
	var texts []string
	for _, a := range first.Data.Tables {
		i := slices.IndexFunc(second.Data.Tables, func(b contract.Table) bool { return strings.EqualFold(a.Name, b.Name) })
		if i < 0 {
			texts = append(texts, fmt.Sprintf("table %s (%s rows) is not there", a.Name, numberOf(a)))
			continue
		}
		switch b := second.Data.Tables[i]; {
		case !sameRows(a, b):
			texts = append(texts, fmt.Sprintf("table %s has %s rows instead of %s", a.Name, numberOf(b), numberOf(a)))
		case sameBytes && a.Checksum != nil && b.Checksum != nil && *a.Checksum != *b.Checksum:
			texts = append(texts, fmt.Sprintf("table %s has the checksum %d instead of %d", a.Name, *b.Checksum, *a.Checksum))
		}
	}
	for _, b := range second.Data.Tables {
		if !slices.ContainsFunc(first.Data.Tables, func(a contract.Table) bool { return strings.EqualFold(a.Name, b.Name) }) {
			texts = append(texts, fmt.Sprintf("table %s (%s rows) is there only", b.Name, numberOf(b)))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []Finding{{"same-data", Warning, fmt.Sprintf("before the first trial, it does not hold what target %s holds: %s: their numbers are not of the same data",
		first.Trial.Target, strings.Join(atMost(5, texts), "; "))}}
}

// sameRows says whether two tables may have the same number of rows. Estimates of InnoDB may be wrong by half.
func sameRows(a, b contract.Table) bool {
	if a.Estimated || b.Estimated {
		return min(a.Rows, b.Rows) >= max(a.Rows, b.Rows)/2
	}
	return a.Rows == b.Rows
}

func numberOf(t contract.Table) string {
	if t.Estimated {
		return fmt.Sprintf("about %d", t.Rows)
	}
	return fmt.Sprint(t.Rows)
}
