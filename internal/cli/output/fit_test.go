package output

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/screen"
)

func printed(t *testing.T, width int, rows [][]string) string {
	t.Helper()
	out := screen.New(t, width)
	page := NewPage(out)
	page.Rows(rows, nil)
	if err := page.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	medians = [][]string{
		{"MEASUREMENT", "WHERE", "TARGET", "MEDIAN", "UNIT", "INTERVAL", "TRIALS", "NOTES"},
		{"throughput", "skipTrx=false test=oltp_write_only threads=2", "threads", "5,710 *", "tx/s", "5,420 to 5,880 (96.88 %)", "5 of 6", "disturbed 1/6, CPU limit 5/5"},
		{"throughput", "skipTrx=false test=oltp_write_only threads=64", "pool", "410 *", "tx/s", "390 to 440 (all)", "6 of 6", "CPU limit 6/6"},
	}
	comparisons = [][]string{
		{"VERDICT", "EFFECT", "INTERVAL", "LEVEL", "P BY ITSELF", "ADJUSTED P", "BLOCKS", "BETTER", "COMPARISON"},
		{"Faster", "+11 %", "+2.3 to +24 %", "95.12 %", "0.02", "0.02", "10 of 10", "higher", "mariadb against mysql, throughput"},
		{"Faster", "-16 %", "-23 to -2.6 %", "98.05 %", "0.0098", "0.02", "10 of 10", "lower", "mariadb against mysql, latency p95"},
	}
	differences = [][]string{
		{"DIFFERS IN", "mariadb", "mysql", "MAY FAVOUR"},
		{"innodb_redo_log_capacity", "100663296", "104857600", "mysql"},
		{"collation_server", "latin1_swedish_ci", "utf8mb4_0900_ai_ci", "-"},
		{"innodb_max_dirty_pages_pct_lwm", "0", "10", "-"},
	}
)

// On every terminal a number is whole or its column is left out, which is marked, and no line is wider than the terminal.
func TestTablesOnNarrowTerminals(t *testing.T) {
	for name, rows := range map[string][][]string{"medians": medians, "comparisons": comparisons, "differences": differences} {
		for _, width := range []int{40, 60, 80, 120, 200} {
			text := printed(t, width, rows)
			head, _, _ := strings.Cut(text, "\n")
			left := 0
			for c, heading := range rows[0] {
				has := strings.Contains(head, heading)
				if !has {
					left++
				}
				for _, row := range rows[1:] {
					if has && figures.MatchString(row[c]) && !strings.Contains(text, row[c]) {
						t.Errorf("%s at %d: %q is cut:\n%s", name, width, row[c], text)
					}
				}
			}
			if left > 0 != strings.HasSuffix(head, "  …") {
				t.Errorf("%s at %d: %d columns are left out, and the mark is wrong:\n%s", name, width, left, text)
			}
			for line := range strings.Lines(text) {
				if utf8.RuneCountInString(line) > width+1 {
					t.Errorf("%s at %d: a line is wider:\n%s", name, width, text)
				}
			}
		}
	}
}

func TestWhatIsShortenedFirst(t *testing.T) {
	for _, tt := range []struct {
		width int
		rows  [][]string
		want  string
	}{
		{60, medians, `MEASUREMENT  WHERE                 TARGET    MEDIAN  UNIT  …
throughput   skipTrx=fa…threads=2  threads  5,710 *  tx/s
throughput   skipTrx=fa…hreads=64  pool       410 *  tx/s
`},
		{80, medians, `MEASUREMENT  WHERE                                     TARGET    MEDIAN  UNIT  …
throughput   skipTrx=false test=o…rite_only threads=2  threads  5,710 *  tx/s
throughput   skipTrx=false test=o…ite_only threads=64  pool       410 *  tx/s
`},
		{120, medians, `MEASUREMENT  WHERE                     TARGET    MEDIAN  UNIT  INTERVAL                  TRIALS  NOTES
throughput   skipTrx=fals…y threads=2  threads  5,710 *  tx/s  5,420 to 5,880 (96.88 %)  5 of 6  disturbed 1/6, CPU lim…
throughput   skipTrx=fals… threads=64  pool       410 *  tx/s  390 to 440 (all)          6 of 6  CPU limit 6/6
`},
		{60, comparisons, `VERDICT  EFFECT  INTERVAL       BETTER  COMPARISON         …
Faster    +11 %  +2.3 to +24 %  higher  mariadb …roughput
Faster    -16 %  -23 to -2.6 %  lower   mariadb …ency p95
`},
		{80, comparisons, `VERDICT  EFFECT  INTERVAL       ADJUSTED P  BETTER  COMPARISON                 …
Faster    +11 %  +2.3 to +24 %        0.02  higher  mariadb agai… throughput
Faster    -16 %  -23 to -2.6 %        0.02  lower   mariadb agai… latency p95
`},
		{120, comparisons, `VERDICT  EFFECT  INTERVAL         LEVEL  P BY ITSELF  ADJUSTED P  BLOCKS    BETTER  COMPARISON
Faster    +11 %  +2.3 to +24 %  95.12 %         0.02        0.02  10 of 10  higher  mariadb against mysql, throughput
Faster    -16 %  -23 to -2.6 %  98.05 %       0.0098        0.02  10 of 10  lower   mariadb against mysql, latency p95
`},
		{60, differences, `DIFFERS IN          mariadb            mysql               …
innodb_re…capacity  100663296          104857600
collation_server    latin1_swedish_ci  utf8mb4_0900_ai_ci
innodb_ma…_pct_lwm  0                  10
`},
	} {
		if diff := cmp.Diff(tt.want, printed(t, tt.width, tt.rows)); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", tt.width, diff)
		}
	}
}
