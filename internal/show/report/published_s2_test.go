package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
)

// secondsOf are those of the units of the source of S2.
var secondsOf = map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}

// informixAsPrinted are the numbers of the source of S2: those of its table, and of its sentences those that are numbers of their own.
// means has the means alone, by benchmark.
func informixAsPrinted(t *testing.T) (all, means map[string]float64) {
	t.Helper()
	benchmarks := map[string]string{"`decode(int)` (per cell)": "decode(int) per cell", "`parse_tuple_payload(5 cols)` (per row)": "parse_tuple_payload(5 cols) per row",
		"`encode_param(int)` (per param)": "encode_param(int)", "`SELECT 1` round-trip": "SELECT 1 round-trip", "Pool acquire + tiny query + release": "pool acquire+tiny query+release",
		"Cold connect + close (login handshake)": "cold connect+close", "1000-row SELECT *": "1000-row SELECT *", "INSERT (single, prepared)": "INSERT single prepared",
		"`executemany(100)` autocommit=True": "executemany(100) autocommit", "`executemany(1000)` autocommit=True": "executemany(1000) autocommit",
		"`executemany(1000)` in single transaction": "executemany(1000) one txn"}
	text := sourceText(t, "informix.md")
	all, means = map[string]float64{}, map[string]float64{}
	put := func(name, unit, benchmark string, v float64) {
		all[quotedKey("run", name, unit, map[string]string{"benchmark": benchmark})] = v
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), "**", ""), " | ")
		benchmark := benchmarks[strings.TrimPrefix(cells[0], "| ")]
		if benchmark == "" {
			continue
		}
		mean, rate := strings.Fields(cells[1]), strings.Fields(strings.TrimSuffix(cells[2], "|"))
		means[benchmark] = numberIn(t, mean[0]) * secondsOf[mean[1]]
		if len(rate) == 2 && rate[1] == "rows/sec" {
			put("throughput.rows", "rows/s", benchmark, numberIn(t, rate[0]))
		} else {
			put("throughput", "ops/s", benchmark, numberIn(t, rate[0]))
		}
	}
	for benchmark, pattern := range map[string]string{"decode_varchar_utf8": "`decode_varchar_utf8` runs at\\s+(\\S+) (\\S+) ", "decode_varchar_short": "`decode_varchar_short` at (\\S+) (\\S+) "} {
		mean := found(t, text, pattern)
		means[benchmark] = numberIn(t, mean[0]) * secondsOf[mean[1]]
	}
	for benchmark, v := range means {
		put("latency.avg", "s", benchmark, v)
	}
	put("speedup", "1", "pool acquire over cold connect+close", numberIn(t, found(t, text, `Pool gives (\d+)× speedup`)[0]))
	put("speedup", "1", "executemany(1000) one txn over autocommit", numberIn(t, found(t, text, `That's a \*\*(\d+)× speedup`)[0]))
	return all, means
}

// S2 at full size: all 13 means, 11 rates and two headlines stand as they were printed, and seven of the means in ms, under names of
// something that every driver measures.
func TestS2AtFullSizeIsAboutWhatIsMeasured(t *testing.T) {
	in := publishedIn(t, fullSamples+"s2-python/full.yaml")
	printed, means := informixAsPrinted(t)
	if len(means) != 13 || len(printed) != 26 {
		t.Errorf("%d numbers are printed, %d of them means: want 26 with 13", len(printed), len(means))
	}
	if diff := cmp.Diff(printed, quotedBy(t, in, "published"), nearly); diff != "" {
		t.Errorf("(-printed +quoted):\n%s", diff)
	}
	label := func(pairs ...string) map[string]string { return value("", "", "", 0, pairs...).Labels }
	want := map[string]float64{}
	for benchmark, labels := range map[string]map[string]string{
		"cold connect+close":              label("operation", "Connect"),
		"SELECT 1 round-trip":             label("operation", "SelectOne", "scheme", "SingleRow"),
		"pool acquire+tiny query+release": label("operation", "SelectOne", "scheme", "SingleRow", "session", "Pool"),
		"INSERT single prepared":          label("operation", "Insert", "scheme", "Prepared", "transaction", "Autocommit", "rows", "1"),
		"executemany(100) autocommit":     label("operation", "Insert", "scheme", "Prepared", "transaction", "Autocommit", "rows", "100"),
		"executemany(1000) autocommit":    label("operation", "Insert", "scheme", "Prepared", "transaction", "Autocommit", "rows", "1000"),
		"executemany(1000) one txn":       label("operation", "Insert", "scheme", "Prepared", "transaction", "One", "rows", "1000"),
	} {
		want[quotedKey("run", "latency.avg", "ms", labels)] = 1000 * means[benchmark]
		for _, driver := range in.Run.Spec.Workload.Drivers.Drivers {
			full := maps.Clone(labels)
			full["driver"] = driver.Name
			if !slices.ContainsFunc(combinationsOf(t, in), func(c runner.Combination) bool { return maps.Equal(c.Labels, full) }) {
				t.Errorf("%s: nothing that the run measures is %v", benchmark, full)
			}
		}
	}
	if diff := cmp.Diff(want, quotedBy(t, in, "published-here"), nearly); diff != "" {
		t.Errorf("(-printed +quoted):\n%s", diff)
	}
}

