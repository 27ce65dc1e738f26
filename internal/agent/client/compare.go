package client

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxDifferences is how many differences a message names.
const maxDifferences = 10

// differences from the expected tables, for people.
type differences struct {
	// rows: tables that are missing or too many, and other numbers of rows.
	rows []string
	// checksums that differ although the number of rows does not.
	checksums []string
}

// compareTables compares checksums only where both sides have one.
func compareTables(got, want []contract.Table) differences {
	var d differences
	named := func(tables []contract.Table, name string) (contract.Table, bool) {
		i := slices.IndexFunc(tables, func(t contract.Table) bool { return t.Name == name })
		if i < 0 {
			return contract.Table{}, false
		}
		return tables[i], true
	}
	for _, w := range want {
		g, there := named(got, w.Name)
		switch {
		case !there:
			d.rows = append(d.rows, fmt.Sprintf("table %s is missing", w.Name))
		case g.Rows != w.Rows:
			d.rows = append(d.rows, fmt.Sprintf("table %s has %d rows instead of %d", w.Name, g.Rows, w.Rows))
		case g.Checksum != nil && w.Checksum != nil && *g.Checksum != *w.Checksum:
			d.checksums = append(d.checksums, fmt.Sprintf("table %s has the checksum %d instead of %d", w.Name, *g.Checksum, *w.Checksum))
		}
	}
	for _, g := range got {
		if _, there := named(want, g.Name); !there {
			d.rows = append(d.rows, fmt.Sprintf("table %s (%d rows) was not there", g.Name, g.Rows))
		}
	}
	return d
}

// missingRows compares numbers of rows with the expected ones, by names of tables without
// case, which servers may change. It ignores other tables.
func missingRows(got []contract.Table, want map[string]int64) differences {
	var d differences
	for _, name := range slices.Sorted(maps.Keys(want)) {
		i := slices.IndexFunc(got, func(t contract.Table) bool { return strings.EqualFold(t.Name, name) })
		switch {
		case i < 0:
			d.rows = append(d.rows, fmt.Sprintf("table %s is missing, want %d rows", name, want[name]))
		case got[i].Rows != want[name]:
			d.rows = append(d.rows, fmt.Sprintf("table %s has %d rows, want %d", name, got[i].Rows, want[name]))
		}
	}
	return d
}

// tooFewRows are tables that are missing, or have fewer rows than a workload needs: of an estimate, which may be wrong by half, less
// than half of them.
func tooFewRows(got []contract.Table, want map[string]int64) differences {
	var d differences
	for _, name := range slices.Sorted(maps.Keys(want)) {
		i := slices.IndexFunc(got, func(t contract.Table) bool { return strings.EqualFold(t.Name, name) })
		switch {
		case i < 0:
			d.rows = append(d.rows, fmt.Sprintf("table %s is missing, at least %d rows are needed", name, want[name]))
		case got[i].Estimated && got[i].Rows < want[name]/2:
			d.rows = append(d.rows, fmt.Sprintf("table %s has about %d rows, at least %d are needed", name, got[i].Rows, want[name]))
		case !got[i].Estimated && got[i].Rows < want[name]:
			d.rows = append(d.rows, fmt.Sprintf("table %s has %d rows, at least %d are needed", name, got[i].Rows, want[name]))
		}
	}
	return d
}

// text is empty when nothing differs.
func (d differences) text() string {
	all := slices.Concat(d.rows, d.checksums)
	if more := len(all) - maxDifferences; more > 0 {
		all = append(all[:maxDifferences:maxDifferences], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}
