package database

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/assay-bench/assay/engines"
)

// A real server counts what its flavor says that it counts, of loads of which it
// is known how many statements change a row.
func TestRealRowCounters(t *testing.T) {
	s := startServer(t)
	w, err := s.Workbench(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if err := w.Exec(t.Context(), "CREATE TABLE t (id INT PRIMARY KEY, k INT, c VARCHAR(50)) ENGINE = InnoDB"); err != nil {
		t.Fatal(err)
	}
	version, comment, err := s.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known, _ := engines.Identify(version, comment, nil).Storage("InnoDB")
	if known.Rows == nil || known.Rows.Pages == "" {
		t.Fatalf("%s: %+v", version, known)
	}
	names := *known.Rows
	steps := []struct {
		name                       string
		statement                  string // with the number of the row
		from, to                   int
		inserted, updated, deleted float64
		// changed pages: as many as PagesPerRow for each row at least, or none.
		pages bool
	}{
		{"inserts", "INSERT INTO t VALUES (%d, 1, 'x')", 1, 1000, 1000, 0, 0, true},
		{"updates that change", "UPDATE t SET k = k + 1 WHERE id = %d", 1, 1000, 0, 1000, 0, true},
		{"updates to the same value are counted, and change no page", "UPDATE t SET c = 'x' WHERE id = %d", 1, 1000, 0, 1000, 0, false},
		{"updates of which half find a row", "UPDATE t SET c = 'y' WHERE id = %d", 501, 1500, 0, 500, 0, true},
		{"many rows of one statement", "UPDATE t SET c = 'z', k = %d", 1, 1, 0, 1000, 0, true},
		{"deletes of which 3 of 10 find a row", "DELETE FROM t WHERE id = %d", 701, 1700, 0, 0, 300, true},
		{"groups in a temporary table", "SELECT c, COUNT(*), %d FROM (SELECT c, k FROM t UNION SELECT c, k + 1 FROM t) s GROUP BY c ORDER BY 2", 1, 20, 0, 0, 0, false},
	}
	for _, step := range steps {
		before := status(t, s)
		for i := step.from; i <= step.to; i++ {
			if err := w.Exec(t.Context(), fmt.Sprintf(step.statement, i)); err != nil {
				t.Fatal(err)
			}
		}
		after := status(t, s)
		delta := func(name string) float64 { return after[name] - before[name] }
		if i, u, d := delta(names.Inserted), delta(names.Updated), delta(names.Deleted); i != step.inserted || u != step.updated || d != step.deleted {
			t.Errorf("%s: %g inserted, %g updated, %g deleted, want %g, %g, %g", step.name, i, u, d, step.inserted, step.updated, step.deleted)
		}
		rows := step.inserted + step.updated + step.deleted
		if pages := delta(names.Pages); step.pages && pages < names.PagesPerRow*rows || !step.pages && pages > rows/10 {
			t.Errorf("%s: %g changes of pages for %g rows", step.name, pages, rows)
		}
	}
}

// status are the numbers among the global status variables.
func status(t *testing.T, s *Server) map[string]float64 {
	t.Helper()
	all, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]float64{}
	for name, text := range all {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			numbers[name] = n
		}
	}
	return numbers
}
