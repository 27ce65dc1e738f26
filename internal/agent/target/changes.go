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
	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// changes that SET GLOBAL made in a server since its start. Servers change other variables with the one that is set: MariaDB raises
// innodb_io_capacity_max to twice an innodb_io_capacity above it, and leaves it there when that is lowered again. So the trials of one
// value would differ by the values before them.
type changes struct {
	// wanted are the variables that were set, with their last values, in the order of their first change. Nobody puts them back.
	wanted []contract.Setting
	// along are those that changed with them, with their values before that.
	along []contract.Setting
	// before are all variables before those changes that are not noted yet; nil where all are.
	before map[string]string
}

func has(list []contract.Setting, name string) bool { return at(list, name) >= 0 }

func at(list []contract.Setting, name string) int {
	return slices.IndexFunc(list, func(s contract.Setting) bool { return strings.EqualFold(s.Name, name) })
}

// want variables to be as they are set. One that changed along with others before has the value of its own from now on.
func (c *changes) want(set []contract.Setting) {
	for _, s := range set {
		if i := at(c.wanted, s.Name); i >= 0 {
			c.wanted[i] = s
		} else {
			c.wanted = append(c.wanted, s)
		}
	}
	c.along = slices.DeleteFunc(c.along, func(s contract.Setting) bool { return has(c.wanted, s.Name) })
}

// note what changed along, by all variables as they are now, and return what was not known to.
func (c *changes) note(now map[string]string) (found []contract.Setting) {
	for _, name := range slices.Sorted(maps.Keys(c.before)) {
		value, shown := now[name]
		if shown && value != c.before[name] && !settings.Moves(name) && !has(c.wanted, name) && !has(c.along, name) {
			found = append(found, contract.Setting{Name: name, Value: c.before[name]})
		}
	}
	c.along, c.before = append(c.along, found...), nil
	return found
}

// undone are the wanted settings that were in force, and are not any more.
func (c *changes) undone(was, now map[string]string) (list []contract.Setting) {
	in := func(s contract.Setting, variables map[string]string) bool {
		return len(settings.Differences([]contract.Setting{s}, variables, nil)) == 0
	}
	for _, s := range c.wanted {
		if in(s, was) && !in(s, now) {
			list = append(list, s)
		}
	}
	return list
}

// globals are the global variables of the running server.
type globals struct {
	// db has connections of the account that may set them.
	db  *sql.DB
	log *slog.Logger
}

// putBack what changed along with the variables that are set, as far as the server lets it: then it is the same server in every trial of
// a value, whatever the values before. Those that are set stay as they are. Now are all variables.
func (g globals) putBack(ctx context.Context, c *changes, now map[string]string) error {
	put := false
	for _, s := range c.along {
		if now[s.Name] == s.Value {
			continue
		}
		err := g.set(ctx, s)
		refused, is := refusal(err)
		switch {
		case err == nil:
			put = true
			g.log.Info("a variable is put back", "name", s.Name, "value", s.Value)
		case is && refused.Number == readOnlyVariable:
			// The server derives it from others.
		case is:
			return fail(contract.ReasonServerRefusedSetting, "%v: it changed with the settings that vary, and it does not go back: set apply: Restart for them", err)
		default:
			return err
		}
	}
	if !put {
		return nil
	}
	// A server may lower one that is set to what it was bounded by.
	then, err := g.all(ctx)
	if err != nil {
		return err
	}
	return g.setAll(ctx, c.undone(now, then))
}

// refusal of a statement by the server; false for an error of the connection, which says nothing of the statement.
func refusal(err error) (*mysql.MySQLError, bool) {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return nil, false
	}
	switch database.KindOf(err) {
	case servererror.TooManyConnections, servererror.ResourceLimit, servererror.Lost, servererror.AccessDenied, servererror.AccountUnusable:
		return nil, false
	}
	return refused, true
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
	_, rows, err := database.Rows(ctx, g.db, "SHOW GLOBAL VARIABLES")
	if err != nil {
		return nil, fmt.Errorf("SHOW GLOBAL VARIABLES: %w", err)
	}
	all := map[string]string{}
	for _, row := range rows {
		name, value := row[0], row[1]
		if value == nil {
			value = new("")
		}
		all[strings.ToLower(*name)] = *value
	}
	return all, nil
}
