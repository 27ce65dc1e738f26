package analysis

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/costs"
)

const (
	// leastDebt per operation, in bytes of the log: a changed row writes more than that.
	leastDebt = 50
	// maxPaidMore is how many bytes of pages one side may flush more than the other, for each byte of log that the other puts off. A
	// flushed page pays for all changes to it, so that most debts are paid with more bytes than they have.
	maxPaidMore = 0.5
)

// payer is a side of a comparison: by how much its debt grew, and what it flushed, both in bytes per operation.
type payer struct {
	name          string
	debt, flushed float64
}

// debtDiffers are the findings about pairs of targets of which one flushes within its windows what the other puts off: one for each
// pair that is compared.
func (a *analyst) debtDiffers() (out []v1alpha1.Finding) {
	done := map[[2]int32]bool{}
	for _, c := range a.family.Primary {
		pair := [2]int32{c.Value.Target, c.Baseline.Target}
		if pair[0] == pair[1] || done[pair] {
			continue
		}
		value, baseline, known := payersOf(a, c)
		putsOff, pays := value, baseline
		if value.flushed > baseline.flushed {
			putsOff, pays = baseline, value
		}
		if !known || putsOff.debt < leastDebt || pays.flushed-putsOff.flushed <= maxPaidMore*putsOff.debt {
			continue
		}
		done[pair] = true
		out = append(out, v1alpha1.Finding{
			Check: "debt-differs", Severity: v1alpha1.SeverityWarning,
			Message: fmt.Sprintf("%s flushed %s B of pages per operation, and its debt grew by %s B of log per operation; %s flushed %s B, and its debt grew by %s B: "+
				"the throughput of %s is without work that %s did within its windows; compare longer windows", putsOff.name, figure.Short(putsOff.flushed), figure.Short(putsOff.debt),
				pays.name, figure.Short(pays.flushed), figure.Short(pays.debt), putsOff.name, pays.name),
		})
	}
	return out
}

// payersOf are both sides of a comparison, over the blocks that both have; false where one of the costs is not known.
func payersOf(a *analyst, c Contrast) (value, baseline payer, known bool) {
	value.name, baseline.name = a.Layout.Plan.Targets[c.Value.Target], a.Layout.Plan.Targets[c.Baseline.Target]
	for name, into := range map[string][2]*float64{costs.Debt: {&value.debt, &baseline.debt}, costs.Flushed: {&value.flushed, &baseline.flushed}} {
		i := slices.IndexFunc(a.series.byName[name], func(id int32) bool { return a.series.has(c, id) })
		if i < 0 {
			return value, baseline, false
		}
		of, to := a.series.pairs(c, a.series.byName[name][i])
		if len(of) == 0 {
			return value, baseline, false
		}
		*into[0], *into[1] = mean(of), mean(to) // a median forgets a flush in every third window
	}
	return value, baseline, true
}

// mean of values, of which there are some.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}
