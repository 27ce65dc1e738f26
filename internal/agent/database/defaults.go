package database

import (
	"context"
	"strings"
)

const (
	// setInMariaDB are the variables that were set to another value than the built-in default.
	// Values that the server derived (AUTO) or found on its host have another origin. Any
	// account may read them; since 10.1.
	setInMariaDB = "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES " +
		"WHERE GLOBAL_VALUE IS NOT NULL AND GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL') " +
		"AND NOT (GLOBAL_VALUE <=> DEFAULT_VALUE)"
	// setInMySQL are the variables that were set, to any value: MySQL does not report its
	// defaults. Any account may read both tables, even with the rest of the performance schema
	// off; since 8.0.
	setInMySQL = "SELECT LOWER(v.VARIABLE_NAME), v.VARIABLE_VALUE FROM performance_schema.global_variables v " +
		"JOIN performance_schema.variables_info i ON i.VARIABLE_NAME = v.VARIABLE_NAME " +
		"WHERE i.VARIABLE_SOURCE <> 'COMPILED' AND v.VARIABLE_VALUE IS NOT NULL"
)

// NonDefault are the global variables that differ from the server's own defaults, without
// secrets. The version is the result of Version. It fails on a server that does not report
// them.
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
