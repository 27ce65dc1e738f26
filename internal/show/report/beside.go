package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// here is what this run has measured, to be found by a quoted number.
type here struct {
	// entries by what a quoted number has to say to mean them.
	entries map[string][]*v1alpha1.SummaryEntry
	// anyDriver has those of drivers by what a quoted number has to say that names no driver. A driver that does nothing is none.
	anyDriver map[string][]*v1alpha1.SummaryEntry
	of        ratios
	// single are the dimensions in which no two entries differ, by the measurement: a quoted number need not have them.
	single map[measured]map[string]bool
	// measured are the measurements by name and unit: percentiles are one each.
	measured map[[2]string][]measured
	// hundred are the dimensions of the published numbers beside the quoted one that are 100 %.
	hundred map[string]bool
	// published are the numbers of which the quoted one is one, by their dimensions.
	published map[string]*v1alpha1.SummaryEntry
}

// measured is what an entry measures: percentiles are one each.
type measured struct{ name, percentile, unit string }

func measuredBy(e *v1alpha1.SummaryEntry) measured { return measured{e.Name, e.Labels["p"], e.Unit} }

func hereOf(in Input) here {
	out := here{entries: map[string][]*v1alpha1.SummaryEntry{}, anyDriver: map[string][]*v1alpha1.SummaryEntry{}, of: ratiosOf(in),
		single: map[measured]map[string]bool{}, measured: map[[2]string][]measured{}}
	by, idle := map[measured][]*v1alpha1.SummaryEntry{}, idleDrivers(in.Run)
	for i := range in.Entries {
		e := &in.Entries[i]
		if _, ok := figure.Decimal(e.Median); !ok {
			continue
		}
		m := measuredBy(e)
		if by[m] == nil {
			name := [2]string{m.name, m.unit}
			out.measured[name] = append(out.measured[name], m)
		}
		by[m] = append(by[m], e)
	}
	for m, entries := range by {
		s, single := spanOf(entries), map[string]bool{}
		for name := range s.values {
			if !slices.Contains(s.names, name) {
				single[name] = true
			}
		}
		out.single[m] = single
		for _, e := range entries {
			key := out.keyOf(m, dimensionsOf(e))
			out.entries[key] = append(out.entries[key], e)
			if driver := e.Labels[contract.LabelDriver]; driver != "" && !idle[driver] {
				key := out.keyOf(m, dimensionsOf(e), unsaid...)
				out.anyDriver[key] = append(out.anyDriver[key], e)
			}
		}
	}
	return out
}

// idleDrivers of a run are those that do nothing and measure the harness (null), by their names in results.
func idleDrivers(run *v1alpha1.BenchmarkRun) map[string]bool {
	out := map[string]bool{}
	if drivers := run.Spec.Workload.Drivers; drivers != nil {
		for _, d := range drivers.Drivers {
			if d.Name == contract.DriverNull {
				out[cmp.Or(d.As, d.Name)] = true
			}
		}
	}
	return out
}

// keyOf a number of a measurement: its dimensions without those that a quoted number need not have.
func (h here) keyOf(m measured, d map[string]string, unsaid ...string) string {
	named := map[string]string{}
	for name, v := range d {
		if !h.single[m][name] && !slices.Contains(unsaid, name) {
			named[name] = v
		}
	}
	return fmt.Sprintf("%q %q %q %s", m.name, m.percentile, m.unit, labelKey(named))
}

const (
	// maxPercentiles of a name are searched for a quoted number that says no percentile: of more, it does not say which.
	maxPercentiles = 64
	// maxBeside are the numbers of drivers that are listed below a quoted one: of more, the lowest and the highest.
	maxBeside = 8
	// maxOfDrivers is how many a run can have of one operation: 32 drivers on 8 servers.
	maxOfDrivers = 256

	unitPercent = "%"
)

// unsaid are the dimensions that a number need not name whose driver nobody measures here: it stands beside those that are measured.
var unsaid = []string{contract.LabelDriver, v1alpha1.FactorTarget}

// beside a quoted number: the number of this run with the same name, unit and labels, with its ratio to the baseline; of a share in
// percent that ratio alone, as a share. Empty where this run has none, or several. Only one that names no driver has those of all drivers.
func (h here) beside(quoted *v1alpha1.SummaryEntry) []string {
	of, relative := h.meantBy(quoted)
	if len(quoted.Labels) == 0 || len(of) > maxPercentiles {
		return nil
	}
	found := h.exactly(quoted, of)
	if len(found) > 1 {
		return nil
	}
	var ofDrivers []*v1alpha1.SummaryEntry
	for _, m := range of {
		if quoted.Labels[contract.LabelDriver] != "" {
			break
		}
		all := h.anyDriver[h.keyOf(m, quoted.Labels, unsaid...)]
		if len(all) > maxOfDrivers {
			continue
		}
		for _, e := range all {
			if h.same(e, quoted.Labels, unsaid...) {
				ofDrivers = append(ofDrivers, e)
			}
		}
	}
	switch {
	case len(found) > 0:
		ofDrivers = nil
	case len(ofDrivers) > maxBeside && !relative:
		return []string{"here " + h.rangeOf(ofDrivers)}
	case len(ofDrivers) > maxBeside:
		return nil
	}
	if relative {
		return h.shares(quoted, slices.Concat(found, ofDrivers), len(found) == 0)
	}
	return h.figures(slices.Concat(found, ofDrivers), len(found) == 0)
}

