package report

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/trial/quoted"
)

var (
	// nodeRaw is a line that benchmark.js prints when it has measured: benchmark, driver or warm-up, rate, margin, runs sampled.
	nodeRaw = regexp.MustCompile(`(?m)^(.+) - (warmup|mysql2?|mariadb) x (\S+) ops/sec ±(\S+)% \((\d+) runs sampled\)$`)
	// nodeBench begins the results of a benchmark, and nodeResult is one of them: driver, rate, margin, and the difference if there is one.
	nodeBench  = regexp.MustCompile(`^bench : (.+?) \[ sql: `)
	nodeResult = regexp.MustCompile(`^ +(mysql2?|mariadb) : +(\S+) ops/s ±(\S+)% *(?:\( *([+-]\S+)% \))?$`)
)

// nodeAsPrinted are the numbers of the source of S3 as they stand in the manifest, and of them the rates by "benchmark: driver".
func nodeAsPrinted(t *testing.T) (all, rates map[string]float64) {
	t.Helper()
	text := sourceText(t, "node.md")
	all, rates = map[string]float64{}, map[string]float64{}
	put := func(name, unit, benchmark, driver, printed string) float64 {
		v := numberIn(t, strings.TrimPrefix(printed, "+"))
		if name == "throughput.margin" { // of 16 digits
			v = numberIn(t, strconv.FormatFloat(v, 'f', 3, 64))
		}
		all[quotedKey("run", name, unit, map[string]string{"benchmark": benchmark, "driver": driver})] = v
		return v
	}
	for _, m := range nodeRaw.FindAllStringSubmatch(text, -1) {
		benchmark, driver := m[1], m[2]
		if driver != "warmup" {
			put("throughput.samples", "1", benchmark, driver, m[5])
			continue
		}
		put("warmup.throughput", "ops/s", benchmark, "mariadb", m[3])
		put("warmup.margin", "%", benchmark, "mariadb", m[4])
		put("warmup.samples", "1", benchmark, "mariadb", m[5])
	}
	benchmark := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := nodeBench.FindStringSubmatch(line); m != nil {
			benchmark = m[1]
		}
		m := nodeResult.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rates[benchmark+": "+m[1]] = put("throughput", "ops/s", benchmark, m[1], m[2])
		put("throughput.margin", "%", benchmark, m[1], m[3])
		if m[4] != "" {
			put("throughput.change", "%", benchmark, m[1], m[4])
		}
	}
	return all, rates
}

// nodeHere has the labels here of a benchmark of S3. The batch of mariadb stands where the others have a loop.
func nodeHere(benchmark, driver string) map[string]string {
	insert := func(operation, scheme, rows string) []string {
		return []string{"operation", operation, "scheme", scheme, "transaction", "Autocommit", "rows", rows, "storageEngine", "BLACKHOLE"}
	}
	batch := "SingleRow"
	if driver == "mariadb" {
		batch = "Batch"
	}
	labels := map[string][]string{
		"do <random number>":                     {"operation", "Do", "scheme", "SingleRow"},
		"insert 10 parameters of 100 characters": insert("InsertTexts", "SingleRow", "1"),
		"100 * insert 100 characters using batch method (for mariadb) or loop for other driver (batch doesn't exists)": insert("InsertText", batch, "100"),
		"insert 100 characters pipelining":    insert("InsertText", "SingleRow", "1"),
		"select collations":                   {"operation", "SelectCollations", "scheme", "SingleRow"},
		"select one mysql.user":               {"operation", "SelectWide", "scheme", "SingleRow"},
		"select one mysql.user using execute": {"operation", "SelectWide", "scheme", "Prepared"},
		"select one mysql.user using pool":    {"operation", "SelectWide", "scheme", "SingleRow", "session", "Pool"},
		// select_one_user_pool_random.js: through the pool, which its title does not say.
		"select one mysql.user and a random number [no caching client side]": {"operation", "SelectWideUncached", "scheme", "SingleRow", "session", "Pool"},
		"select random number": {"operation", "SelectParameter", "scheme", "SingleRow"},
	}[benchmark]
	return value("", "", "", 0, append(labels, "driver", driver)...).Labels
}

// S3 at full size: the rates, margins, percentages and runs of its results stand as they were printed, the warm-up too, and each rate once more under
// the names of what was done.
func TestS3AtFullSizeHasWhatWasPrinted(t *testing.T) {
	in := publishedIn(t, fullSamples+"s3-node/full.yaml")
	printed, rates := nodeAsPrinted(t)
	if len(printed) != 136 || len(rates) != 29 {
		t.Errorf("%d numbers are printed, %d of them rates: want 136 with 29", len(printed), len(rates))
	}
	if diff := cmp.Diff(printed, quotedBy(t, in, "published")); diff != "" {
		t.Errorf("(-printed +quoted):\n%s", diff)
	}
	want := map[string]float64{}
	for of, rate := range rates {
		at := strings.LastIndex(of, ": ")
		want[quotedKey("run", "throughput", "ops/s", nodeHere(of[:at], of[at+2:]))] = rate
	}
	if diff := cmp.Diff(want, quotedBy(t, in, "published-here")); diff != "" || len(want) != 29 {
		t.Errorf("%d rates (-printed +quoted):\n%s", len(want), diff)
	}
	files := found(t, sourceText(t, "node.md"), `(?s)trace: false\n}\n(.*?)driver for `)[0]
	if n := strings.Count(files, "benchmark: ./benchs/"); n != 10 || !strings.Contains(files, "select_one_user_pool_random.js") || strings.Contains(files, "select_one_user_random.js") {
		t.Errorf("the source ran %d files:\n%s", n, files)
	}
}

