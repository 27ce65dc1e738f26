package history

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// found is the builder for a run that searches: its values are the rates that it found, of all clients
// together, as its summary and its gate have them. The trials themselves are at other rates in each run.
// As there, a cell of a target has no value when the answer of any of its blocks is only a bound.
func (b *Builder) found() *Builder {
	st := b.run.Status
	out := &Builder{run: b.run, kinds: []kind{{name: contract.NameHighestRate, unit: b.rateUnit(), direction: contract.HigherIsBetter}}, last: map[int32]attempt{}}
	bounded := map[unit]bool{}
	for _, s := range st.Searches {
		if s.Outcome == v1alpha1.SearchAllHeld || s.Outcome == v1alpha1.SearchNoneHeld {
			bounded[unit{s.Cell, s.Target}] = true
		}
	}
	for i, s := range st.Searches {
		if s.Outcome == v1alpha1.SearchUnfinished || s.Block < 0 || s.Block >= maxBlocks {
			continue
		}
		a := attempt{record: contract.Record{
			Index: int32(i), Block: s.Block, Cell: s.Cell, Target: s.Target, Final: true, State: contract.Failed, Parameters: scalars(s.Parameters),
		}}
		if s.Outcome != v1alpha1.SearchUnknown {
			a.record.State, a.record.Valid = contract.Succeeded, new(true)
			a.record.Facts, a.record.MachineSpeed = b.circumstances(s)
		}
		if s.Outcome == v1alpha1.SearchFound && !bounded[unit{s.Cell, s.Target}] {
			a.values = []kindValue{{0, float64(s.Held) * float64(b.run.Spec.MeasuringClients())}}
		}
		out.last[a.record.Index] = a
	}
	return out
}

// rateUnit is that of the throughput of the trials.
func (b *Builder) rateUnit() string {
	for _, k := range b.kinds {
		if k.name == contract.NameThroughput {
			return k.unit
		}
	}
	return "operations/s"
}

// circumstances of the last trial of a search that succeeded.
func (b *Builder) circumstances(s v1alpha1.SearchEntry) (facts contract.Facts, speed []contract.RecordedSpeed) {
	last := int32(-1)
	for _, a := range b.last {
		rec := a.record
		if rec.Block == s.Block && rec.Cell == s.Cell && rec.Target == s.Target && rec.State == contract.Succeeded && rec.Index > last {
			last, facts, speed = rec.Index, rec.Facts, rec.MachineSpeed
		}
	}
	return facts, speed
}

// scalars are the parameters of a cell as records have them.
func scalars(parameters map[string]intstr.IntOrString) map[string]contract.Scalar {
	if len(parameters) == 0 {
		return nil
	}
	out := map[string]contract.Scalar{}
	for name, value := range parameters {
		out[name] = contract.Scalar{Text: value.StrVal, Int: value.IntVal, IsInt: value.Type == intstr.Int}
	}
	return out
}
