package validity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
)

const (
	// noOpMost is the share of writes that may change nothing: beyond it, the throughput is
	// that of another test. A write without work takes a tenth of the time or less, so that
	// a tenth of them moves the rate by about a tenth.
	noOpMost = 0.10
	// noOpNoise is the share that is not worth a word: keys drawn at random meet a row that
	// another thread has just deleted.
	noOpNoise = 0.01
	// fewWrites are too few to speak of a share of.
	fewWrites = 100
)

// evidence of one source for how many writes changed something.
type evidence struct {
	promised, changed float64
	// says the numbers and where they are from.
	says string
}

func (e evidence) share() float64 { return max(0, 1-e.changed/e.promised) }

// noOps is what the sources say, the largest share first: each of them counts at most too
// many changes, never too few. The server's counters are those of all clients, so that of
// several clients they are looked at in the merged result only (unseen < 1).
func noOps(r contract.Result, f runner.Facts, unseen float64) []evidence {
	var all []evidence
	if e, ok := serverChanged(r, f, unseen); ok {
		all = append(all, e)
	}
	if e, ok := toolChanged(r, f); ok {
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b evidence) int { return cmp.Compare(b.share(), a.share()) })
	return all
}

// promisedRows are those that the operations that ended well were to change.
func promisedRows(r contract.Result, f runner.Facts) runner.Rows {
	var rows runner.Rows
	if n, ok := operations(r); ok {
		rows = f.Rows.Times(n)
	}
	for operation, each := range f.RowsOf {
		if n, ok := value(r, contract.NameOperationCount, map[string]string{contract.LabelOperation: operation}); ok {
			rows = rows.Plus(each.Times(n))
		}
	}
	return rows
}

// serverChanged compares the rows that the operations promise with those that the server
// counted. unseen is the share of the window of all clients in which its counters were not
// read; 1 for a part of the clients, of which they tell nothing. To it comes what the tool did
// until they had been read for the first time.
func serverChanged(r contract.Result, f runner.Facts, unseen float64) (evidence, bool) {
	unseen += uncounted(r)
	promised := promisedRows(r, f)
	// Behind one address may be several servers, of which this one did a part only.
	if r.Server == nil || promised.Sum() < fewWrites || unseen >= 1 || serverStatements(r, f) != "" {
		return evidence{}, false
	}
	counters, ok := engine.CountersOfRows(r.Server.Version, cmp.Or(f.StorageEngine, r.Server.Variables["default_storage_engine"]))
	if !ok {
		return evidence{}, false
	}
	e := evidence{promised: promised.Sum()}
	var texts []string
	for _, kind := range []struct {
		promised float64
		counter  string
	}{{promised.Inserted, counters.Inserted}, {promised.Updated, counters.Updated}, {promised.Deleted, counters.Deleted}} {
		if kind.promised == 0 {
			continue
		}
		n, known := counter(r.Server.StatusDelta, kind.counter)
		if !known || n < 0 { // it was started in between, and counts anew
			return evidence{}, false
		}
		text := fmt.Sprintf("%s %.0f of %.0f", kind.counter, n, kind.promised)
		if pages, there := counter(r.Server.StatusDelta, counters.Pages); there && kind.counter == counters.Updated && pages/counters.PagesPerRow < n {
			n = pages / counters.PagesPerRow
			text += fmt.Sprintf(", at most %.0f of them with another value by %s %.0f", n, counters.Pages, pages)
		}
		texts = append(texts, text)
		e.changed += min(kind.promised, n+unseen*kind.promised)
	}
	e.says = "the server changed " + strings.Join(texts, ", ")
	return e, true
}

// counter of the name, whatever its case.
func counter(deltas map[string]float64, name string) (float64, bool) {
	if n, ok := deltas[name]; ok || name == "" {
		return n, ok
	}
	for other, n := range deltas {
		if strings.EqualFold(other, name) {
			return n, true
		}
	}
	return 0, false
}

// toolChanged: a tool that looks at the number of rows that a statement changed counts
// those without one as another kind than write. Statements that were repeated after an
// error count as writes too, so that this is at most too many.
func toolChanged(r contract.Result, f runner.Facts) (evidence, bool) {
	n, counted := operations(r)
	writes, known := value(r, contract.NameQueryCount, map[string]string{contract.LabelKind: kindWrite})
	promised := n * f.WritesPerOperation
	if !counted || !known || promised < fewWrites {
		return evidence{}, false
	}
	return evidence{
		promised: promised, changed: min(writes, promised),
		says: fmt.Sprintf("the tool counted %.0f of %.0f writing statements as such (kind=%s), the others changed no row", min(writes, promised), promised, kindWrite),
	}, true
}

const noOpRemedy = "the rows are gone or have the value already: load anew before each trial (spec.design.dataReset), " +
	"or take more rows or keys that are spread wider"

// noOpText is what is said of a share between the two.
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

// alone is the share that the server's counters do not see of one client's work: nothing of
// it is hidden where there is one client, and all where there are several.
func alone(f runner.Facts) float64 {
	if f.Clients > 1 {
		return 1
	}
	return 0
}

func noOpMuch(r contract.Result, f runner.Facts) string {
	return noOpText(noOps(r, f, alone(f)), noOpMost, math.Inf(1))
}

func noOpLittle(r contract.Result, f runner.Facts) string {
	return noOpText(noOps(r, f, alone(f)), noOpNoise, noOpMost)
}

// noOpUnobserved: writes were promised, and nothing tells whether they changed something.
func noOpUnobserved(r contract.Result, f runner.Facts) string {
	rows := promisedRows(r, f).Sum()
	if rows < fewWrites || f.Clients > 1 || len(noOps(r, f, 0)) > 0 {
		return ""
	}
	return fmt.Sprintf("whether the writes changed something is not observable: %.0f rows were to be changed, and neither the tool nor a server that had all of the statements counts those that were", rows)
}

// CheckMerged asks what only the results of all clients together can tell: the server's
// counters hold the work of all of them. One client has no findings: Check has them.
func CheckMerged(merged contract.Result, f runner.Facts, skew merge.Skew) []Finding {
	if merged.State != contract.Succeeded || merged.Trial.Phase != string(contract.PhaseRun) || len(skew.Clients) < 2 {
		return nil
	}
	merged = withoutLostCounters(merged)
	unseen := 1 - minOverlap
	if skew.Overlap != nil {
		unseen = max(0, 1-*skew.Overlap)
	}
	all := noOps(merged, f, unseen)
	for _, c := range []struct {
		severity  Severity
		above, to float64
	}{{Invalid, noOpMost, math.Inf(1)}, {Warning, noOpNoise, noOpMost}} {
		if message := noOpText(all, c.above, c.to); message != "" {
			return []Finding{{"no-op-writes", c.severity, message}}
		}
	}
	f.Clients = 1
	if message := noOpUnobserved(merged, f); message != "" {
		return []Finding{{"no-op-writes", Note, message}}
	}
	return nil
}
