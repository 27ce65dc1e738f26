package validity

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// mixSigmas: each operation is chosen at random, so the number of one kind is binomial.
// Beyond 4 standard deviations is one of 16,000 sound trials with one kind.
const mixSigmas = 4

// operationKinds: the operations of each kind were answered as often as they were counted.
func operationKinds(r result.Result, _ runner.Facts) string {
	answered := map[string]float64{}
	for _, m := range r.Measurements {
		if status := m.Labels[result.LabelStatus]; m.Name == result.NameReturnCount && m.Value != nil && endedWell[status] {
			answered[m.Labels[result.LabelOperation]] += *m.Value
		}
	}
	for _, operation := range slices.Sorted(maps.Keys(answered)) {
		n, ok := value(r, result.NameOperationCount, map[string]string{result.LabelOperation: operation})
		if ok && n != answered[operation] {
			return fmt.Sprintf("%.0f operations of %s were measured, but %.0f were answered well", n, operation, answered[operation])
		}
	}
	return ""
}

// endedWell are the statuses of operations that ended well.
var endedWell = map[string]bool{"OK": true, "BATCHED_OK": true}

// operationMix: kinds of operations are mixed as asked for.
func operationMix(r result.Result, f runner.Facts) string {
	n, counted := operations(r)
	if !counted || n == 0 {
		return ""
	}
	for _, operation := range slices.Sorted(maps.Keys(f.Mix)) {
		share := f.Mix[operation]
		got, ok := value(r, result.NameOperationCount, map[string]string{result.LabelOperation: operation})
		if !ok && share == 0 {
			continue
		}
		// Absent is 0 here: a kind without operations has no section in a report.
		allowed := mixSigmas * math.Sqrt(n*share*(1-share))
		if math.Abs(got-n*share) > allowed+countStep+float64(f.Straddling) {
			return fmt.Sprintf("%.0f of %.0f operations are %s, but %.4g %% were asked for (%.0f, give or take %.0f)",
				got, n, operation, 100*share, n*share, allowed)
		}
	}
	return ""
}

// countStep allows one operation: of 3, none may be of a kind that is one in 100.
const countStep = 1.0
