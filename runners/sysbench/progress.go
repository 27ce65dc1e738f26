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

// nothingMessage is what prepare prints when no table is left for the client.
var nothingMessage = regexp.MustCompile(`^Part \d+ of \d+ has none of \d+ tables$`)

// progress is which tables prepare and cleanup named at each step. Every line is
// printed before its step, so the steps prove that those before them were done,
// and the absence of FATAL lines proves the last one.
type progress struct {
	created, inserted, indexed, dropped map[string]bool
	// rows per table, as the lines said.
	rows map[string]string
	// nothing is the message that there is nothing to load.
	nothing string
}

func newProgress() progress {
	return progress{
		created: map[string]bool{}, inserted: map[string]bool{}, indexed: map[string]bool{},
		dropped: map[string]bool{}, rows: map[string]string{},
	}
}

// take takes in the messages at the front of a line and returns the rest of it.
func (g *progress) take(line string) string {
	if nothingMessage.MatchString(line) {
		g.nothing = line
		return ""
	}
	for {
		m := stepMessage.FindStringSubmatch(line)
		if m == nil {
			return line
		}
		switch m[1] {
		case "Creating table":
			g.created[m[2]] = true
		case "Creating a secondary index on":
			g.indexed[m[2]] = true
		case "Dropping table":
			g.dropped[m[2]] = true
		default:
			g.inserted[m[4]], g.rows[m[4]] = true, m[3]
		}
		line = line[len(m[0]):]
	}
}

// unproven says what the output of a phase does not prove; empty when the phase
// did all its work: on every table of the part, and on no other.
func (g *progress) unproven(phase contract.Phase, p Params, own part) string {
	type step struct {
		did    string
		tables map[string]bool
	}
	steps := []step{{"created", g.created}}
	switch {
	case phase == contract.PhaseCleanup:
		steps = []step{{"dropped", g.dropped}}
	case bundled[p.Test].ownSchema:
	case p.truth("create_secondary", true):
		steps = append(steps, step{"filled", g.inserted}, step{"given an index", g.indexed})
	default:
		steps = append(steps, step{"filled", g.inserted})
	}
	for _, s := range steps {
		if n := own.among(s.tables); n != own.count() || len(s.tables) != n {
			return fmt.Sprintf("%d of %d tables were %s", len(s.tables), own.count(), s.did)
		}
	}
	if own.count() == 0 && g.nothing != own.nothing() {
		return fmt.Sprintf("no table was touched, without the line %q", own.nothing())
	}
	if own.count() > 0 && g.nothing != "" {
		return fmt.Sprintf("there are tables to load, against the line %q", g.nothing)
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
