package quoted

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var update = flag.Bool("update", false, "write the derived page")

// published measurements of a file, without any line that could not be read.
func published(t *testing.T, file string) []contract.Measurement {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	report := Table(text)
	if len(report.Problems) > 0 {
		t.Fatalf("%s: %+v", file, report.Problems)
	}
	return report.Measurements
}

func named(ms []contract.Measurement, name string) (out []contract.Measurement) {
	for _, m := range ms {
		if m.Name == name {
			out = append(out, m)
		}
	}
	return out
}

// labelled finds the value with the labels; each call names one.
func labelled(t *testing.T, ms []contract.Measurement, name string, labels map[string]string) float64 {
	t.Helper()
	for _, m := range ms {
		if m.Name == name && cmp.Equal(m.Labels, labels) {
			return *m.Value
		}
	}
	t.Fatalf("nobody published %s %v", name, labels)
	return 0
}

// TestSpeedUpsOfNewLife: all 108 speed-ups of S0 follow from its medians.
func TestSpeedUpsOfNewLife(t *testing.T) {
	ms := published(t, "newlife-quick.txt")
	medians, checked := named(ms, "latency.median"), 0
	for _, operation := range []string{"INSERT", "UPDATE", "DELETE"} {
		for _, r := range Against(medians, "scheme", "SingleRow "+operation) {
			want := fmt.Sprintf("%.1fx", labelled(t, ms, "speedup", r.Measurement.Labels))
			if got := asPrinted(r, 1); got != want {
				t.Errorf("%v: %s, printed is %s", r.Measurement.Labels, got, want)
			}
			checked++
		}
	}
	if checked != 108 {
		t.Errorf("%d speed-ups were checked, want 108", checked)
	}
}

// changesOfNode are the ratios of S3 against its baseline: mysql, and mysql2 where mysql has no figure.
func changesOfNode(t *testing.T) (ratios []Ratio, printed []float64) {
	t.Helper()
	ms := published(t, "node-drivers.txt")
	rates := named(ms, "throughput")
	all := Against(rates, "driver", "mysql")
	for _, r := range Against(rates, "driver", "mysql2") {
		if r.Measurement.Labels["benchmark"] == "select one mysql.user using execute" {
			all = append(all, r)
		}
	}
	for _, r := range all {
		if r.Speed != 1 {
			ratios = append(ratios, r)
			printed = append(printed, labelled(t, ms, "throughput.change", r.Measurement.Labels))
		}
	}
	return ratios, printed
}

// percent is how much faster, such as "+3.8 %", with so many decimals.
func percent(r Ratio, decimals int) string {
	text := rounded(100*(r.Speed-1), decimals)
	if r.Speed >= 1 {
		text = "+" + text
	}
	return text + " %"
}

// TestPercentagesOfNode: all 19 percentages of S3 follow from its rates, 18 of them to the digit, and
// one within what its rates were rounded by.
func TestPercentagesOfNode(t *testing.T) {
	ratios, printed := changesOfNode(t)
	var others []string
	for i, r := range ratios {
		got, want := percent(r, 1), fmt.Sprintf("%+.1f %%", printed[i])
		if got == want {
			continue
		}
		others = append(others, got+" for "+want)
		// The rates have one decimal: each may be 0.05 more or less.
		v, b := *r.Measurement.Value, *r.Baseline.Value
		low, high := 100*((v-0.05)/(b+0.05)-1), 100*((v+0.05)/(b-0.05)-1)
		if printed[i] < low || printed[i] > high {
			t.Errorf("%v: %s, printed is %s: its rates carry %.1f to %.1f", r.Measurement.Labels, got, want, low, high)
		}
	}
	if diff := cmp.Diff([]string{"+5100.6 % for +5101.9 %"}, others); diff != "" || len(ratios) != 19 {
		t.Errorf("%d percentages, not to the digit (-want +got):\n%s", len(ratios), diff)
	}
}

// claim is a published sentence with a number that the published numbers allow to compute.
type claim struct {
	source, sentence string
	// says is what the numbers say, and carried whether that is the sentence.
	says    string
	carried bool
	// alone: the text has no number that the sentence could be computed from.
	alone bool
}

// claims of the sources, computed from their published numbers.
func claims(t *testing.T) []claim {
	all := append(claimsOfNewLife(t), claimsOfInformix(t)...)
	ratios, printed := changesOfNode(t)
	exact := 0
	for i, r := range ratios {
		if percent(r, 1) == fmt.Sprintf("%+.1f %%", printed[i]) {
			exact++
		}
	}
	all = append(all, claim{"S3", "19 differences in percent beside the rates", fmt.Sprintf("%d of %d to the digit, +5,101.9 %% within the rounding of its rates", exact, len(ratios)), true, false})
	return append(all, claimsOfTencent(t)...)
}

