package validity

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// falseAlarms is the false-positive rate of statistical checks over all trials of a run: one
// valid run in 100 has such a finding. A trial is checked when it is collected, with this rate
// divided by the planned number of such checks, so no record is rewritten later.
const falseAlarms = 0.01

// operationKinds: the number of operations of each kind equals the number of their successful
// returns.
func operationKinds(r contract.Result, _ runner.Expectations) string {
	answered := map[string]float64{}
	for _, m := range r.Measurements {
		if status := m.Labels[contract.LabelStatus]; m.Name == contract.NameReturnCount && m.Value != nil && endedWell[status] {
			answered[m.Labels[contract.LabelOperation]] += *m.Value
		}
	}
	for _, operation := range slices.Sorted(maps.Keys(answered)) {
		n, ok := value(r, contract.NameOperationCount, map[string]string{contract.LabelOperation: operation})
		if ok && n != answered[operation] {
			return fmt.Sprintf("%.0f operations of %s were measured, but %.0f were answered well", n, operation, answered[operation])
		}
	}
	return ""
}

// endedWell are the return statuses of successful operations.
var endedWell = map[string]bool{"OK": true, "BATCHED_OK": true}

// operationMix: the mix of operations is the requested one. Each operation is chosen at
// random, so the number of one kind is binomial.
func operationMix(r contract.Result, e runner.Expectations) string {
	n, counted := operations(r)
	if !counted || n == 0 {
		return ""
	}
	kinds := slices.Sorted(maps.Keys(e.Mix))
	rate := falseAlarms / float64(max(e.Judged, 1)) / float64(max(len(kinds), 1))
	for _, operation := range kinds {
		share := e.Mix[operation]
		got, ok := value(r, contract.NameOperationCount, map[string]string{contract.LabelOperation: operation})
		if !ok && share == 0 {
			continue
		}
		// Absent is 0 here: a kind without operations has no section in a report.
		if likely := atMostLikely(nearer(got, n*share, countStep+float64(e.Straddling)), n, share); likely < rate {
			return fmt.Sprintf("%.0f of %.0f operations are %s, but %.4g %% were asked for (%.0f): by chance fewer than one of %.2g trials is so far beside it",
				got, n, operation, 100*share, n*share, 1/max(likely, math.SmallestNonzeroFloat32))
		}
	}
	return ""
}

// nearer is the count moved some operations towards the expected count: operations at the ends
// of a window are not counted at random.
func nearer(got, expected, some float64) float64 {
	if math.Abs(got-expected) <= some {
		return expected
	}
	return got + math.Copysign(some, expected-got)
}

// atMostLikely bounds the probability that of n operations of which each is of a kind with
// probability share, the number of that kind is at least as far from n*share as got is, on
// either side: Chernoff's bound, 2 exp(-n D(got/n || share)). It holds for every n and share, as
// the normal approximation does not for what is rare, and allows about 1 in 10 more deviation.
func atMostLikely(got, n, share float64) float64 {
	q := min(max(got/n, 0), 1)
	return min(1, 2*math.Exp(-n*(relative(q, share)+relative(1-q, 1-share))))
}

// relative is a term of the relative entropy, q ln(q/p); 0 for q = 0.
func relative(q, p float64) float64 {
	if q == 0 {
		return 0
	}
	return q * math.Log(q/p) // infinite for what cannot be
}

// countStep allows one operation: of 3, none may be of a kind that is one in 100.
const countStep = 1.0
