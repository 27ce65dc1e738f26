package report

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

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
			case measure == "RunTime(ms)" && phase == "load":
				out[quotedKey("run", "time.total", "ms", labels)] = v
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
		if n := map[string]int{"run": 44, "load": 21}[phase]; len(want) != n {
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
				Name: contract.NameThroughput, Direction: string(contract.HigherIsBetter), Verdict: v1alpha1.VerdictSlower, Ratio: fmt.Sprint(v / 100)})
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

// Two publications of one server have a table each, and what has no table says of which publication it is.
func TestTablesOfServersKeepTheirSource(t *testing.T) {
	in := publishedIn(t, fullSamples+"s1-ycsb/full.yaml")
	other := in.Quoted[len(in.Quoted)-1]
	other.Target = "other"
	in.Quoted = []quoted.Numbers{in.Quoted[len(in.Quoted)-1], other}
	for i := range in.Quoted {
		in.Quoted[i].Format = "YCSB" // of which a tool's lowest and highest latencies have no table
	}
	headings, sources := map[string]int{}, map[string]int{}
	for _, b := range sectionOf(t, in, "quoted").Blocks {
		if strings.HasPrefix(b.Heading, "Published: throughput") {
			headings[b.Heading]++
		}
		if b.Table == nil {
			continue
		}
		if b.Table.Folded && len(b.Table.Head) == 5 {
			for _, row := range b.Table.Rows {
				sources[row[1].Text]++
			}
		}
		if strings.Contains(b.Table.Caption, "throughput, ops/s: as published") && len(b.Table.Rows) != 4 {
			t.Errorf("a table has %d servers, want 4", len(b.Table.Rows))
		}
	}
	if diff := cmp.Diff(map[string]int{"Published: throughput, ops/s, from published": 1, "Published: throughput, ops/s, from other": 1}, headings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(sources) != 2 || sources["published"] < 16 || sources["other"] < 16 {
		t.Errorf("the numbers without a table are of %v", sources)
	}
}
