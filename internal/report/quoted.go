package report

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/internal/report/chart"
)

// quotedNumbers are those that somebody else published, with their sources.
func quotedNumbers(in Input) (out []block) {
	for _, q := range in.Quoted {
		t := &table{caption: line(q.Target + ": quoted, not measured here"), head: []column{{"measurement", false}, {"phase", false}, {"value", true}, {"unit", false}}}
		for _, phase := range q.Phases {
			for _, m := range phase.Measurements {
				if m.Value != nil {
					t.rows = append(t.rows, []cell{{text: nameOf(m.Name, m.Labels), heading: true}, {text: phase.Phase}, {text: chart.Figure(*m.Value)}, {text: m.Unit}})
				}
			}
		}
		if len(t.rows) > 0 {
			out = append(out, block{heading: line(q.Target), text: line("Source: " + q.Source)}, block{table: t})
		}
	}
	if len(out) > 0 {
		out = append([]block{paragraph("Somebody else measured these numbers: the machine, the settings and the date are theirs. " +
			"They stand in no other table of this page, and no test uses them.")}, out...)
	}
	return out
}

// axesOf a cell, as people read it; empty for one without axes.
func axesOf(cell map[string]intstr.IntOrString) string {
	var out []string
	for _, axis := range slices.Sorted(maps.Keys(cell)) {
		v := cell[axis]
		out = append(out, axis+" "+v.String())
	}
	return strings.Join(out, ", ")
}
