package sysbench

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// stepMessage is what prepare and cleanup print at the start of a step. Threads
// print a message and its line break apart, so a line may hold several messages,
// or a message and a FATAL line (seen with 1.0.20 on two processors).
var stepMessage = regexp.MustCompile(
	`^(?:(Creating table|Creating a secondary index on|Dropping table) 'sbtest(\d+)'\.\.\.|Inserting (\d+) records into 'sbtest(\d+)')`)

// progress is which tables prepare and cleanup named at each step. Every line is
// printed before its step, so the steps prove that those before them were done,
// and the absence of FATAL lines proves the last one.
type progress struct {
	// done are the tables of each step, by what was done with them.
	done map[string]map[string]bool
	// rows per table, as the lines said.
	rows map[string]string
}

// What is done with a table, and the messages that say so but for those of rows.
const created, filled, indexed, dropped = "created", "filled", "given an index", "dropped"

var steps = map[string]string{"Creating table": created, "Creating a secondary index on": indexed, "Dropping table": dropped}

// take takes in the messages at the front of a line and returns the rest of it.
func (g *progress) take(line string) string {
	for {
		m := stepMessage.FindStringSubmatch(line)
		if m == nil {
			return line
		}
		did, table := steps[m[1]], m[2]
		if did == "" {
			did, table = filled, m[4]
			g.rows[table] = m[3]
		}
		if g.done[did] == nil {
			g.done[did] = map[string]bool{}
		}
		g.done[did][table] = true
		line = line[len(m[0]):]
	}
}

// unproven says what the output of a phase does not prove; empty when the phase
// did all its work: on every table of the part, and on no other.
func (g *progress) unproven(phase contract.Phase, p Params, own part) string {
	all := []string{created, filled, indexed}
	switch {
	case phase == contract.PhaseCleanup:
		all = []string{dropped}
	case bundled[p.Test].ownSchema:
		all = []string{created}
	case !p.truth("create_secondary", true):
		all = []string{created, filled}
	}
	for _, did := range all {
		tables := g.done[did]
		if n := own.among(tables); n != own.count() || len(tables) != n {
			return fmt.Sprintf("%d of %d tables were %s", len(tables), own.count(), did)
		}
	}
	if own.count() == 0 {
		return "there was no table to load"
	}
	want := strconv.FormatInt(p.TableSize, 10)
	for _, table := range slices.Sorted(maps.Keys(g.rows)) {
		if g.rows[table] != want {
			return fmt.Sprintf("table sbtest%s was given %s rows, not %s", table, g.rows[table], want)
		}
	}
	return ""
}

// among counts the tables that are of the part.
func (s part) among(tables map[string]bool) int {
	n := 0
	for table := range tables {
		if s.has(table) {
			n++
		}
	}
	return n
}
