package main

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
)

// cellsOf the forms of a source that were published, each number once, and the cells that are measured.
func cellsOf(s source) (published map[string]bool, cells, measured int) {
	published = map[string]bool{}
	for _, f := range s.forms {
		for _, row := range f.Cells {
			for _, c := range row {
				if c.Claim.Measured() {
					measured++
				}
				if c.Claim.Number.Value != nil {
					cells++
					published[c.Quoted+" "+claims.Key(c.Name, c.Labels)] = true
				}
			}
		}
	}
	return published, cells, measured
}

// What was published is in the tables: of S0 those of 1.x, all 108 medians with their speed-ups, and of 2.x, its 63 of three drivers, on a page of up to 1,000 rows and one of 10,000; the rates and
// latencies that YCSB printed in S1; the 13 means, 11 rates and two speed-ups of S2; the 29 rates of S3 with their margins, percentages and samples, and its
// ten warm-ups; and the three figures that S4 says of its charts.
func TestFormsHaveWhatWasPublished(t *testing.T) {
	// Cells that were published, the numbers that they are of, and cells that are measured.
	want := map[string][3]int{"s0-dotnet": {180, 108, 90}, "s0-dotnet-delay": {0, 0, 36}, "s0-dotnet-large": {111, 63, 87}, "s1-ycsb": {48, 48, 14}, "s1-ycsb-load": {21, 21, 8}, "s2-python": {26, 26, 37}, "s3-node": {136, 136, 106}, "s4-sweep": {3, 3, 45}}
	got := map[string][3]int{}
	for _, s := range sourcesOf(t) {
		published, cells, measured := cellsOf(s)
		got[s.name] = [3]int{cells, len(published), measured}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("published, of numbers, measured (-want +got):\n%s", diff)
	}
}

// valueOf a side of a made run, with its unit.
type valueOf func(measurement string, labels map[string]string) (float64, string)

// madeOf a source are three runs that have what its forms ask for.
func madeOf(s source, value valueOf) (runs []claims.Run) {
	for n := range 3 {
		run, known := claims.Run{Play: n + 1}, map[string]bool{}
		for _, c := range claims.Asked(s.forms) {
			for _, labels := range []map[string]string{c.Of, c.To} {
				key := claims.Key(c.Measurement, labels)
				if known[key] {
					continue
				}
				known[key] = true
				v, unit := value(c.Measurement, labels)
				side := claims.Side{Measurement: c.Measurement, Labels: labels, Unit: unit, Values: map[int32]float64{}}
				for block := range int32(claims.Blocks) {
					side.Values[block] = v
				}
				run.Sides = append(run.Sides, side)
			}
		}
		runs = append(runs, run)
	}
	return runs
}

