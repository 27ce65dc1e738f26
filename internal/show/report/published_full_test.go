package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/runners/drivers"
	"github.com/assay-bench/assay/runners/runner"
)

// fullSamples are the published experiments at full size.
const fullSamples = "../../../config/samples/published/"

// quotedBy a published target: its numbers by phase, measurement, unit and labels.
func quotedBy(t *testing.T, in Input, target string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, numbers := range in.Quoted {
		if numbers.Target != target {
			continue
		}
		for _, phase := range numbers.Phases {
			for _, m := range phase.Measurements {
				key := quotedKey(phase.Phase, m.Name, m.Unit, m.Labels)
				if _, has := out[key]; has {
					t.Errorf("%s has %s twice", target, key)
				}
				out[key] = *m.Value
			}
		}
	}
	if len(out) == 0 {
		t.Errorf("nothing is quoted as %s", target)
	}
	return out
}

func quotedKey(phase, name, unit string, labels map[string]string) string {
	return fmt.Sprintf("%s %s %s %v", phase, name, unit, labels)
}

// nearly: a number of other units has another last digit.
var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) })

// ycsbAsPrinted are the outputs of the publication by server and phase, from its page.
func ycsbAsPrinted(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../../runners/ycsb/testdata/published.md")
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string]string{"MyTopling": "mytopling", "Azure SQL": "azure", "MyRocks": "myrocks", "PolarDB": "polardb"}
	out := map[string]map[string]string{}
	for _, part := range regexp.MustCompile(`(?m)^####\s+`).Split(string(page), -1)[1:] {
		title, text, _ := strings.Cut(part, "\n")
		server := servers[strings.TrimSpace(title)]
		if server == "" {
			continue
		}
		out[server] = map[string]string{}
		for _, m := range regexp.MustCompile("(?s)\\*\\*(load|run)\\*\\*.*?```\n(.*?)```").FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[2], "[") { // the load of Azure SQL is "unknown"
				out[server][m[1]] = m[2]
			}
		}
	}
	return out
}

