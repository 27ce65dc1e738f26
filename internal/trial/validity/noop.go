package validity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// noOpMost is the tolerated share of writes without effect: beyond it, the throughput is
	// that of another workload. A write without effect takes at most a tenth of the time, so a
	// tenth of them changes the rate by about a tenth.
	noOpMost = 0.10
	// noOpNoise is the share that is not reported: random keys sometimes hit a row that
	// another thread has just deleted.
	noOpNoise = 0.01
	// fewWrites is the minimum number of writes for a share.
	fewWrites = 100
)

// evidence is one source's count of the writes that changed a row.
type evidence struct {
	promised, changed float64
	// says has the numbers and their source, for people.
	says string
}

func (e evidence) share() float64 { return max(0, 1-e.changed/e.promised) }

// noOps is the evidence of all sources, the largest share first. Each source counts at most
// too many changes, never too few. The server's counters include all clients, so with several
// clients they are used only in the merged result (unseen < 1).
func noOps(r contract.Result, want runner.Expectations, unseen float64) []evidence {
	var all []evidence
	if e, ok := serverChanged(r, want, unseen); ok {
		all = append(all, e)
	}
	if e, ok := toolChanged(r, want); ok {
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b evidence) int { return cmp.Compare(b.share(), a.share()) })
	return all
}

// promisedRows are the rows that the successful operations should change.
func promisedRows(r contract.Result, e runner.Expectations) runner.Rows {
	var rows runner.Rows
	if n, ok := operations(r); ok {
		rows = e.Rows.Times(n)
	}
	for operation, each := range e.RowsOf {
		if n, ok := value(r, contract.NameOperationCount, map[string]string{contract.LabelOperation: operation}); ok {
			rows = rows.Plus(each.Times(n))
		}
	}
	return rows
}

// serverChanged compares the expected changes with the rows that the server counted. unseen is
// the share of the clients' windows that the server's counters do not cover; 1 for a part of
// the clients. The time until the counters were first read is added.
func serverChanged(r contract.Result, want runner.Expectations, unseen float64) (evidence, bool) {
	unseen += uncounted(r)
	promised := promisedRows(r, want)
	// An address may stand for several servers, and this one executed only a part of the
	// statements.
	if r.Server == nil || promised.Sum() < fewWrites || unseen >= 1 || serverStatements(r, want) != "" {
		return evidence{}, false
	}
	known, _ := engines.StorageOf(*r.Server, want.StorageEngine)
	if known.Rows == nil {
		return evidence{}, false
	}
	counters := *known.Rows
	e := evidence{promised: promised.Sum()}
	var texts []string
	for _, kind := range []struct {
		promised float64
		counter  string
	}{{promised.Inserted, counters.Inserted}, {promised.Updated, counters.Updated}, {promised.Deleted, counters.Deleted}} {
		if kind.promised == 0 {
			continue
		}
		n, known := engines.Counter(r.Server.StatusDelta, kind.counter)
		if !known || n < 0 { // the server restarted, and its counters began at 0
			return evidence{}, false
		}
		text := fmt.Sprintf("%s %.0f of %.0f", kind.counter, n, kind.promised)
		if pages, there := engines.Counter(r.Server.StatusDelta, counters.Pages); there &&
			kind.counter == counters.Updated && pages/counters.PagesPerRow < n {
			n = pages / counters.PagesPerRow
			text += fmt.Sprintf(", at most %.0f of them with another value by %s %.0f", n, counters.Pages, pages)
		}
		texts = append(texts, text)
		e.changed += min(kind.promised, n+unseen*kind.promised)
	}
	e.says = "the server changed " + strings.Join(texts, ", ")
	return e, true
}

// toolChanged: some tools check the number of changed rows and count statements without a
// change as another kind than write. Repeated statements after an error count as writes too,
// so this is an upper bound.
func toolChanged(r contract.Result, e runner.Expectations) (evidence, bool) {
	n, counted := operations(r)
	writes, known := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite})
	promised := n * e.WritesPerOperation
	if !counted || !known || promised < fewWrites {
		return evidence{}, false
	}
	return evidence{
		promised: promised, changed: min(writes, promised),
		says: fmt.Sprintf("the tool counted %.0f of %.0f writing statements as such (kind=%s), the others changed no row", min(writes, promised), promised, kindWrite),
	}, true
}

const noOpRemedy = "the rows are gone or have the value already: restore the data before each trial (spec.design.dataReset), " +
	"or use more rows or a wider distribution of keys"

// noOpText is the message for a share between two bounds.
func noOpText(all []evidence, above, to float64) string {
	if len(all) == 0 {
		return ""
	}
	share := all[0].share()
	if share <= above || share > to {
		return ""
	}
	var says []string
	for _, e := range all {
		says = append(says, e.says)
	}
	return fmt.Sprintf("%.1f %% of the writes changed nothing, and count as throughput: %s; %s", 100*share, strings.Join(says, "; "), noOpRemedy)
}

// alone is the unseen share for the result of one client: 0 for a single client, 1 for one of
// several.
func alone(e runner.Expectations) float64 {
	if e.Clients > 1 {
		return 1
	}
	return 0
}

// noOpWrites are those of one client, with a share between two bounds.
func noOpWrites(above, to float64) say {
	return func(r contract.Result, e runner.Expectations) string {
		return noOpText(noOps(r, e, alone(e)), above, to)
	}
}

// noOpUnobserved: writes were expected, and no source shows whether they changed rows.
func noOpUnobserved(r contract.Result, e runner.Expectations) string {
	rows := promisedRows(r, e).Sum()
	if rows < fewWrites || e.Clients > 1 || len(noOps(r, e, 0)) > 0 {
		return ""
	}
	return fmt.Sprintf("whether the writes changed rows is not observable: %.0f changes were expected, and neither the tool nor a server with all statements counts changed rows", rows)
}

// CheckMerged has the checks that need the results of all clients, because the server's
// counters include all of them. For one client it has no findings: Check has them.
func CheckMerged(merged contract.Result, e runner.Expectations, skew merge.Skew) []Finding {
	if !measured(merged) || len(skew.Clients) < 2 {
		return nil
	}
	merged = withoutLostCounters(merged)
	unseen := 1 - minOverlap
	if skew.Overlap != nil {
		unseen = max(0, 1-*skew.Overlap)
	}
	all := noOps(merged, e, unseen)
	for _, c := range []struct {
		severity  Severity
		above, to float64
	}{{Invalid, noOpMost, math.Inf(1)}, {Warning, noOpNoise, noOpMost}} {
		if message := noOpText(all, c.above, c.to); message != "" {
			return []Finding{{"no-op-writes", c.severity, message}}
		}
	}
	e.Clients = 1
	if message := noOpUnobserved(merged, e); message != "" {
		return []Finding{{"no-op-writes", Note, message}}
	}
	return nil
}
