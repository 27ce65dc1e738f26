// Package groups has what the groups of clients of a trial measured apart: each tenant, and a second load. It is pure.
//
// In: a trial with its groups, and the results of its clients. Out: the results of those that measure and of those that work, and measurements
// that say of whom they are: with the label of a tenant or of the second load, and how unequal tenants are. A measurement
// that a group does not have is absent, never 0. It refuses results that merge refuses.
package groups

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/merge"
	"github.com/assay-bench/assay/runners/runner"
)

// Names of the measurements that compare tenants. Both are of the main measurement of the tool, or of its throughput where less of that is better:
// shares of a time say nothing of who got more.
const (
	// Fairness is Jain's index: (x1 + ... + xn)² / (n (x1² + ... + xn²)). It is 1 when all tenants have the same, and 1/n when one of n has
	// all. Source: R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared
	// Computer Systems, DEC-TR-301, 1984.
	Fairness = "tenants.fairness"
	// Ratio is the least value of a tenant over the largest: 1 when all have the same.
	Ratio = "tenants.ratio"
)

// Names of all measurements that compare tenants, in the order in which they are shown.
func Names() []string { return []string{Fairness, Ratio} }

// Measuring are the results of the clients that measure the workload.
func Measuring(t contract.Trial, results []contract.Result) []contract.Result {
	return of(t, results, contract.Group.Measures)
}

// Working are the results of the clients that do anything.
func Working(t contract.Trial, results []contract.Result) []contract.Result {
	return of(t, results, func(g contract.Group) bool { return !g.Idle })
}

// Shared says whether a second load is at work beside the workload, so that what the server does is not for the workload alone.
func Shared(t contract.Trial) bool {
	return slices.ContainsFunc(t.Groups, func(g contract.Group) bool { return g.Background && !g.Idle })
}

func of(t contract.Trial, results []contract.Result, is func(contract.Group) bool) (out []contract.Result) {
	for _, r := range results {
		if is(t.GroupOf(r.Trial.Client)) {
			out = append(out, r)
		}
	}
	return out
}

// Apart are the measurements of each tenant and of the second load, of those that the tool's summary names, and how unequal the
// tenants are. What a kind of operation, or another part of the work, has of its own is left out, but for percentiles.
func Apart(t contract.Trial, results []contract.Result, tool runner.Runner) ([]contract.Measurement, error) {
	var out []contract.Measurement
	var values []float64
	main := mainOf(tool)
	most := 0
	for _, g := range t.Groups {
		if g.Idle || g.Measures() && g.Tenant == 0 {
			continue
		}
		names, label, value := tool.Summary, contract.LabelLoad, contract.LoadBackground
		if g.Tenant > 0 {
			names, label, value = namesOfTenant(main), contract.LabelTenant, strconv.Itoa(g.Tenant)
		}
		own := of(t, results, func(o contract.Group) bool { return o.Tenant == g.Tenant && o.Background == g.Background && !o.Idle })
		merged, _, err := merge.Results(own)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", label, value, err)
		}
		for _, m := range merged.Measurements {
			if slices.Contains(names, m.Name) && ofAll(m) {
				out = append(out, labelled(m, label, value))
			}
		}
		if g.Tenant > 0 {
			most = max(most, g.Tenant)
			if v, has := shareOf(merged, main); has {
				values = append(values, v)
			}
		}
	}
	if len(values) == most { // of tenants without a value nothing is known
		out = append(out, unequal(values)...)
	}
	return out, nil
}

// mainOf a tool is the measurement that stands for a trial.
func mainOf(tool runner.Runner) string {
	if tool.Headline == runner.AnyHeadline || tool.Headline == "" {
		return contract.NameThroughput
	}
	return tool.Headline
}

// namesOfTenant are the measurements that records have of each tenant: few, for there may be many.
func namesOfTenant(main string) []string {
	return []string{main, contract.NameThroughput, contract.NameLatencyAvg, contract.NameLatencyPercentile, contract.NameErrorRate}
}

// shareOf a tenant is what fairness is about; false where it has no such number.
func shareOf(merged contract.Result, main string) (float64, bool) {
	for _, name := range []string{main, contract.NameThroughput} {
		for _, m := range merged.Measurements {
			if m.Name == name && len(m.Labels) == 0 && m.Value != nil && m.Direction != contract.LowerIsBetter {
				return *m.Value, true
			}
		}
	}
	return 0, false
}

// ofAll says whether a measurement is about all operations together.
func ofAll(m contract.Measurement) bool {
	return !slices.ContainsFunc(slices.Collect(maps.Keys(m.Labels)), func(label string) bool { return label != contract.LabelPercentile })
}

// labelled is a value of a group. Its series and its histogram stay with the results of the clients.
func labelled(m contract.Measurement, label, value string) contract.Measurement {
	m.Labels = contract.Also(m.Labels, label, value)
	m.Histogram, m.Intervals = nil, nil
	return m
}

// unequal says how unequal the values of two tenants or more are; nothing where one of them is not above 0.
func unequal(values []float64) []contract.Measurement {
	if len(values) < 2 || slices.Min(values) < 0 || slices.Max(values) == 0 {
		return nil
	}
	sum, squares, largest := 0.0, 0.0, slices.Max(values)
	for _, v := range values {
		share := v / largest // so that no square is beyond the numbers
		sum, squares = sum+share, squares+share*share
	}
	return []contract.Measurement{
		runner.Number(Fairness, "1", contract.HigherIsBetter, sum*sum/(float64(len(values))*squares)),
		runner.Number(Ratio, "1", contract.HigherIsBetter, slices.Min(values)/largest),
	}
}