func claimsOfNewLife(t *testing.T) []claim {
	quick, drivers := published(t, "newlife-quick.txt"), published(t, "newlife-drivers.txt")
	scheme := func(operation, name, rows string) float64 {
		return labelled(t, quick, "latency.median", map[string]string{"operation": operation, "scheme": name, "rows": rows})
	}
	of := func(operation, driver, rows string) float64 {
		return labelled(t, drivers, "latency.median", map[string]string{"operation": operation, "driver": driver, "rows": rows})
	}
	times := func(slow, fast float64) string { return asPrinted(Ratio{Speed: slow / fast}, 1) }
	slower := func(a, b float64) string { return percent(Ratio{Speed: a / b}, 0) + " time" }
	best := func(operation, rows string) float64 {
		return scheme(operation, "ExecuteArrayBatch+Pipeline"+suffix(operation), rows)
	}
	rivals := func(operation, rows string) float64 {
		return math.Min(of(operation, "Official Batch(tx)", rows), of(operation, "Connector Batch(tx)", rows))
	}
	return []claim{
		{"S0", "108 speed-ups against the single row", "all 108, to the digit", true, false},
		is("S0", "INSERT of 10,000 rows in 680 ms: 4.6x the single row", "4.6x", times(scheme("INSERT", "SingleRow INSERT", "10000"), best("INSERT", "10000"))),
		is("S0", "INSERT of 10,000 rows in 680 ms: 2.1x the best competitor", "2.1x", times(rivals("INSERT", "10000"), best("INSERT", "10000")),
			", and "+times(rivals("INSERT", "10000"), of("INSERT", "NewLife Pipeline(tx)", "10000"))+" by the 899 ms of the other experiment"),
		is("S0", "UPDATE of 10,000 rows in 710 ms: 4.6x the single row", "4.6x", times(of("UPDATE", "NewLife SingleRow", "10000"), of("UPDATE", "NewLife Pipeline(tx)", "10000"))),
		is("S0", "UPDATE of 10,000 rows in 710 ms: 2.9x the best competitor", "2.9x", times(rivals("UPDATE", "10000"), of("UPDATE", "NewLife Pipeline(tx)", "10000"))),
		is("S0", "DELETE of 10,000 rows in 661 ms: 5.0x the single row", "5.0x", times(of("DELETE", "NewLife SingleRow", "10000"), of("DELETE", "NewLife Pipeline(tx)", "10000")),
			"; 5.0x is the other experiment's, of 673 ms"),
		is("S0", "DELETE of 10,000 rows in 661 ms: 2.7x the best competitor", "2.7x", times(rivals("DELETE", "10000"), of("DELETE", "NewLife Pipeline(tx)", "10000"))),
		is("S0", "INSERT of 100 rows: 1.6x the best competitor", "1.6x", times(rivals("INSERT", "100"), of("INSERT", "NewLife Pipeline(tx)", "100"))),
		{"S0", "single-row INSERT: NewLife and Connector are close, both better than Official", slower(of("INSERT", "NewLife SingleRow", "10000"), of("INSERT", "Connector SingleRow", "10000")) +
			" against Connector with 10,000 rows, " + slower(of("INSERT", "NewLife SingleRow", "100"), of("INSERT", "Connector SingleRow", "100")) + " with 100", false, false},
		{"S0", "SELECT of 100 to 1,000 rows is close to Connector", slower(of("SELECT", "NewLife SingleRow", "1000"), of("SELECT", "Connector SingleRow", "1000")) + " with 1,000 rows", false, false},
		{"S0", "SELECT is slightly better than Official", slower(of("SELECT", "NewLife SingleRow", "10000"), of("SELECT", "Official SingleRow", "10000")) + " with 10,000 rows", false, false},
		{"S0", "speed-ups of UPDATE are generally higher than of INSERT", "with 1,000 rows the best of INSERT is " + times(scheme("INSERT", "SingleRow INSERT", "1000"), best("INSERT", "1000")) +
			", of UPDATE " + times(scheme("UPDATE", "SingleRow UPDATE", "1000"), best("UPDATE", "1000")), false, false},
		is("S0", "DbBatch inserts at 2.0x to 2.6x", "2.0x", times(scheme("INSERT", "SingleRow INSERT", "100"), scheme("INSERT", "DbBatch API", "100")), " with 100 rows"),
	}
}

// suffix of the names of schemes in a transaction: those of INSERT do not name it.
func suffix(operation string) string {
	if operation == "INSERT" {
		return " (tx)"
	}
	return " " + operation + " (tx)"
}

