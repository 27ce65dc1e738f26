package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// analyzeTime is the timeout for the statistics of all tables together. InnoDB reads some pages of each index; TiDB and Dolt read
// more.
const analyzeTime = time.Minute

// Analyze makes the server take the statistics of the tables. Otherwise the plans of queries depend on when it last did so by itself,
// which InnoDB does in the background, after 10 % of a table changed. The answer names the tables without new statistics and the reason;
// it is empty when all have them.
func (s *Server) Analyze(ctx context.Context, tables []contract.Table) string {
	return analyze(ctx, s, tables, analyzeTime)
}

func analyze(ctx context.Context, s *Server, tables []contract.Table, most time.Duration) string {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	without, refused := slices.Clone(tables), ""
	err := s.with(ctx, func(c *sql.Conn) error {
		for _, t := range tables {
			columns, rows, err := Rows(ctx, c, "ANALYZE TABLE "+quoted(s.database, t.Name))
			if err != nil {
				return err
			}
			if text := refusal(columns, rows); text != "" {
				refused = text
				continue
			}
			without = slices.DeleteFunc(without, func(o contract.Table) bool { return o.Name == t.Name })
		}
		return nil
	})
	const lack = "%s no new statistics, so that plans of queries may differ between servers and runs: "
	switch {
	case len(without) == 0:
		return ""
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Sprintf(lack+"ANALYZE TABLE of all tables may take %s together", have(without, len(tables)), most)
	case err != nil:
		return fmt.Sprintf(lack+"ANALYZE TABLE: %v", have(without, len(tables)), err)
	}
	return fmt.Sprintf(lack+"ANALYZE TABLE: %s", have(without, len(tables)), refused)
}

// refusal is the text of an error in the rows of a statement that answers with Msg_type and Msg_text; empty for none.
func refusal(columns []string, rows [][]*string) string {
	column := func(name string) int {
		return slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, name) })
	}
	kind, text := column("Msg_type"), column("Msg_text")
	for _, row := range rows {
		if kind >= 0 && text >= 0 && row[kind] != nil && row[text] != nil && strings.EqualFold(*row[kind], "error") {
			return *row[text]
		}
	}
	return ""
}
