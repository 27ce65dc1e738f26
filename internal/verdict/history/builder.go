package history

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Bounds of an entry.
const (
	// MaxSeries of a run are kept.
	MaxSeries = 512
	// maxValues of all its trials are held in memory while its records are read.
	maxValues = 200000
	// maxSpeeds of machines are kept of a target.
	maxSpeeds = 32
)

// Builder makes the entry of a run from its records, part by part.
type Builder struct {
	run *v1alpha1.BenchmarkRun
	// kinds of measurements in the order in which the records have them, at most mostKinds.
	kinds     []kind
	kindOf    map[string]int
	mostKinds int
	// left are the kinds that were too many.
	left map[string]bool
	// last attempt at each trial.
	last map[int32]attempt
	// reason and message why its values are not to be believed; empty where they are.
	reason, message string
}

// kind of a measurement.
type kind struct {
	name, unit string
	labels     map[string]string
	direction  contract.Direction
}

// attempt is what counts of a record.
type attempt struct {
	record contract.Record
	values []kindValue
}

type kindValue struct {
	kind  int
	value float64
}

type speedKey struct{ side, kernel string }

// NewBuilder for a run that has ended.
func NewBuilder(run *v1alpha1.BenchmarkRun) *Builder {
	trials := 1
	if run.Status.Plan != nil {
		trials = max(int(run.Status.Plan.TrialCount), 1)
	}
	return &Builder{
		run: run, kindOf: map[string]int{}, left: map[string]bool{}, last: map[int32]attempt{},
		mostKinds: min(max(maxValues/trials, 1), MaxSeries),
	}
}

// Add the records of a part.
func (b *Builder) Add(records []contract.Record) {
	for _, rec := range records {
		if rec.Block < 0 || rec.Block >= maxBlocks {
			continue // no plan has it: somebody else wrote the record
		}
		a := attempt{record: contract.Record{
			Index: rec.Index, Attempt: rec.Attempt, Block: rec.Block, Cell: rec.Cell, Parameters: rec.Parameters, Target: rec.Target,
			State: rec.State, Valid: rec.Valid, Disturbed: rec.Disturbed, Facts: rec.Facts, MachineSpeed: rec.MachineSpeed,
		}}
		for _, v := range rec.Values {
			if k, is := b.kind(v); is {
				a.values = append(a.values, kindValue{k, v.Value})
			}
		}
		b.last[rec.Index] = a
	}
}

// kind of a value; false for one too many.
func (b *Builder) kind(v contract.RecordedValue) (int, bool) {
	key := v.Name + "\x00" + v.Unit + "\x00" + summary.LabelText(v.Labels)
	if k, known := b.kindOf[key]; known {
		return k, true
	}
	if len(b.kinds) == b.mostKinds {
		if len(b.left) < MaxSeries {
			b.left[key] = true
		}
		return 0, false
	}
	b.kindOf[key] = len(b.kinds)
	b.kinds = append(b.kinds, kind{name: v.Name, unit: v.Unit, labels: v.Labels, direction: v.Direction})
	return len(b.kinds) - 1, true
}

// Refuse the values of the run: its records are not those that it wrote. Its entry has failed, and says why.
func (b *Builder) Refuse(reason, message string) { b.reason, b.message = reason, message }

// unit is a target in a cell.
type unit struct {
	cell   int32
	target string
}

// Past is the entry of the run.
func (b *Builder) Past() contract.PastRun {
	out := describe(b.run)
	if b.reason != "" {
		return refused(out, b.reason, b.message)
	}
	if b.run.Spec.Search != nil {
		b = b.found()
		if r := b.run.Status.Results; r != nil {
			out.SeriesLeftOut = max(r.SearchCount-int32(len(b.run.Status.Searches)), 0)
		}
	}
	counts := b.counts()
	out.Environment = environments(counts)
	units, parameters := unitsOf(b.last)
	series := make([]contract.PastSeries, 0, min(len(b.kinds)*len(units), MaxSeries))
	for _, k := range b.kinds {
		for _, u := range units {
			if len(series) == MaxSeries {
				out.SeriesLeftOut++
				continue
			}
			series = append(series, contract.PastSeries{
				Target: u.target, Parameters: parameters[u.cell], Name: k.name, Labels: k.labels, Unit: k.unit, Direction: k.direction,
				Values: make([]*float64, blocksOf(b.last)),
			})
		}
	}
	out.SeriesLeftOut += int32(len(b.left) * len(units))
	for _, a := range counts {
		at, _ := slices.BinarySearchFunc(units, unit{a.record.Cell, a.record.Target}, compareUnits)
		for _, v := range a.values {
			if i := v.kind*len(units) + at; i < len(series) {
				series[i].Values[a.record.Block] = new(v.value)
			}
		}
	}
	markSlower(series, b.run.Status.Gate)
	out.Series = slices.DeleteFunc(series, func(s contract.PastSeries) bool {
		return !slices.ContainsFunc(s.Values, func(v *float64) bool { return v != nil })
	})
	return out
}

// counts are the trials that count, in their order.
func (b *Builder) counts() []attempt {
	p := &plan.Plan{}
	var records []contract.Record
	all := slices.SortedFunc(maps.Values(b.last), func(x, y attempt) int { return int(x.record.Index - y.record.Index) })
	for _, a := range all {
		p.Trials = append(p.Trials, plan.Trial{Index: a.record.Index, Block: a.record.Block, Cell: a.record.Cell})
		records = append(records, a.record)
	}
	var out []attempt
	for i, why := range summary.LeftOut(p, records) {
		if why == "" {
			out = append(out, all[i])
		}
	}
	return out
}

func compareUnits(a, b unit) int {
	return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.target, b.target))
}

// unitsOf the trials in their order, and the parameters of the cells.
func unitsOf(trials map[int32]attempt) ([]unit, map[int32]map[string]contract.Scalar) {
	parameters := map[int32]map[string]contract.Scalar{}
	var out []unit
	for _, a := range trials {
		parameters[a.record.Cell] = a.record.Parameters
		out = append(out, unit{a.record.Cell, a.record.Target})
	}
	slices.SortFunc(out, compareUnits)
	return slices.Compact(out), parameters
}

// maxBlocks of a design.
const maxBlocks = 100

// blocksOf the trials: their number, from the first block on.
func blocksOf(trials map[int32]attempt) int {
	n := 0
	for _, a := range trials {
		n = max(n, int(a.record.Block)+1)
	}
	return n
}

// environments of the targets of trials that count.
func environments(trials []attempt) []contract.PastEnvironment {
	var out []contract.PastEnvironment
	speeds := map[string]map[speedKey][]float64{}
	for _, a := range trials {
		name := a.record.Target
		at := slices.IndexFunc(out, func(e contract.PastEnvironment) bool { return e.Target == name })
		if at < 0 {
			at, speeds[name] = len(out), map[speedKey][]float64{}
			out = append(out, contract.PastEnvironment{Target: name})
		}
		if a.record.Facts != "" {
			out[at].Facts = a.record.Facts
		}
		for _, s := range a.record.MachineSpeed {
			key := speedKey{s.Side, s.Kernel}
			if _, known := speeds[name][key]; known || len(speeds[name]) < maxSpeeds {
				speeds[name][key] = append(speeds[name][key], s.Seconds)
			}
		}
	}
	for i := range out {
		out[i].MachineSpeed = medians(speeds[out[i].Target])
	}
	slices.SortFunc(out, func(a, b contract.PastEnvironment) int { return cmp.Compare(a.Target, b.Target) })
	return out
}
