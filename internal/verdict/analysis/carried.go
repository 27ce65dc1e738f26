package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/levels"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

const (
	// timesMore is the factor between what the windows of two sides begin with, from which it is very different. Levels are compared per
	// operation: warm-ups of one length leave each side a level in proportion to its speed, where both write as much per operation.
	timesMore = 2
	// grewBy is the ratio of what the last half of the windows began with to that of the first, from which it grew, and leastHalf the
	// least windows of each half. Where 8 windows have nothing to do with each other, all of the last half are above all of the first in 1 of 70 series,
	// and where there are more of them in fewer. Each target and level is a series.
	grewBy, leastHalf = 1.5, 4
	// leastListed are the entries of the history list per operation from which they matter: a window whose operations are transactions adds as many.
	leastListed = 1
	// leastWindows of each side are compared.
	leastWindows = 3
)

// carries is a level that windows begin with.
type carries struct {
	// level is the measurement, and own the cost that bounds what a window adds to it; empty for none.
	level, own string
	// least per operation from which it matters, and leastWhole of all operations of a window.
	least, leastWhole float64
	// began has the level per operation, and again that of the other side. grew names the level, remedy is what to do about it, and whole
	// tells all of it.
	began, again, grew, remedy string
	whole                      func(float64) string
}

// carried are the levels that are judged. The changed pages in the cache are the same work as the log, by another measure.
var carried = []carries{
	{levels.Log, costs.Written, leastDebt, validity.LeastLog, "%s B of log per operation whose pages were still to be flushed", "%s B", "the log whose pages are still to be flushed",
		"use longer windows", func(bytes float64) string { return fmt.Sprintf("%.3g MB", bytes/1e6) }},
	{levels.History, "", leastListed, validity.LeastHistory, "%s transactions per operation that were still to be purged", "%s", "the history list of transactions that are still to be purged",
		"look for a transaction that stays open (information_schema.INNODB_TRX), or use longer windows", figure.Short},
}

// begun is what windows began with, on average.
type begun struct {
	// whole level, and operations of a window.
	whole, operations float64
	// own is what bounds how much of it a window makes itself.
	own float64
}

// per operation: a window with few operations, such as one that stalled, decides no more than others.
func (b begun) per() float64 { return b.whole / b.operations }

// begunIn a record; false where it does not have the level, or no number of operations.
func (c carries) begunIn(rec *contract.Record) (b begun, known bool) {
	if slices.ContainsFunc(rec.Values, func(v contract.RecordedValue) bool { return contract.OfSecondLoad(v.Labels) }) {
		return b, false // what a second load left is not of the operations of the workload
	}
	level, told := plainValue(rec, c.level)
	perSecond, counted := plainValue(rec, contract.NameThroughput)
	if !told || !counted || perSecond <= 0 || rec.WindowStartTime == nil || rec.WindowEndTime == nil {
		return b, false
	}
	operations := perSecond * rec.WindowEndTime.Sub(*rec.WindowStartTime).Seconds()
	own, tells := plainValue(rec, c.own)
	return begun{level, operations, own * operations}, operations > 0 && (tells || c.own == "")
}

// plainValue of a record: the one without labels.
func plainValue(rec *contract.Record, name string) (float64, bool) {
	i := slices.IndexFunc(rec.Values, func(v contract.RecordedValue) bool { return v.Name == name && len(v.Labels) == 0 })
	if i < 0 {
		return 0, false
	}
	return rec.Values[i].Value, true
}

// meanOf what windows began with, of which there are some.
func meanOf(all []begun) (sum begun) {
	n := float64(len(all))
	for _, b := range all {
		sum.whole, sum.operations, sum.own = sum.whole+b.whole/n, sum.operations+b.operations/n, sum.own+b.own/n
	}
	return sum
}

// matters says whether so much more of a level than less, per operation and in all operations of a window, is more than what a window
// does by itself. A window that writes nothing, not even what others left, pays nothing.
func (c carries) matters(more, less begun) bool {
	own, surplus := more.own/more.operations, more.per()-less.per()
	if c.own != "" && own < c.least {
		return false
	}
	return surplus >= max(c.least, own) && surplus*more.operations >= c.leastWhole
}

// debtCarried are the findings about what windows carry over to later ones: of each pair of targets whose windows begin with very
// different levels, and of each target whose levels grow over the run.
func debtCarried(in Input, family Family) (out []v1alpha1.Finding) {
	trials, p := countedTrials(in.Layout, in.Records, summary.LeftOutShown), in.Layout.Plan
	found := func(message string) {
		if message != "" {
			out = append(out, v1alpha1.Finding{Check: "debt-carried", Severity: v1alpha1.SeverityWarning, Message: message})
		}
	}
	for _, c := range carried {
		windows, done := c.windows(len(p.Targets), trials), map[[2]int32]bool{}
		for _, contrast := range family.Primary {
			pair := [2]int32{contrast.Value.Target, contrast.Baseline.Target}
			if pair[0] != pair[1] && !done[pair] {
				done[pair] = true
				found(c.differ(p.Targets[pair[0]], windows[pair[0]], p.Targets[pair[1]], windows[pair[1]]))
			}
		}
		// In the order Sequential the windows of a half are those of other cells, where there are several.
		if p.Order == v1alpha1.OrderSequential && len(p.Cells) > 1 {
			continue
		}
		for target, name := range p.Targets {
			found(c.grows(name, windows[target]))
		}
	}
	return out
}

// windows of each target: what they began with, in their order.
func (c carries) windows(targets int, trials []countedTrial) [][]begun {
	out := make([][]begun, targets)
	for _, t := range trials {
		if b, known := c.begunIn(t.record); known {
			out[t.Target] = append(out[t.Target], b)
		}
	}
	return out
}

// differ says whether the windows of two targets begin with very different levels; empty where not.
func (c carries) differ(oneName string, one []begun, otherName string, other []begun) string {
	if len(one) < leastWindows || len(other) < leastWindows {
		return ""
	}
	heavy, light, heavier, lighter := meanOf(one), meanOf(other), oneName, otherName
	if heavy.per() < light.per() {
		heavy, light, heavier, lighter = light, heavy, lighter, heavier
	}
	if heavy.per() < timesMore*light.per() || !c.matters(heavy, light) {
		return ""
	}
	return fmt.Sprintf("the windows of %s began with "+c.began+", those of %s with "+c.again+": windows of %s have more work of earlier ones in them, or put it off again; %s",
		heavier, figure.Short(heavy.per()), lighter, figure.Short(light.per()), heavier, c.remedy)
}

// grows says whether a level grew over the run: all windows of the last half began with more than all of the first. Empty where not.
func (c carries) grows(name string, all []begun) string {
	half := len(all) / 2
	if half < leastHalf {
		return ""
	}
	byLevel := func(x, y begun) int { return cmp.Compare(x.whole, y.whole) }
	first, last := all[:half], all[len(all)-half:]
	from, to := meanOf(first), meanOf(last)
	if slices.MinFunc(last, byLevel).whole <= slices.MaxFunc(first, byLevel).whole || to.whole < grewBy*from.whole || !c.matters(to, from) {
		return ""
	}
	return fmt.Sprintf("%s grew over the run of %s: its first %d windows began with %s on average, its last %d with %s; a later window pays for earlier ones, or the run ends before any does; %s",
		c.grew, name, half, c.whole(from.whole), half, c.whole(to.whole), c.remedy)
}
