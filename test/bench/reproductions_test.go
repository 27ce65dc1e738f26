package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/harnesses"
)

// claim is a published ratio of two rates, and the two measurements that repeat it.
type claim struct {
	// text as it was published, in short; ratio is the figure, or 0 where there is none.
	text  string
	ratio float64
	// of and to are labels: of/to is the ratio. name is the measurement, the rate of
	// operations unless it says otherwise.
	of, to labels
	name   string
}

type labels map[string]string

// with is a copy with more labels, given as key=value.
func (l labels) with(more ...string) labels {
	out := labels{}
	for k, v := range l {
		out[k] = v
	}
	for _, m := range more {
		k, v, _ := strings.Cut(m, "=")
		out[k] = v
	}
	return out
}

// operation is the labels of an operation of one row in autocommit, as the runner gives them.
func operation(name string, more ...string) labels {
	return labels{contract.LabelOperation: name, contract.LabelScheme: "SingleRow"}.with(more...)
}

const (
	// reproductionBlocks are the fewest that give an interval.
	reproductionBlocks = 6
	// reproductionRuns are separate runs, with servers of their own: a row is claimed by what all
	// of them have.
	reproductionRuns = 3
)

// longWindows are those of 2 s, on MariaDB alone, as S3 was published: shorter ones hold some
// periods of the CPU quota only.
func longWindows(text string) string {
	before, after, _ := strings.Cut(text, "  - name: mysql\n")
	_, after, _ = strings.Cut(after, "  clients:\n")
	return strings.Replace(before+"  clients:\n"+after, "duration: 300ms", "duration: 2s", 1)
}

// samples of manifests.
const samples = "../../config/samples"

// The published claims of S0, S2 and S3 that can be repeated, on both servers: one row of
// docs/evidence/reproductions.md for each of them, printed, and the number of those that were measured
// and that were not. There is no bar: a claim that does not hold is a result.
func BenchmarkReproductions(b *testing.B) {
	repeat := func(name, sample string, change func(string) string, claims []claim) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				reproduce(b, sample, change, claims)
			}
		})
	}
	for run := range reproductionRuns {
		repeat(fmt.Sprintf("S3 MariaDB run %d", run+1), "drivers-node-small", longWindows, nodeClaims())
	}
	repeat("S3", "drivers-node-small", nil, nodeClaims())
	repeat("S2", "drivers-python-small", nil, pythonClaims())
	for _, server := range []string{`flavor: MariaDB, version: "10.11"`, `flavor: MySQL, version: "9.7"`} {
		change := func(text string) string {
			text = strings.Replace(text, `flavor: MariaDB, version: "10.11"`, server, 1)
			return strings.Replace(text, "      - {language: Java,", "      - {language: C, name: libmariadb}\n      - {language: Java,", 1)
		}
		repeat("S0 "+server, "drivers-batch-small", change, batchClaims())
	}
	repeat("S0 round trips", "", delayed, delayClaims())
}

// reproduce runs a sample with more blocks and holds each claim against every target.
func reproduce(b *testing.B, sample string, change func(string) string, claims []claim) {
	text := ""
	if sample != "" {
		data, err := os.ReadFile(filepath.Join(samples, sample+".yaml"))
		if err != nil {
			b.Fatal(err)
		}
		text = string(data)
	}
	if change != nil {
		text = change(text)
	}
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict([]byte(text), run); err != nil {
		b.Fatal(err)
	}
	run.Spec.Design.Blocks = reproductionBlocks
	out, err := yaml.Marshal(run)
	if err != nil {
		b.Fatal(err)
	}
	ns := cluster.Namespace(b)
	got := cluster.AwaitRun(b, cluster.Apply(b, ns, string(out)), time.Hour)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		b.Fatalf("not complete: %s", cluster.Message(got, v1alpha1.ConditionFailed))
	}
	all := cluster.Records(b, got)
	measured, missing := 0, 0
	for _, target := range got.Spec.Targets {
		for _, c := range claims {
			for _, delay := range delays(all) {
				of := slices.DeleteFunc(slices.Clone(all), func(r contract.Record) bool { return delayOf(r) != delay || r.Target != target.Name })
				row, known := c.row(strings.TrimSpace(target.Name+" "+delay), of)
				if known {
					measured++
				} else {
					missing++
				}
				fmt.Println(row)
			}
		}
	}
	b.ReportMetric(float64(measured), "claims-measured")
	b.ReportMetric(float64(missing), "claims-not-measured")
	if measured == 0 {
		b.Errorf("none of %d claims was measured", missing)
	}
}