// ycsbHere are the numbers of a phase that have names here, as they stand in the table of a sample: latencies in ms.
func ycsbHere(t *testing.T, printed map[string]map[string]string, phase string) map[string]float64 {
	t.Helper()
	names := map[string]string{"AverageLatency(us)": "latency.avg", "MinLatency(us)": "latency.min", "MaxLatency(us)": "latency.max",
		"95thPercentileLatency(us)": "95", "99thPercentileLatency(us)": "99"}
	out := map[string]float64{}
	for server, phases := range printed {
		for line := range strings.Lines(phases[phase]) {
			fields := strings.Split(strings.TrimSpace(line), ", ")
			metric, measure := strings.ToLower(strings.Trim(fields[0], "[]")), strings.TrimPrefix(fields[1], "*")
			v, err := strconv.ParseFloat(fields[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			labels := map[string]string{"target": server}
			switch name := names[measure]; {
			case measure == "Throughput(ops/sec)":
				out[quotedKey("run", "throughput", "ops/s", labels)] = v
			case name == "" || metric == "cleanup":
			case name[0] == '9':
				labels["operation"], labels["p"] = metric, name
				out[quotedKey("run", "latency.percentile", "ms", labels)] = v / 1000
			default:
				labels["operation"] = metric
				out[quotedKey("run", name, "ms", labels)] = v / 1000
			}
		}
	}
	return out
}

// S1 at full size: the outputs stand as they were printed, and each number that has a name here in the table that joins. What was not
// published is in neither.
func TestS1AtFullSizeHasWhatWasPrinted(t *testing.T) {
	printed := ycsbAsPrinted(t)
	if len(printed) != 4 || printed["azure"]["load"] != "" || printed["azure"]["run"] == "" {
		t.Fatalf("the page has %d servers", len(printed))
	}
	for file, phase := range map[string]string{"full": "run", "load": "load"} {
		want := ycsbHere(t, printed, phase)
		in := publishedIn(t, fullSamples+"s1-ycsb/"+file+".yaml")
		if n := map[string]int{"run": 44, "load": 18}[phase]; len(want) != n {
			t.Errorf("%s: %d numbers are printed, want %d", phase, len(want), n)
		}
		if diff := cmp.Diff(want, quotedBy(t, in, "published"), nearly); diff != "" {
			t.Errorf("%s (-printed +quoted):\n%s", file, diff)
		}
	}
	for file, servers := range map[string][]string{"full": {"mytopling", "myrocks", "polardb"}, "azure": {"azure"}} {
		text, err := os.ReadFile(fullSamples + "s1-ycsb/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, server := range servers {
			var want strings.Builder
			fmt.Fprintf(&want, "metadata: {name: published-%s}\ndata:\n", server)
			for _, phase := range []string{"load", "run"} {
				if output := printed[server][phase]; output != "" {
					fmt.Fprintf(&want, "  %s: |\n", phase)
					for line := range strings.Lines(output) {
						want.WriteString("    " + strings.TrimSpace(line) + "\n")
					}
				}
			}
			if !strings.Contains(string(text), want.String()+"---\n") {
				t.Errorf("%s.yaml has not what was printed of %s:\n%s", file, server, want.String())
			}
		}
	}
}

// Of the servers of S1, the published number and ours stand on one line, each with its ratio to MyTopling.
func TestS1AtFullSizeJoins(t *testing.T) {
	in := publishedIn(t, fullSamples+"s1-ycsb/full.yaml")
	in.Comparisons = nil
	for target, v := range map[string]float64{"mytopling": 100, "polardb": 90, "innodb": 80, "myrocks": 60} {
		in.Entries = append(in.Entries, v1alpha1.SummaryEntry{Name: contract.NameThroughput, Unit: "ops/s", Direction: string(contract.HigherIsBetter), Target: target,
			Median: fmt.Sprint(v), TrialCount: 12, PlannedTrialCount: 12})
		if target != "mytopling" {
			in.Comparisons = append(in.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "target", Value: target, Baseline: "mytopling",
				Name: contract.NameThroughput, Direction: v1alpha1.Direction(contract.HigherIsBetter), Verdict: v1alpha1.VerdictSlower, Ratio: fmt.Sprint(v / 100)})
		}
	}
	tables, _ := tablesOf(sectionOf(t, in, "quoted"), "throughput, ops/s: as published")
	got := map[string]string{}
	for _, one := range tables {
		for _, row := range one.Rows {
			if len(row) == 2 {
				got[row[0].Text] = fmt.Sprintf("%s %s", row[1].Text, row[1].Below)
			}
		}
	}
	for server, want := range map[string]string{"mytopling": "23,438 [here 100]", "polardb": "21,349 [-8.9 % here 90 (-10 %)]", "myrocks": "13,957 [-40 % here 60 (0.600x)]", "azure": "9,175 [-61 %]"} {
		if got[server] != want {
			t.Errorf("%s: got %q, want %q of %q", server, got[server], want, got)
		}
	}
}

// S2 at full size: all 13 means and 11 rates stand as they were printed, and seven of the means in ms, under names of something that
// every driver measures.
func TestS2AtFullSizeIsAboutWhatIsMeasured(t *testing.T) {
	in := publishedIn(t, fullSamples+"s2-python/full.yaml")
	text, err := os.ReadFile("../../trial/quoted/testdata/informix.txt")
	if err != nil {
		t.Fatal(err)
	}
	printed, means := quotedBy(t, in, "published"), map[string]float64{}
	for _, m := range quoted.Table(text).Measurements {
		means[m.Labels["benchmark"]] = *m.Value
	}
	if len(means) != 13 || len(printed) != 24 {
		t.Errorf("got %d of %d means, want 24 numbers with 13 means", len(printed), len(means))
	}
	for benchmark, v := range means {
		if got := printed[quotedKey("run", "latency.avg", "s", map[string]string{"benchmark": benchmark})]; got != v {
			t.Errorf("%s: got %v, want %v", benchmark, got, v)
		}
	}
	for benchmark, rate := range map[string]float64{"decode(int) per cell": 5500000, "parse_tuple_payload(5 cols) per row": 350000, "encode_param(int)": 9700000,
		"SELECT 1 round-trip": 5650, "pool acquire+tiny query+release": 3400, "cold connect+close": 89, "1000-row SELECT *": 640, "INSERT single prepared": 530} {
		if got := printed[quotedKey("run", "throughput", "ops/s", map[string]string{"benchmark": benchmark})]; got != rate {
			t.Errorf("rate of %s: got %v, want %v", benchmark, got, rate)
		}
	}
	for benchmark, rate := range map[string]float64{"executemany(100) autocommit": 550, "executemany(1000) autocommit": 580, "executemany(1000) one txn": 31000} {
		if got := printed[quotedKey("run", "throughput.rows", "rows/s", map[string]string{"benchmark": benchmark})]; got != rate {
			t.Errorf("rate of %s: got %v, want %v", benchmark, got, rate)
		}
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

// Below a number of S2, whose driver nobody measures here, stand those of our drivers: each by name, or the lowest and the highest of many.
func TestS2AtFullSizeJoins(t *testing.T) {
	in := publishedIn(t, fullSamples+"s2-python/full.yaml")
	entry := func(target, driver, operation, median string) v1alpha1.SummaryEntry {
		return v1alpha1.SummaryEntry{Name: contract.NameLatencyAvg, Unit: "ms", Direction: string(contract.LowerIsBetter), Target: target, Median: median,
			Labels: map[string]string{"driver": driver, "operation": operation}, TrialCount: 20, PlannedTrialCount: 20}
	}
	below := func() []string {
		tables, _ := tablesOf(sectionOf(t, in, "quoted"), "latency.avg, ms: as published")
		for _, one := range tables {
			for _, row := range one.Rows {
				if row[0].Text == "Connect" {
					return row[1].Below
				}
			}
		}
		t.Fatalf("no row of Connect in %d tables", len(tables))
		return nil
	}
	in.Entries = []v1alpha1.SummaryEntry{entry("mariadb", "PyMySQL", "Connect", "2"), entry("mariadb", "PyMySQL", "Encode", "9"),
		entry("mariadb", "asyncmy", "Connect", "1"), entry("mysql", "PyMySQL", "Connect", "3")}
	if got, want := below(), []string{"here PyMySQL mariadb 2", "here asyncmy mariadb 1", "here PyMySQL mysql 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range 7 {
		in.Entries = append(in.Entries, entry("mysql", fmt.Sprint("driver", i), "Connect", strconv.Itoa(4+i)))
	}
	if got, want := below(), []string{"here 1 to 10 (10 of drivers and servers)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// S4 at full size: the figures of its text, each of a cell that the run measures, and below each the ratio that this run has measured.
func TestS4AtFullSizeJoins(t *testing.T) {
	in := publishedIn(t, fullSamples+"s4-sweep/full.yaml")
	text, err := os.ReadFile("../../trial/quoted/testdata/tencent.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		// "256 threads have the highest QPS", "after 512 it declines", "from 64 on the rise is flat".
		quotedKey("run", "sweep.peak", "threads", map[string]string{"test": "oltp_write_only", "target": "new"}): 256,
		quotedKey("run", "sweep.peak", "threads", map[string]string{"test": "oltp_read_write", "target": "new"}): 512,
		quotedKey("run", "sweep.knee", "threads", map[string]string{"test": "oltp_read_only", "target": "new"}):  64,
	}
	for _, m := range quoted.Table(text).Measurements {
		cell := map[string]string{"test": m.Labels["workload"], "threads": m.Labels["threads"], "skipTrx": strconv.FormatBool(m.Labels["workload"] == "oltp_read_only")}
		if excluded(in.Run.Spec, cell) {
			t.Errorf("the run does not measure %v", cell)
		}
		cell["target"] = m.Labels["architecture"]
		want[quotedKey("run", "queries", "%", cell)] = *m.Value
		e := v1alpha1.SummaryEntry{Name: contract.NameQueries, Unit: "queries/s", Direction: string(contract.HigherIsBetter), Target: cell["target"], Median: "1000",
			Parameters: map[string]intstr.IntOrString{}, TrialCount: 12, PlannedTrialCount: 12}
		for _, axis := range []string{"test", "threads", "skipTrx"} {
			e.Parameters[axis] = intstr.Parse(cell[axis])
		}
		in.Entries = append(in.Entries, e)
		if cell["target"] == "new" {
			in.Comparisons = append(in.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: "target", Value: "new", Baseline: "old", Parameters: e.Parameters,
				Name: contract.NameQueries, Direction: v1alpha1.Direction(contract.HigherIsBetter), Verdict: v1alpha1.VerdictFaster, Ratio: "1.14"})
		}
	}
	if diff := cmp.Diff(want, quotedBy(t, in, "published")); diff != "" || len(want) != 9 {
		t.Errorf("%d (-printed +quoted):\n%s", len(want), diff)
	}
	in.Comparisons = in.Comparisons[1:] // that of publishedIn has no name
	tables, _ := tablesOf(sectionOf(t, in, "quoted"), "queries, %: as published")
	joined := 0
	for _, one := range tables {
		for _, row := range one.Rows {
			for _, c := range row[1:] {
				if slices.Equal(c.Below, []string{"here +14 %"}) && c.Text != "100" {
					joined++
				} else if len(c.Below) > 0 {
					t.Errorf("%s: %s has %q below it", row[0].Text, c.Text, c.Below)
				}
			}
		}
	}
	if joined != 3 {
		t.Errorf("%d figures of the new network have ours below them, want 3: %+v", joined, tables)
	}
}

// excluded says whether a cell is none of the run: a value that its axis has not, or an exclusion.
func excluded(spec v1alpha1.BenchmarkRunSpec, cell map[string]string) bool {
	for _, axis := range spec.Matrix {
		if !slices.ContainsFunc(axis.Values, func(v intstr.IntOrString) bool { return v.String() == cell[axis.Name] }) {
			return true
		}
	}
	return slices.ContainsFunc(spec.Exclude, func(e v1alpha1.Exclusion) bool {
		for name, v := range e {
			if cell[name] != v.String() {
				return false
			}
		}
		return true
	})
}
