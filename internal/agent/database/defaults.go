package database

import (
	"context"
	"strings"
)

const (
	// setInMariaDB are the variables that somebody set to another value than the
	// built-in one. What the server derived itself (AUTO), or found on its host, has
	// another origin. Any account may read it; since 10.1.
	setInMariaDB = "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES " +
		"WHERE GLOBAL_VALUE IS NOT NULL AND GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL') " +
		"AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE)"
	// setInMySQL are the variables that somebody set, to whatever value: MySQL does
	// not give its defaults. Any account may read both tables, also where the rest of
	// the performance schema is off; since 8.0.
	setInMySQL = "SELECT LOWER(v.VARIABLE_NAME), v.VARIABLE_VALUE FROM performance_schema.global_variables v " +
		"JOIN performance_schema.variables_info i ON i.VARIABLE_NAME = v.VARIABLE_NAME " +
		"WHERE i.VARIABLE_SOURCE <> 'COMPILED' AND v.VARIABLE_VALUE IS NOT NULL"
)

// NonDefault are the global variables that were set to something else than the
// server's own default; secret ones are left out. The version is what Version
// gave. It fails on a server that does not give them.
func (s *Server) NonDefault(ctx context.Context, version string) (map[string]string, error) {
	query := setInMySQL
	if strings.Contains(strings.ToLower(version), "mariadb") {
		query = setInMariaDB
	}
	all, err := s.pairs(ctx, query)
	for name := range secret {
		delete(all, name)
	}
	return all, err
}