// exactly what a quoted number says: no more than two are looked for.
func (h here) exactly(quoted *v1alpha1.SummaryEntry, of []measured) (found []*v1alpha1.SummaryEntry) {
	for _, m := range of {
		for _, e := range h.entries[h.keyOf(m, quoted.Labels)] {
			if !h.same(e, quoted.Labels) {
				break // the others of the key have the same dimensions
			}
			if found = append(found, e); len(found) > 1 {
				return found
			}
		}
	}
	return found
}

// otherwise is the published ratio of a number that this run compares otherwise than declared: over another factor, with another baseline, or
// with one that does something else. is: it does so; then the text is empty where one side was not published.
func (h here) otherwise(quoted *v1alpha1.SummaryEntry, declared readout.Verdict) (text string, is bool) {
	of, relative := h.meantBy(quoted)
	if relative || len(quoted.Labels) == 0 || len(of) > maxPercentiles || !hasRatio(quoted) {
		return "", false
	}
	found := h.exactly(quoted, of)
	if len(found) != 1 {
		return "", false
	}
	v, has := h.of.of(found[0])
	if !has || v.Effect == "" || len(v.Unlike) == 0 && v.Factor == declared.Factor && v.Baseline == declared.Baseline {
		return "", false
	}
	at := dimensionsOf(quoted)
	at[v.Factor] = v.Baseline
	for _, u := range v.Unlike {
		at[u.Factor] = u.Baseline
	}
	if text = ratioTo(quoted, h.published[labelKey(at)]); text != "" {
		text += " against " + v.Against()
	}
	return text, true
}

// meantBy a quoted number: what has its name and unit. relative: its name alone, because it is a share in percent, and nothing here is.
func (h here) meantBy(quoted *v1alpha1.SummaryEntry) (of []measured, relative bool) {
	of = h.measured[[2]string{quoted.Name, quoted.Unit}]
	if quoted.Unit == unitPercent && len(of) == 0 {
		for name, all := range h.measured {
			if name[0] == quoted.Name {
				of, relative = append(of, all...), true
			}
		}
	}
	if p := quoted.Labels["p"]; p != "" && !relative {
		of = []measured{measuredBy(quoted), {quoted.Name, "", quoted.Unit}}
	}
	return of, relative
}