// is a claim of a figure.
func is(source, sentence, printed, computed string, more ...string) claim {
	return claim{source, sentence, computed + strings.Join(more, ""), printed == computed, false}
}

func claimsOfInformix(t *testing.T) []claim {
	ms := published(t, "informix.txt")
	of := func(name string) float64 { return labelled(t, ms, "latency.avg", map[string]string{"benchmark": name}) }
	times := func(slow, fast float64) string { return asPrinted(Ratio{Speed: slow / fast}, 0) }
	return []claim{
		{"S2", "one transaction is 53x autocommit", fmt.Sprintf("%.2f, cut off", of("executemany(1000) autocommit")/of("executemany(1000) one txn")),
			math.Floor(of("executemany(1000) autocommit")/of("executemany(1000) one txn")) == 53, false},
		is("S2", "a pool is 72x a cold connection", "72x", times(of("cold connect+close"), of("pool acquire+tiny query+release")), ", or "+
			times(of("cold connect+close"), of("SELECT 1 round-trip"))+" by the round trip"),
		is("S2", "decoding a row is 1000x faster than a round trip", "1000x", times(of("SELECT 1 round-trip"), of("parse_tuple_payload(5 cols) per row"))),
		{"S2", "UTF-8 carries no measurable cost", percent(Ratio{Speed: of("decode_varchar_utf8") / of("decode_varchar_short")}, 0) + " time", false, false},
		{"S2", "SELECT of 1,000 rows takes 1.56 ms", fmt.Sprintf("decoding them takes %.2f ms", 1e6*of("parse_tuple_payload(5 cols) per row")), 1000*of("parse_tuple_payload(5 cols) per row") <= of("1000-row SELECT *"), false},
	}
}

func claimsOfTencent(t *testing.T) []claim {
	ratios := map[string]Ratio{}
	mean := 0.0
	for _, r := range Against(published(t, "tencent.txt"), "architecture", "old") {
		if r.Measurement.Labels["architecture"] == "new" {
			ratios[r.Measurement.Labels["workload"]] = r
			mean += r.Speed / 3
		}
	}
	nothing := "the charts have no numbers"
	return []claim{
		{"S4", "writes: +20 % with 512 threads", percent(ratios["oltp_write_only"], 0) + " is the figure itself: " + nothing, false, true},
		{"S4", "reads: +22 % with 16 threads", percent(ratios["oltp_read_only"], 0) + " is the figure itself: " + nothing, false, true},
		{"S4", "writes peak at 256 threads", nothing, false, true},
		{"S4", "at least 20 % on average, in all three workloads", fmt.Sprintf("%s over the three stated figures; reads and writes together have %s at their maximum",
			percent(Ratio{Speed: mean}, 0), percent(ratios["oltp_read_write"], 0)), ratios["oltp_read_write"].Speed >= 1.2, false},
	}
}

const claimsPage = "../../../docs/evidence/published-claims.md"

// TestPublishedClaims: which published sentences their own numbers carry. The page is derived.
func TestPublishedClaims(t *testing.T) {
	var b bytes.Buffer
	all := claims(t)
	carried, alone := 0, 0
	var rows []string
	for _, c := range all {
		word := "**no**"
		switch {
		case c.carried:
			word = "yes"
			carried++
		case c.alone:
			word = "nothing to compute it from"
			alone++
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", c.source, c.sentence, c.says, word))
	}
	fmt.Fprintf(&b, `# Published sentences and their numbers

<!-- Derived from internal/trial/quoted/claims_test.go by `+"`go test ./internal/trial/quoted -run Claims -update`"+`. Do not edit. -->

The numbers that the [sources](traps.md) published were read as quoted tables (internal/trial/quoted/testdata), and their ratios and
percentages computed again (internal/trial/quoted.Against). Of %d sentences, %d
follow from the published numbers, %d do not, and for %d there are none. No statistical test is involved: only
S3 prints margins, of rounds in one process, and without the rounds there is nothing to test.

| | sentence | what its numbers say | carried |
| --- | --- | --- | --- |
%s
`, len(all), carried, len(all)-carried-alone, alone, strings.Join(rows, "\n"))
	if *update {
		if err := os.WriteFile(claimsPage, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(claimsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s is not up to date (-file +derived):\n%s", claimsPage, diff)
	}
}

// asPrinted is how many times as fast, such as "21.0x", with so many decimals.
func asPrinted(r Ratio, decimals int) string { return rounded(r.Speed, decimals) + "x" }

// rounded half away from zero, as published tables are.
func rounded(v float64, decimals int) string {
	scale := math.Pow(10, float64(decimals))
	// 2.25 may be stored as slightly less.
	return strconv.FormatFloat(math.Round(v*scale*(1+1e-12))/scale, 'f', decimals, 64)
}