// delays of the round trips in the records, in the order in which they come first; one empty
// text without any.
func delays(all []contract.Record) []string {
	var out []string
	for _, r := range all {
		if d := delayOf(r); !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func delayOf(r contract.Record) string {
	if d, has := r.Parameters["delay"]; has {
		return "+" + d.String()
	}
	return ""
}

// row is a line of the table: claim, target, published, ours with its interval and n. known says
// whether there is a number of ours.
func (c claim) row(target string, of []contract.Record) (line string, known bool) {
	ratios, why := c.ratios(of)
	published := "none"
	if c.ratio != 0 {
		published = fmt.Sprintf("%.2f", c.ratio)
	}
	if len(ratios) == 0 {
		return fmt.Sprintf("| %s | %s | %s | not measured: %s | |", c.text, target, published, why), false
	}
	e, err := stats.EstimateMedian(ratios)
	if err != nil {
		return fmt.Sprintf("| %s | %s | %s | %v | |", c.text, target, published, err), false
	}
	interval := ""
	if e.Interval != nil {
		interval = fmt.Sprintf(" (%.3g to %.3g)", e.Interval.Low, e.Interval.High)
	}
	return fmt.Sprintf("| %s | %s | %s | %.3g%s, n=%d | |", c.text, target, published, e.Median, interval, e.N), true
}

// ratios of the trials, block by block.
func (c claim) ratios(all []contract.Record) (out []float64, why string) {
	name := c.name
	if name == "" {
		name = contract.NameThroughput
	}
	why = "no trial has both"
	for _, rec := range all {
		if rec.State != contract.Succeeded {
			continue
		}
		of, hasOf := valueOf(rec, name, c.of)
		to, hasTo := valueOf(rec, name, c.to)
		if hasOf && hasTo {
			out = append(out, of/to)
		}
	}
	return out, why
}

// valueOf is the value with exactly these labels, the parameters of the cell among them.
func valueOf(rec contract.Record, name string, want labels) (float64, bool) {
	for _, v := range rec.Values {
		if v.Name != name || !sameLabels(v.Labels, want) {
			continue
		}
		return v.Value, true
	}
	return 0, false
}

// sameLabels: an operation of one row, in autocommit, need not say so.
func sameLabels(have map[string]string, want labels) bool {
	defaults := map[string]string{contract.LabelRows: "1", contract.LabelTransaction: "Autocommit"}
	for k, v := range have {
		if want[k] != v && (want[k] != "" || defaults[k] != v) {
			return false
		}
	}
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}

// nodeClaims are the ten benchmarks of S3, each against mysql2, because mysql cannot log in to
// MySQL 9.7: the published ratios are made anew from the published rates.
func nodeClaims() []claim {
	against := func(text string, mysql, mysql2, mariadb float64, l labels) []claim {
		return []claim{
			{text: "S3 " + text + ": mariadb over mysql2", ratio: mariadb / mysql2, of: l.with("driver=mariadb"), to: l.with("driver=mysql2")},
			{text: "S3 " + text + ": mysql (promise-mysql) over mysql2", ratio: mysql / mysql2, of: l.with("driver=promise-mysql"), to: l.with("driver=mysql2")},
		}
	}
	var out []claim
	out = append(out, against("do", 4826.5, 4174.5, 5009.2, operation("Do"))...)
	out = append(out, against("insert 10 parameters", 3613.9, 3474.8, 3968.0, operation("InsertTexts"))...)
	out = append(out, against("select collations", 829.0, 987.8, 1058.8, operation("SelectCollations"))...)
	out = append(out, against("select one user", 1442.2, 1484.2, 1595.1, operation("SelectWide"))...)
	out = append(out, against("select one user, pool", 1061.3, 1513.1, 1571.2, operation("SelectWide", "session=Pool"))...)
	out = append(out, against("select user and random number", 1057.9, 716.2, 1554.9, operation("SelectWideUncached"))...)
	out = append(out, against("select random number", 4548.3, 4117.6, 4799.1, operation("SelectParameter"))...)
	execute := operation("SelectWide", "scheme=Prepared")
	batch := operation("InsertText", "rows=100")
	return append(out,
		claim{text: "S3 select one user, execute: mariadb over mysql2", ratio: 2650.7 / 2257.5, of: execute.with("driver=mariadb"), to: execute.with("driver=mysql2")},
		claim{text: "S3 100 inserts: mariadb batch over mysql2 loop", ratio: 2449.5 / 44.3, of: batch.with("driver=mariadb", "scheme=Batch"), to: batch.with("driver=mysql2")},
		claim{text: "S3 100 inserts: mariadb batch over mariadb loop", of: batch.with("driver=mariadb", "scheme=Batch"), to: batch.with("driver=mariadb")},
		claim{text: "S3 execute over query, mysql2", ratio: 2257.5 / 1484.2, of: execute.with("driver=mysql2"), to: operation("SelectWide", "driver=mysql2")},
		claim{text: "S3 execute over query, mariadb", ratio: 2650.7 / 1595.1, of: execute.with("driver=mariadb"), to: operation("SelectWide", "driver=mariadb")},
	)
}

// pythonClaims are those of S2, for every driver that has both sides.
func pythonClaims() []claim {
	var out []claim
	for _, d := range harnesses.All[1].Drivers {
		driver := "driver=" + d
		many := operation("Insert", "scheme=ExecuteMany", "rows=1000", driver)
		out = append(out,
			claim{text: "S2 executemany(1000): one transaction over autocommit, " + d, ratio: 53, of: many.with("transaction=One"), to: many},
			claim{text: "S2 executemany(1000) over single inserts, in rows/s, " + d, of: many, to: operation("Insert", driver), name: contract.NameRowRate},
			claim{text: "S2 pool and query over connection and query, " + d, ratio: 72, of: operation("SelectOne", "session=Pool", driver), to: operation("SelectOne", "session=New", driver)},
			claim{text: "S2 SELECT 1 on one connection over cold connect, " + d, ratio: 0.0112 / 0.000177, of: operation("SelectOne", driver),
				to: labels{contract.LabelOperation: "Connect", contract.LabelDriver: d}},
			claim{text: "S2 1000 rows in one statement: rows/s over those of one row, " + d, of: operation("SelectRows", "rows=1000", driver),
				to: operation("SelectRows", driver), name: contract.NameRowRate},
			// Published as 1000, for reading a row; from the published figures it is 61.
			claim{text: "S2 ten texts written without a server over SELECT 1, " + d, ratio: 61, of: labels{contract.LabelOperation: "Encode", contract.LabelDriver: d},
				to: operation("SelectOne", driver)},
		)
	}
	return out
}

// batchClaims are those of S0 that other languages can repeat, for 1,000 rows and 100.
func batchClaims() []claim {
	type published struct {
		operation, scheme, transaction string
		r100, r1000                    float64
	}
	table := []published{
		{"Insert", "Prepared", "Autocommit", 1.1, 1.7}, {"Insert", "ExecuteMany", "Autocommit", 1.0, 1.9},
		{"Insert", "Pipelined", "Autocommit", 1.6, 4.5}, {"Insert", "MultiRow", "Autocommit", 9.3, 21.0},
		{"Insert", "Batch", "Autocommit", 1.8, 2.0}, {"Insert", "SingleRow", "One", 0.9, 1.7}, {"Insert", "Prepared", "One", 1.1, 2.6},
		{"Insert", "Pipelined", "One", 2.0, 6.0}, {"Update", "MultiStatement", "Autocommit", 2.7, 1.7}, {"Update", "SingleRow", "One", 1.4, 1.3},
		{"Update", "Prepared", "Autocommit", 1.6, 1.3}, {"Update", "Pipelined", "One", 3.4, 2.3},
		{"Delete", "InList", "Autocommit", 28.1, 60.6}, {"Delete", "SingleRow", "One", 1.2, 1.2}, {"Delete", "Pipelined", "One", 2.0, 6.4},
	}
	var out []claim
	for _, d := range []string{"go-sql-driver", "mariadb", "mysql-connector-python", "mysql-connector-j", "libmariadb"} {
		for _, p := range table {
			for rows, ratio := range map[string]float64{"100": p.r100, "1000": p.r1000} {
				base := operation(p.operation, "rows="+rows, "driver="+d, "transaction=Autocommit")
				out = append(out, claim{
					text:  fmt.Sprintf("S0 %s of %s rows: %s, %s, over row by row in autocommit, %s", p.operation, rows, p.scheme, p.transaction, d),
					ratio: ratio, of: base.with("scheme="+p.scheme, "transaction="+p.transaction), to: base,
				})
			}
		}
	}
	return out
}

// delayed is a run with longer round trips: "10 to 50 times at 1 ms" was never measured.
func delayed(string) string {
	text := cluster.DriversYAML("delayed", cluster.MariaDB, "      - {language: C, name: libmariadb}\n",
		"      - {operation: Insert, schemes: [SingleRow, Pipelined, MultiRow], transactions: [One], rows: [100]}\n      delay: 1us\n", "rounds: 1")
	return strings.Replace(text, "  design:", "  matrix:\n  - {name: delay, values: [1us, 1ms, 5ms]}\n  design:", 1)
}

func delayClaims() []claim {
	base := operation("Insert", "rows=100", "driver=libmariadb", "transaction=One")
	return []claim{
		{text: "S0-D insert of 100 rows in one transaction: multi-row over row by row", of: base.with("scheme=MultiRow"), to: base},
		{text: "S0-D insert of 100 rows in one transaction: pipelined over row by row", ratio: 10, of: base.with("scheme=Pipelined"), to: base},
	}
}