// figures of entries: the median with its ratio to the baseline. named: driver and server are said before it.
func (h here) figures(all []*v1alpha1.SummaryEntry, named bool) (out []string) {
	for _, e := range all {
		median, _, _ := figuresOf(e)
		words := append(h.named(e, named), median)
		if v, has := h.of.of(e); has && v.Effect != "" {
			words = append(words, "("+h.of.inDoubt(v)+")")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// shares of entries in their baseline, of which a quoted number is a share, too: the publication has 100 % where the run has its baseline.
// So 120 is one, and +20, which is a change, is none. Nothing for the baseline itself.
func (h here) shares(quoted *v1alpha1.SummaryEntry, all []*v1alpha1.SummaryEntry, named bool) (out []string) {
	for _, e := range all {
		v, has := h.of.of(e)
		if !has || v.Effect == "" || len(v.Unlike) > 0 {
			continue
		}
		base := dimensionsOf(quoted)
		base[v.Factor] = v.Baseline
		if !h.hundred[labelKey(base)] {
			continue
		}
		words := append(h.named(e, named), shareIn(v), unitPercent)
		if v.Undecided() {
			words = append(words, "?")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// shareIn the baseline, in percent: 114 for a ratio of 1.14.
func shareIn(v readout.Verdict) string {
	percent := func(ratio string) string {
		n, ok := figure.Decimal(ratio)
		if !ok {
			return ""
		}
		return strconv.FormatFloat(100*n, 'g', -1, 64)
	}
	share, _, _ := figure.Measured(percent(v.Ratio), percent(v.IntervalLow), percent(v.IntervalHigh))
	return share
}

// named begins what is said of an entry: with its driver and its server where those differ, if they are to be named.
func (h here) named(e *v1alpha1.SummaryEntry, named bool) []string {
	words, d := []string{"here"}, dimensionsOf(e)
	for _, name := range unsaid {
		if named && !h.single[measuredBy(e)][name] {
			words = append(words, d[name])
		}
	}
	return words
}

// rangeOf entries, such as "0.15 to 0.61 (0.012x to 0.030x; 14 of drivers and servers)": with the range of their ratios where all have one.
func (h here) rangeOf(all []*v1alpha1.SummaryEntry) string {
	// hereOf has left out medians that are no numbers, and a ratio that is shown is one.
	value := func(decimal string) float64 { v, _ := figure.Decimal(decimal); return v }
	byMedian := func(a, b *v1alpha1.SummaryEntry) int { return cmp.Compare(value(a.Median), value(b.Median)) }
	byRatio := func(a, b readout.Verdict) int { return cmp.Compare(value(a.Ratio), value(b.Ratio)) }
	var compared []readout.Verdict
	for _, e := range all {
		if v, has := h.of.of(e); has && v.Effect != "" {
			compared = append(compared, v)
		}
	}
	ratios := ""
	if len(compared) == len(all) {
		ratios = h.of.inDoubt(slices.MinFunc(compared, byRatio)) + " to " + h.of.inDoubt(slices.MaxFunc(compared, byRatio)) + "; "
	}
	low, _, _ := figuresOf(slices.MinFunc(all, byMedian))
	high, _, _ := figuresOf(slices.MaxFunc(all, byMedian))
	return fmt.Sprintf("%s to %s (%s%d of drivers and servers)", low, high, ratios, len(all))
}

// same says whether an entry is what a quoted number is about.
func (h here) same(e *v1alpha1.SummaryEntry, want map[string]string, unsaid ...string) bool {
	have, matched := dimensionsOf(e), 0
	for name, v := range have {
		w, said := want[name]
		switch {
		case said && w != v:
			return false
		case said:
			matched++
		case !h.single[measuredBy(e)][name] && !slices.Contains(unsaid, name):
			return false
		}
	}
	return matched == len(want)
}

// bases are the baselines of the numbers of a table: those of the category baseline, or else those that the run compares with.
type bases struct {
	of map[*v1alpha1.SummaryEntry]*v1alpha1.SummaryEntry
	// speed: they are shown as speed-ups, which is what comparisons with categories print.
	speed bool
}

// basesOf placed numbers; declared is the comparison of the run.
func basesOf(all []placed, declared readout.Verdict) bases {
	out := bases{of: map[*v1alpha1.SummaryEntry]*v1alpha1.SummaryEntry{}}
	key := func(p placed) string { return p.across }
	is := func(p placed) bool { return p.entry.Labels["category"] == "baseline" }
	if out.speed = slices.ContainsFunc(all, is); !out.speed {
		key = func(p placed) string {
			d := dimensionsOf(p.entry)
			delete(d, declared.Factor)
			return labelKey(d)
		}
		is = func(p placed) bool { return dimensionsOf(p.entry)[declared.Factor] == declared.Baseline }
	}
	by := map[string]*v1alpha1.SummaryEntry{}
	for _, p := range all {
		if is(p) {
			by[key(p)] = p.entry
		}
	}
	for _, p := range all {
		out.of[p.entry] = by[key(p)]
	}
	return out
}

// against the baseline: +3.8 %, 52.0x, or 21.0x as fast. Empty for the baseline itself, and for what is a ratio already.
func (b bases) against(e *v1alpha1.SummaryEntry) string {
	base := b.of[e]
	if base == nil || base == e || !hasRatio(e) {
		return ""
	}
	if !b.speed {
		return ratioTo(e, base)
	}
	v, of, ok := bothOf(e, base)
	switch {
	case !ok:
		return ""
	case e.Direction == string(contract.LowerIsBetter):
		return figure.Factor(of/v) + "x as fast"
	}
	return figure.Factor(v/of) + "x as fast"
}

// hasRatio says whether a number is compared: where neither is better it is not, and what is a ratio already has none.
func hasRatio(e *v1alpha1.SummaryEntry) bool {
	return e.Direction != "" && e.Unit != "1" && e.Unit != unitPercent
}

// ratioTo is a number over another: +3.8 %, or 52.0x. Empty without the other, for the same, and where one is not above 0.
func ratioTo(e, base *v1alpha1.SummaryEntry) string {
	v, of, ok := bothOf(e, base)
	if !ok || e == base {
		return ""
	}
	if ratio := v / of; e.Direction == string(contract.HigherIsBetter) && ratio < 3 {
		return figure.Difference(ratio)
	}
	return figure.Factor(v/of) + "x"
}

// bothOf a ratio; false where one is not there, or not above 0.
func bothOf(e, base *v1alpha1.SummaryEntry) (v, of float64, ok bool) {
	if base == nil {
		return 0, 0, false
	}
	v, ok = figure.Decimal(e.Median)
	of, known := figure.Decimal(base.Median)
	return v, of, ok && known && v > 0 && of > 0
}

// declaredOf the run is its first comparison, which says what the numbers of others are compared with, too.
func declaredOf(in Input) readout.Verdict {
	if all := in.doc.Family(v1alpha1.FamilyPrimary); len(all) > 0 {
		return all[0]
	}
	return readout.Verdict{}
}
