package claims

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Groups in the form of their source: rates with their change, times, of which the rates are measured, and ratios. Nothing was measured of c.
func TestForm(t *testing.T) {
	const more = "| y | 5 | - |\n"
	tests := map[string]struct {
		table, groups string
		want          []string
	}{
		"rates": {rates + more, "- {heading: h, quoted: q, baseline: {driver: a}, table: {columns: driver}, where: {scheme: [x]}}\n- {heading: i, quoted: q, not: no}", []string{
			"| scheme | a | b |", "| --- | --: | --: |", "| x | 10 ops/s / 200 ops/s | 25 ops/s (+150.0 %) / 400 ops/s (+100.0 %) |", "",
		}},
		"times": {times, "- {heading: h, quoted: q, baseline: {driver: a}, measurement: throughput, table: {}}", []string{
			"| driver | latency.avg |", "| --- | --: |", "| a | 10 ms / 5 ms |", "| b | 25 ms / 2.5 ms |", "",
		}},
		"ratios": {ratio, "- {heading: h, quoted: q, baseline: {scheme: x}, measurement: throughput, table: {columns: scheme}}", []string{
			"| driver | x | y |", "| --- | --: | --: |", "| D | 1x / 1x | 9.3x / 2x |", "",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := Read([]byte(head + tt.groups))
			if err != nil {
				t.Fatal(err)
			}
			all, err := s.List(quotedTable(t, tt.table))
			if err != nil {
				t.Fatal(err)
			}
			row := Row{Claim: all[0], Runs: 3, Of: 400, To: 200, Ratio: 2, Unit: "ops/s"}
			if diff := cmp.Diff(tt.want, strings.Split(strings.TrimSuffix(s.Groups[0].Table.form([]Row{row}), "\n"), "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	nothing := Row{Claim: Claim{Labels: map[string]string{"target": "new", "threads": "2"}, BaseLabels: map[string]string{"target": "old", "threads": "2"}}}
	if got := (Table{Columns: "target"}).form([]Row{nothing}); !strings.Contains(got, "| 2 | - / - | - / - |") {
		t.Errorf("nothing published, and nothing measured:\n%s", got)
	}
}
