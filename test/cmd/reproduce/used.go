package main

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/drivers"
)

// onlyUsed leaves in a spec what one of the sides has: targets, and of a run with drivers its drivers and benchmarks, with the schemes,
// transactions, sessions and numbers of rows of those. The speed-ups of such a run are left out, since their baseline may be.
func onlyUsed(spec *v1alpha1.BenchmarkRunSpec, sides []map[string]string) {
	spec.Targets = slices.DeleteFunc(spec.Targets, func(t v1alpha1.Target) bool {
		return !slices.ContainsFunc(sides, func(side map[string]string) bool { return side[v1alpha1.FactorTarget] == t.Name })
	})
	w := spec.Workload.Drivers
	if w == nil {
		return
	}
	w.Baseline = nil
	w.Drivers = slices.DeleteFunc(w.Drivers, func(d v1alpha1.Driver) bool {
		return !slices.ContainsFunc(sides, func(side map[string]string) bool { return side[contract.LabelDriver] == cmp.Or(d.As, d.Name) })
	})
	var benchmarks []v1alpha1.DriverBenchmark
	for _, b := range w.Benchmarks {
		if usedOf(&b, sides) {
			benchmarks = append(benchmarks, b)
		}
	}
	w.Benchmarks = benchmarks
}

// usedOf a benchmark are the values of its lists that a side has; false for one that no side is of.
func usedOf(b *v1alpha1.DriverBenchmark, sides []map[string]string) bool {
	has := func(side map[string]string) bool {
		return side[contract.LabelOperation] == b.Operation && side[drivers.LabelEngine] == b.StorageEngine &&
			in(b.Schemes, side[contract.LabelScheme], "SingleRow") && in(b.Transactions, side[contract.LabelTransaction], "Autocommit") &&
			in(b.Sessions, side[contract.LabelSession], "Dedicated") && in(textsOf(b.Rows), side[contract.LabelRows], "1") &&
			in(textsOf(b.Concurrency), side[contract.LabelConcurrency], "1")
	}
	of := slices.DeleteFunc(slices.Clone(sides), func(side map[string]string) bool { return !has(side) })
	b.Schemes = usedIn(b.Schemes, of, contract.LabelScheme, "SingleRow")
	b.Transactions = usedIn(b.Transactions, of, contract.LabelTransaction, "Autocommit")
	b.Sessions = usedIn(b.Sessions, of, contract.LabelSession, "Dedicated")
	b.Rows = numbersIn(b.Rows, of, contract.LabelRows)
	b.Concurrency = numbersIn(b.Concurrency, of, contract.LabelConcurrency)
	return len(of) > 0
}

// numbersIn a list that a side has.
func numbersIn(list []int32, sides []map[string]string, label string) []int32 {
	return slices.DeleteFunc(list, func(n int32) bool {
		return !slices.ContainsFunc(sides, func(side map[string]string) bool { return cmp.Or(side[label], "1") == strconv.Itoa(int(n)) })
	})
}

// in says whether a list has the value of a label. Both may be absent, and have the default then.
func in[T ~string](list []T, value, otherwise string) bool {
	value = cmp.Or(value, otherwise)
	if len(list) == 0 {
		return value == otherwise
	}
	return slices.Contains(list, T(value))
}

func usedIn[T ~string](list []T, sides []map[string]string, label, otherwise string) []T {
	return slices.DeleteFunc(list, func(v T) bool {
		return !slices.ContainsFunc(sides, func(side map[string]string) bool { return cmp.Or(side[label], otherwise) == string(v) })
	})
}

func textsOf(rows []int32) (out []string) {
	for _, n := range rows {
		out = append(out, strconv.Itoa(int(n)))
	}
	return out
}