// Each rate of S3 has ours below it, with the ratio that was published and ours where the run compares it: also execute(), which mysql has
// not, and the batch of mariadb against the loop of mysql, which is the headline.
func TestS3AtFullSizeJoins(t *testing.T) {
	m, published, _, _ := numbersOf(t)
	in := m.input(t)
	in.Quoted = slices.DeleteFunc(slices.Clone(published.Quoted), func(n quoted.Numbers) bool { return n.Target != "published-here" })
	both := in
	both.Quoted = published.Quoted
	if all, with := cellsOf(t, both); all != 58 || with != 29 {
		t.Errorf("of both tables %d rates stand there, %d with ours: want 58 with 29", all, with)
	}
	joined := 0
	tables, _ := tablesOf(sectionOf(t, in, "quoted"), "throughput, ops/s: as published")
	for _, one := range tables {
		for _, row := range one.Rows {
			for i, c := range row[1:] {
				if c.Text == "" || c.Text == "–" {
					continue
				}
				if joined++; len(c.Below) == 0 || !strings.HasPrefix(c.Below[len(c.Below)-1], "here ") {
					t.Errorf("%s, %s %s: ours is not below it: %q", one.Caption, row[0].Text, one.Head[i+1].Name, c.Below)
				}
			}
		}
	}
	if joined != 29 {
		t.Errorf("%d numbers stand in %d tables, want 29", joined, len(tables))
	}
	for number, want := range map[string][2]string{
		"2,449.5": {"52.0x against mysql with scheme SingleRow", " against mysql with scheme SingleRow)"},
		"2,650.7": {"+17 % against mysql2", " against mysql2)"},
		"5,009.2": {"+3.8 %", " %)"},
		"4,826.5": {"", ""}, // the baseline
		"2,257.5": {"", ""}, // that of execute()
		"4,174.5": {"-14 %", " %)"},
		"44.3":    {"-5.9 %", " %)"},
		"1,554.9": {"+47 %", "x)"},
	} {
		below := belowOf(t, in, "throughput, ops/s: as published", number)
		theirs := strings.Join(below[:len(below)-1], " ")
		if ours := below[len(below)-1]; theirs != want[0] || !strings.HasSuffix(ours, want[1]) || strings.Contains(ours, "(") != (want[1] != "") {
			t.Errorf("%s: got %q, want %q and ours with %q", number, below, want[0], want[1])
		}
	}
}

// cellsOf the published rates, and how many have ours below them.
func cellsOf(t *testing.T, in Input) (all, with int) {
	t.Helper()
	tables, _ := tablesOf(sectionOf(t, in, "quoted"), "throughput, ops/s")
	for _, one := range tables {
		if strings.HasPrefix(one.Caption, "warmup.") {
			continue
		}
		for _, row := range one.Rows {
			for _, c := range row[1:] {
				if c.Text == "" || c.Text == "–" {
					continue
				}
				all++
				if slices.ContainsFunc(c.Below, func(text string) bool { return strings.HasPrefix(text, "here ") }) {
					with++
				}
			}
		}
	}
	return all, with
}

// The versions of S3 are those of the source, and the image has them. That of mariadb was a candidate, which is not in the registry: the
// manifest has a release that is a year newer, which is the one exception.
func TestS3HasTheVersionsOfItsSource(t *testing.T) {
	text := sourceText(t, "node.md")
	if of := found(t, text, `(?m)^> mariadb@(\S+) benchmark$`)[0]; of != "3.0.1-rc" {
		t.Errorf("the source has mariadb %s", of)
	}
	want := map[string]string{"mariadb": "3.0.1"}
	for _, name := range []string{"mysql2", "promise-mysql"} {
		want[name] = found(t, text, `(?m)^\* \[\*\*`+name+`\*\*\].*: version (\S+)\s*$`)[0]
	}
	got := map[string]string{}
	for _, d := range publishedIn(t, fullSamples+"s3-node/full.yaml").Run.Spec.Workload.Drivers.Drivers {
		got[d.Name] = d.Version
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-source +manifest):\n%s", diff)
	}
	data, err := os.ReadFile("../../../harness/node/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var image struct{ Dependencies map[string]string }
	if err := json.Unmarshal(data, &image); err != nil {
		t.Fatal(err)
	}
	for name, version := range want {
		if pkg := fmt.Sprintf("npm:%s@%s", name, version); image.Dependencies[name+"-"+version] != pkg {
			t.Errorf("the image has not %s: %v", pkg, image.Dependencies)
		}
	}
	if mysql := found(t, text, `(?m)^\* \[\*\*mysql\*\*\].*: version (\S+)\s*$`)[0]; image.Dependencies["mysql"] != mysql {
		t.Errorf("promise-mysql of the image calls mysql %s, want %s", image.Dependencies["mysql"], mysql)
	}
}