func combinationsOf(t *testing.T, in Input) []runner.Combination {
	t.Helper()
	workload, err := json.Marshal(in.Run.Spec.Workload.Drivers)
	if err != nil {
		t.Fatal(err)
	}
	combinations, err := drivers.Runner().Combinations(workload)
	if err != nil {
		t.Fatal(err)
	}
	return combinations
}

// meanOf a driver: an entry of a run.
func meanOf(target, driver, median string, labels ...string) v1alpha1.SummaryEntry {
	return v1alpha1.SummaryEntry{Name: contract.NameLatencyAvg, Unit: "ms", Direction: string(contract.LowerIsBetter), Target: target, Median: median,
		Labels: value("", "", "", 0, append(labels, "driver", driver)...).Labels, TrialCount: 20, PlannedTrialCount: 20}
}

const s2Means = "latency.avg, ms: as published"

// Below a number of S2, whose driver nobody measures here, stand those of our drivers: each by name, or the lowest and the highest of many.
// A driver that does nothing is none of them.
func TestS2AtFullSizeJoins(t *testing.T) {
	in := publishedIn(t, fullSamples+"s2-python/full.yaml")
	in.Run.Spec.Workload.Drivers.Drivers = append(in.Run.Spec.Workload.Drivers.Drivers, v1alpha1.Driver{Language: "Python", Name: "null", As: "the harness"})
	in.Entries = []v1alpha1.SummaryEntry{meanOf("mariadb", "PyMySQL", "2", "operation", "Connect"), meanOf("mariadb", "PyMySQL", "9", "operation", "Encode"),
		meanOf("mariadb", "asyncmy", "1", "operation", "Connect"), meanOf("mysql", "PyMySQL", "3", "operation", "Connect"),
		meanOf("mysql", "the harness", "0.001", "operation", "Connect")}
	if got, want := belowOf(t, in, s2Means, "11.2"), []string{"here PyMySQL mariadb 2", "here asyncmy mariadb 1", "here PyMySQL mysql 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range 7 {
		in.Entries = append(in.Entries, meanOf("mysql", fmt.Sprint("driver", i), strconv.Itoa(4+i), "operation", "Connect"))
	}
	if got, want := belowOf(t, in, s2Means, "11.2"), []string{"here 1 to 10 (10 of drivers and servers)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What S2 declares is of the mean times that were published: their ratios stand below these, and a gate of mean:25% judges them.
func TestS2AtFullSizeComparesMeans(t *testing.T) {
	in := publishedIn(t, fullSamples+"s2-python/full.yaml")
	if in.Run.Spec.Gate.Threshold != "25%" || found(t, sourceText(t, "informix.md"), `--benchmark-compare-fail=(\S+)`)[0] != "mean:25%" {
		t.Errorf("the gate is of %s", in.Run.Spec.Gate.Threshold)
	}
	in.Comparisons = nil
	compare := func(factor, value, baseline, target, driver string, ratio float64, labels ...string) {
		name := contract.NameThroughput // what a comparison of drivers is of without measurements
		for _, c := range in.Run.Spec.Analysis.Comparisons {
			if c.Factor == factor && len(c.Measurements) == 1 {
				name = c.Measurements[0].Name
			}
		}
		if name != contract.NameLatencyAvg {
			t.Errorf("%s is compared in %s", factor, name)
		}
		without := meanOf(target, driver, "", labels...).Labels
		in.Entries = append(in.Entries, meanOf(target, driver, fmt.Sprint(1000*ratio), append(labels, factor, value)...), meanOf(target, driver, "1000", append(labels, factor, baseline)...))
		in.Comparisons = append(in.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: factor, Value: value, Baseline: baseline, Target: target, Labels: without,
			Name: name, Direction: string(contract.LowerIsBetter), Verdict: v1alpha1.VerdictFaster, Ratio: fmt.Sprint(ratio)})
	}
	for i, driver := range []string{"asyncmy", "mysql-connector-python"} {
		compare("transaction", "One", "Autocommit", "mysql", driver, 0.02*float64(i+1), "operation", "Insert", "scheme", "Prepared", "rows", "1000")
	}
	for i := range 10 {
		compare("session", "Pool", "New", "mysql", fmt.Sprint("driver", i), 0.01*float64(i+1), "operation", "SelectOne", "scheme", "SingleRow")
	}
	if got, want := belowOf(t, in, s2Means, "32"), []string{"0.0186x", "here asyncmy 20 (0.0200x)", "here mysql-connector-python 40 (0.0400x)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := belowOf(t, in, s2Means, "0.295"), []string{"here 10 to 100 (0.0100x to 0.100x; 10 of drivers and servers)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Nothing that was measured of the run stands below a number of a load, whatever its labels.
func TestAQuotedLoadHasNothingBelowIt(t *testing.T) {
	in := publishedIn(t, fullSamples+"s2-python/full.yaml")
	in.Entries = []v1alpha1.SummaryEntry{meanOf("mariadb", "PyMySQL", "2", "operation", "Connect"), meanOf("mariadb", "PyMySQL", "9", "operation", "Encode"), meanOf("mysql", "asyncmy", "1", "operation", "Connect")}
	if got := belowOf(t, in, s2Means, "11.2"); len(got) != 2 {
		t.Errorf("the run has %q", got)
	}
	for i := range in.Quoted {
		in.Quoted[i].Phases[0].Phase = "load"
	}
	if got := belowOf(t, in, s2Means, "11.2"); len(got) != 0 {
		t.Errorf("the load has %q below it", got)
	}
}
