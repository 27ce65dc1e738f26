package target

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// changes that SET GLOBAL made in a server since its start. Servers change other variables with the one that is set:
// innodb_io_capacity_max is raised to twice an innodb_io_capacity above it, and stays there when that is lowered again. So the trials of one value would
// differ by the values before them.
type changes struct {
	// named are the variables that were set, with their values before that, in the order of their first change.
	named []contract.Setting
	// along are those that changed with them, with their values before that.
	along []contract.Setting
}

// note what changed while variables were set, and return what changed with them.
func (c *changes) note(set []contract.Setting, before, after map[string]string) (along []contract.Setting) {
	is := func(list []contract.Setting, name string) bool {
		return slices.ContainsFunc(list, func(s contract.Setting) bool { return strings.EqualFold(s.Name, name) })
	}
	for _, s := range set {
		name := strings.ToLower(s.Name)
		// One that changed with another before has its first value there.
		if value, shown := before[name]; shown && !is(c.named, name) {
			c.named = append(c.named, contract.Setting{Name: name, Value: value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now, shown := after[name]; shown && now != before[name] && !is(c.named, name) {
			along = append(along, contract.Setting{Name: name, Value: before[name]})
		}
	}
	for _, s := range along {
		if !is(c.along, s.Name) {
			c.along = append(c.along, s)
		}
	}
	return along
}

// globals are the global variables of the running server.
type globals struct {
	// db has connections of the account that may set them.
	db  *sql.DB
	log *slog.Logger
}

// putBack the server as it was before its variables were set, where others changed with them: what is set next then finds the same
// server in every trial. Where none did, there is nothing to do: what varies is set anew.
func (g globals) putBack(ctx context.Context, c *changes) error {
	if len(c.along) == 0 {
		return nil
	}
	for _, s := range slices.Concat(c.named, c.along) {
		err := g.set(ctx, s)
		var refused *mysql.MySQLError
		switch {
		case err == nil:
			g.log.Info("a variable is put back", "name", s.Name, "value", s.Value)
		case errors.As(err, &refused) && refused.Number == readOnlyVariable:
			// The server derives it from others, and has just done so again.
		case errors.As(err, &refused):
			return fail(contract.ReasonServerRefusedSetting, "%v: an earlier trial changed it, and it does not go back: set apply: Restart for the settings that vary", err)
		default:
			return err
		}
	}
	c.along = nil
	return nil
}

// set one variable. The value goes beside the statement, so that no sql_mode of the server reads it otherwise.
func (g globals) set(ctx context.Context, s contract.Setting) error {
	ctx, cancel := context.WithTimeout(ctx, setTimeout)
	defer cancel()
	if _, err := g.db.ExecContext(ctx, "SET GLOBAL "+engine.QuoteIdentifier(s.Name)+" = ?", valueOf(s.Value)); err != nil {
		return fmt.Errorf("SET GLOBAL %s = %s: %w", s.Name, s.Value, err)
	}
	return nil
}

// all variables, by name in lower case.
func (g globals) all(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, setTimeout)
	defer cancel()
	rows, err := g.db.QueryContext(ctx, "SHOW GLOBAL VARIABLES")
	if err != nil {
		return nil, fmt.Errorf("SHOW GLOBAL VARIABLES: %w", err)
	}
	defer func() { _ = rows.Close() }()
	all := map[string]string{}
	for rows.Next() {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return nil, fmt.Errorf("SHOW GLOBAL VARIABLES: %w", err)
		}
		all[strings.ToLower(name)] = value.String
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("SHOW GLOBAL VARIABLES: %w", err)
	}
	return all, nil
}
