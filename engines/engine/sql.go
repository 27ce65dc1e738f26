package engine

import (
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// privileges are the privileges of the tools on the benchmark's schema. None is global, and
// none can be granted to others. CREATE VIEW is for TPC-H: go-tpc replaces a view before it executes queries.
const privileges = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, CREATE VIEW"

// QuoteIdentifier quotes a name for SQL.
func QuoteIdentifier(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// QuoteString quotes a text for SQL under an empty sql_mode, on one line.
func QuoteString(text string) string { return "'" + stringEscaper.Replace(text) + "'" }

var stringEscaper = strings.NewReplacer(
	`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\x1a", `\Z`)

// NeutralSession makes the following statements independent of the user's settings: quoting,
// character set, and no events in the binary log.
func NeutralSession() []string {
	return []string{
		"SET SESSION sql_mode = '';",
		"SET NAMES utf8mb4;",
		"SET SESSION sql_log_bin = 0;",
	}
}

// CreateSchemas creates the schemas of the benchmark.
func CreateSchemas(t contract.Target) (out []string) {
	for _, schema := range t.Schemas() {
		out = append(out, "CREATE DATABASE IF NOT EXISTS "+QuoteIdentifier(schema)+";")
	}
	return out
}

// Account is the benchmark's account in SQL. It allows any client address; the NetworkPolicy
// of the target restricts them.
func Account(t contract.Target) string { return QuoteString(t.Username) + "@'%'" }

// Grants give the account its privileges on all schemas. In a GRANT the name of a schema is a pattern, so
// its wildcards are escaped.
func Grants(t contract.Target) (out []string) {
	escaped := strings.NewReplacer(`\`, `\\`, `_`, `\_`, `%`, `\%`)
	for _, schema := range t.Schemas() {
		out = append(out, GrantOn(t, escaped.Replace(schema)))
	}
	return out
}

// GrantOn grants the account its privileges on a schema, whose name is taken as it stands.
func GrantOn(t contract.Target, schema string) string {
	return "GRANT " + privileges + " ON " + QuoteIdentifier(schema) + ".* TO " + Account(t) + ";"
}