// Each source in its own form, of made runs.
func TestSourcesInTheirForms(t *testing.T) {
	schemes := map[string]float64{"SingleRow": 1, "Prepared": 1.1, "Pipelined": 2, "MultiRow": 20, "MultiStatement": 20, "InList": 20}
	most := map[string]map[string]float64{
		"oltp_write_only": {"2": 200, "8": 800, "16": 850, "32": 900, "64": 880}, "oltp_read_only": {"2": 200, "8": 800, "16": 750, "32": 700, "64": 650},
		"oltp_read_write": {"2": 200, "8": 800, "16": 800, "32": 800, "64": 760},
	}
	tests := map[string]struct {
		value valueOf
		want  map[string][]string
	}{
		// 1,000 rows take a second one by one; a transaction makes three times as fast of it.
		"s0-dotnet": {
			func(_ string, labels map[string]string) (float64, string) {
				v := map[string]float64{"100": 100, "1000": 1000}[labels[contract.LabelRows]] / schemes[labels[contract.LabelScheme]]
				if labels[contract.LabelTransaction] == "One" {
					v /= 3
				}
				return v, "ms"
			},
			map[string][]string{
				"1.1 INSERT: time": {
					"| scheme | category | 100 rows | 1,000 rows |", "| SingleRow INSERT | baseline | 35.72 ms / 100 ms | 437.2 ms / 1,000 ms |",
					"| Multi-row VALUES | text | 3.84 ms / 5 ms | 20.78 ms / 50 ms |", "| DbBatch API | text | 19.35 ms / - | 215.45 ms / - |",
				},
				"1.1 INSERT: speed-up over SingleRow INSERT": {
					"| ExecuteArrayBatch+Pipeline (tx) | tx+pipe | 2.8x / - | 8.1x / - |", "| ExecuteBatch (tx) | tx | 1.1x / 3.3x | 2.6x / 3.3x |",
				},
				"1.2 UPDATE: speed-up over SingleRow UPDATE": {"| Multi-stmt UPDATE | text | 2.7x / 20.0x | 1.7x / 20.0x |"},
				"1.3 DELETE: time":                           {"| IN() DELETE | text | 1.15 ms / 5 ms | 5.48 ms / 50 ms |"},
				"1.3 DELETE: speed-up over SingleRow DELETE": {"| IN() DELETE | text | 28.1x / 20.0x | 60.6x / 20.0x |"},
				"2.1 INSERT: three drivers": {
					"| NewLife SingleRow | 35.87 ms / 100 ms | 364.18 ms / 1,000 ms |", "| NewLife Pipeline(tx) | 13.35 ms / - | 82.24 ms / - |", "| Connector Batch(tx) | 30.24 ms / - | 210.21 ms / - |",
				},
				"2.3 UPDATE: three drivers": {"| Connector SingleRow | 30.90 ms / - | 273.72 ms / - |"},
			},
		},
		// 10,000 rows take ten seconds one by one by mariadb, and five by mysql2.
		"s0-dotnet-large": {
			func(measurement string, labels map[string]string) (float64, string) {
				if measurement == "cost.cpu.client" {
					return 2_500_000, "s/Mop"
				}
				v := map[string]float64{"100": 100, "1000": 1000, "10000": 10000}[labels[contract.LabelRows]] / schemes[labels[contract.LabelScheme]]
				if labels[contract.LabelTransaction] == "One" {
					v /= 3
				}
				if labels[contract.LabelDriver] == "mysql2" {
					v /= 2
				}
				return v, "ms"
			},
			map[string][]string{
				"1.1 INSERT of 10,000 rows": {
					"| scheme | category | time | over SingleRow INSERT |", "| SingleRow INSERT | baseline | 3,150.36 ms / 10,000 ms | 1.0x / 1.0x |",
					"| ExecuteBatch+Pipeline (tx) | tx+pipe | 779.09 ms / 1,667 ms | 4.0x / 6.0x |", "| DbBatch API | text | 1,232.86 ms / - | 2.6x / - |",
				},
				"1.3 DELETE of 10,000 rows":                    {"| IN() DELETE | text | 78.43 ms / 500 ms | 42.7x / 20.0x |"},
				"2.1 INSERT of 10,000 rows: drivers":           {"| NewLife Pipeline(tx); here mariadb | 899.39 ms / 1,667 ms |", "| Official SingleRow | 3,552.61 ms / - |", "| Connector Batch(tx); here mysql2 | 1,905.96 ms / 1,515 ms |"},
				"2.2 SELECT by key: drivers":                   {"| Connector SingleRow; here mysql2 | 34.18 ms / 50 ms | 202.59 ms / 500 ms | 2,027.24 ms / 5,000 ms |", "| Official SingleRow | 58.81 ms / - | 392.76 ms / - | 2,610.22 ms / - |"},
				"What 10,000 rows cost the client: CPU time":   {"| Pipelined | One | - / 2,500 ms | - / 2,500 ms | - / 2,500 ms |"},
				"3.1 Pipelining in a transaction, 10,000 rows": {"| Insert | 899.39 ms / 1,667 ms | 3.8x / 6.0x | 2.1x / 0.9x | 2.1x / - |"},
			},
		},
		// Each round trip costs 1 ms more.
		"s0-dotnet-delay": {
			func(_ string, labels map[string]string) (float64, string) {
				return map[string]float64{"0s": 100, "1us": 200, "1ms": 1200}[labels["delay"]] / schemes[labels[contract.LabelScheme]], "ms"
			},
			map[string][]string{
				"Time of 1,000 rows": {"| operation | scheme | transaction | no relay | a relay of 1 us | a relay of 1 ms |", "| Update | Pipelined | One | - / 50 ms | - / 100 ms | - / 600 ms |"},
			},
		},
		"s1-ycsb": {
			func(measurement string, _ map[string]string) (float64, string) {
				if measurement == contract.NameThroughput {
					return 300, "ops/s"
				}
				return 1.5, "ms"
			},
			map[string][]string{
				"Run: the output of YCSB": {
					"| YCSB | MyTopling | MyRocks | PolarDB | Azure SQL | InnoDB |",
					"| [OVERALL], Throughput(ops/sec) | 23,438 ops/s / - | 13,957 ops/s / 300 ops/s | 21,349 ops/s / - | 9,175 ops/s / - | - / 300 ops/s |",
					"| [UPDATE], 99thPercentileLatency(us) | 3,577 us / - | 7,483 us / 1,500 us | 3,307 us / - | 15,175 us / - | - / 1,500 us |",
				},
			},
		},
		// A round trip takes 2 ms, a batch of 1,000 rows in a transaction 10 ms, and 500 ms without one.
		"s1-ycsb-load": {
			func(measurement string, _ map[string]string) (float64, string) {
				if measurement == contract.NameThroughput {
					return 300, "ops/s"
				}
				return 1.5, "ms"
			},
			map[string][]string{
				"Load: the numbers of YCSB, in ms": {
					"| [OVERALL], Throughput(ops/sec) | 35,141 ops/s / - | 9,805 ops/s / 300 ops/s | 9,586 ops/s / - | - / - | - / 300 ops/s |",
					"| [INSERT], 99thPercentileLatency(ms) | 1.675 ms / - | 9.503 ms / 1.5 ms | 14.89 ms / - | - / - | - / 1.5 ms |",
				},
			},
		},
		"s2-python": {
			func(_ string, labels map[string]string) (float64, string) {
				v := 500.0
				if labels[contract.LabelRows] == "1000" {
					v = map[string]float64{"": 2, "One": 100}[labels[contract.LabelTransaction]]
				}
				return v, "ops/s"
			},
			map[string][]string{
				"Headline numbers": {
					"| Operation | Mean | Ops/sec | IQR | Outliers | Rounds |", "| decode(int) (per cell) | 181 ns / - | 5,500,000 ops/s / - | - / - | - / - | - / - |",
					"| SELECT 1 round-trip | 177 us / 2,000 us | 5,650 ops/s / 500 ops/s | - / 0 ns | - / 0;0 | - / 24 |",
					"| executemany(1000) autocommit=True | 1.72 s / 0.5 s | 580 rows/s / 2,000 rows/s | - / 0 ns | - / 0;0 | - / 24 |",
					"| executemany(1000) in single transaction | 32 ms / 10 ms | 31,000 rows/s / 100,000 rows/s | - / 0 ns | - / 0;0 | - / 24 |",
				},
				"What these tell you":              {"| bulk INSERTs in one transaction, over autocommit | 53x / 50.0x |", "| a pool, over cold connect | 72x / 1.0x |"},
				"UTF-8 carries no measurable cost": {"| decode_varchar_utf8 | 216 ns / - |", "| decode_varchar_short | 170 ns / - |"},
			},
		},
		// mysql2 is twice as fast as mysql, mariadb three times, and by its batch fifty times.
		"s3-node": {
			func(_ string, labels map[string]string) (float64, string) {
				v := map[string]float64{"mysql": 100, "mysql2": 200, "mariadb": 300}[labels["driver"]]
				if labels[contract.LabelScheme] == "Batch" {
					v = 5000
				}
				return v, "ops/s"
			},
			map[string][]string{
				"bench : do &lt;random number> [ sql: do ? ]": {
					"| driver | ops/sec | ± | over mysql | runs sampled |", "| mysql | 4,826.5 ops/s / 100 ops/s | ±1.061 % / ±0 % | - / - | 280 / 24 |",
					"| mariadb | 5,009.2 ops/s / 300 ops/s | ±0.449 % / ±0 % | +3.8 % / +200.0 % | 279 / 24 |", "![do &lt;random number>](s3-node-do.svg)",
				},
				"bench : 100 * insert 100 characters using batch method (for mariadb) or loop for other driver (batch doesn't exists) [ sql: INSERT INTO perfTestTextPipe VALUES (?) ]": {
					"| mysql2 | 44.3 ops/s / 200 ops/s | ±0.432 % / ±0 % | -5.9 % / +100.0 % | 267 / 24 |",
					"| mariadb | 2,449.5 ops/s / 5,000 ops/s | ±0.815 % / ±0 % | +5,101.9 % / +4,900.0 % | 277 / 24 |",
				},
				"bench : select one mysql.user using execute [ sql: select * from mysql.user LIMIT 1 ]": {
					"| driver | ops/sec | ± | over mysql2 | runs sampled |", "| mysql2 | 2,257.5 ops/s / 200 ops/s | ±0.842 % / ±0 % | - / - | 280 / 24 |",
					"| mariadb | 2,650.7 ops/s / 300 ops/s | ±0.592 % / ±0 % | +17.4 % / +50.0 % | 280 / 24 |",
				},
				"Warm-up of mariadb, before each bench": {"| do &lt;random number> | 5,015 ops/s / - | ±0.87 % / - | 280 / - |"},
			},
		},
		// The shorter round trip has a quarter more.
		"s4-sweep": {
			func(_ string, labels map[string]string) (float64, string) {
				v := most[labels["test"]][labels["threads"]]
				if labels["delay"] == "2ms" {
					v *= 1.25
				}
				return v, "queries/s"
			},
			map[string][]string{
				"Write only: QPS by threads": {
					"| threads | old network / round trips 4 ms longer | new network / round trips 2 ms longer | new over old |", "| 8 | - / 800 queries/s | - / 1,000 queries/s | - / +25.0 % |", "| 512 | - / - | - / - | 20 % / - |",
				},
				"Read only: QPS by threads": {"| 16 | - / 750 queries/s | - / 937.5 queries/s | 22 % / +25.0 % |", "| 64 | - / 650 queries/s | - / 812.5 queries/s | - / +25.0 % |"},
				"Mixed: QPS by threads":     {"| 512 | - / - | - / - | 18 % / - |"},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := sourcesOf(t, name)[0]
			text, err := s.Written(s.forms, madeOf(s, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			for _, heading := range slices.Sorted(maps.Keys(tt.want)) {
				_, table, has := strings.Cut(text, "### "+heading+"\n")
				table, _, _ = strings.Cut(table, "\n### ")
				if !has {
					t.Errorf("no table %s", heading)
				}
				for _, line := range tt.want[heading] {
					if !strings.Contains(table, line+"\n") {
						t.Errorf("%s has no %s\n%s", heading, line, table)
					}
				}
			}
		})
	}
}

// The charts of the sources: five of S1, ten of S3, three of S4. Each is a file of its source, and beside the table of its numbers.
func TestChartsOfTheSources(t *testing.T) {
	want := map[string]int{"s0-dotnet": 0, "s0-dotnet-delay": 0, "s0-dotnet-large": 0, "s1-ycsb": 3, "s1-ycsb-load": 2, "s2-python": 0, "s3-node": 10, "s4-sweep": 3}
	got := map[string]int{}
	for _, s := range sourcesOf(t) {
		runs := madeOf(s, func(string, map[string]string) (float64, string) { return 1000, "ops/s" })
		text, err := s.Written(s.forms, runs)
		if err != nil {
			t.Fatal(err)
		}
		pictures, err := s.pictures(runs)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pictures {
			if !strings.HasPrefix(p.File, s.name+"-") || strings.Count(text, "]("+p.File+")") != 1 {
				t.Errorf("%s has the picture %s, which the page has %d times", s.name, p.File, strings.Count(text, "]("+p.File+")"))
			}
			if err := xml.Unmarshal([]byte(p.SVG), new(struct{})); err != nil {
				t.Errorf("%s: %v", p.File, err)
			}
		}
		got[s.name] = len(pictures)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("charts (-want +got):\n%s", diff)
	}
}

// All 108 speed-ups of the first tables of S0 are those that the source prints, which stand beside its medians where they are quoted as printed.
func TestSpeedUpsAreThosePrinted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "internal/trial/quoted/testdata/newlife-quick.txt"))
	if err != nil {
		t.Fatal(err)
	}
	report := quoted.Table(text)
	if len(report.Problems) > 0 {
		t.Fatalf("%+v", report.Problems)
	}
	// Up to 1,000 rows have a column each of one page, and 10,000 rows the second one of another.
	written := map[string]string{}
	for _, s := range sourcesOf(t, "s0-dotnet", "s0-dotnet-large") {
		if written[s.name], err = s.Written(s.forms, nil); err != nil {
			t.Fatal(err)
		}
	}
	places, checked := map[string]struct {
		page, heading string
		column        int
	}{"100": {"s0-dotnet", ": speed-up over ", 1}, "1000": {"s0-dotnet", ": speed-up over ", 2}, "10000": {"s0-dotnet-large", " of 10,000 rows\n", 2}}, 0
	for _, m := range report.Measurements {
		if m.Name != contract.NameSpeedUp {
			continue
		}
		at := places[m.Labels[contract.LabelRows]]
		_, table, _ := strings.Cut(written[at.page], m.Labels[contract.LabelOperation]+at.heading)
		table, _, _ = strings.Cut(table, "### ")
		_, row, has := strings.Cut(table, "| "+m.Labels[contract.LabelScheme]+" |")
		cells := strings.Split(row, " | ")
		if want := fmt.Sprintf("%.1fx / ", *m.Value); !has || at.column == 0 || !strings.HasPrefix(cells[at.column], want) {
			t.Errorf("%v is printed as %s, and here it is %s", m.Labels, want, row)
		}
		checked++
	}
	if checked != 108 {
		t.Errorf("%d speed-ups were checked, want 108", checked)
	}
}

// The forms of S0 have the median of the rounds of a trial, which the runner of drivers gives of twenty or more.
func TestTrialsOfS0HaveAMedian(t *testing.T) {
	if rounds := sourcesOf(t, "s0-dotnet")[0].Design.Rounds; rounds == nil || *rounds < 20 {
		t.Errorf("got %v rounds, want 20 or more", rounds)
	}
}
