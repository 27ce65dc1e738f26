package drivers

import (
	"fmt"
	"strings"
)

// table that operations work on.
type table struct {
	name    string
	columns string
	// checked are the columns whose content is compared, but for the key.
	checked string
}

var (
	users = table{
		name: "assay_users", checked: "name, age, email, score, created",
		columns: "id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL, age INT NOT NULL, email VARCHAR(128), " +
			"score DOUBLE, created DATETIME NOT NULL, INDEX idx_age (age)",
	}
	texts = table{
		name: "assay_texts", checked: columns("t", 10),
		columns: "id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, " + strings.ReplaceAll(columns("t", 10), ",", " TEXT NOT NULL,") + " TEXT NOT NULL",
	}
	text = table{
		name: "assay_text", checked: "t0", columns: "id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, t0 TEXT NOT NULL",
	}
	wide = table{name: "assay_wide", columns: wideColumns()}
)

// wideRow are the first four values of the row of the table wide.
var wideRow = []any{"localhost", "root", "*81F5E21E35407D884A6CD4A731AEBFB6AF209E1B", "Y"}

// wideColumns are like those of mysql.user in MariaDB 10.6. That table itself has other
// columns on every server, and the benchmark's account may not read it.
func wideColumns() string {
	all := []string{"host VARCHAR(255) NOT NULL", "user VARCHAR(128) NOT NULL", "password LONGTEXT"}
	for i := range 29 {
		all = append(all, fmt.Sprintf("priv%d VARCHAR(1)", i))
	}
	for _, name := range []string{"ssl_type", "ssl_cipher", "x509_issuer", "x509_subject"} {
		all = append(all, name+" LONGTEXT NOT NULL")
	}
	for _, name := range []string{"max_questions", "max_updates", "max_connections", "max_user_connections"} {
		all = append(all, name+" BIGINT UNSIGNED NOT NULL")
	}
	return strings.Join(append(all, "plugin LONGTEXT NOT NULL", "authentication_string LONGTEXT NOT NULL",
		"password_expired LONGTEXT NOT NULL", "is_role LONGTEXT NOT NULL", "default_role LONGTEXT NOT NULL",
		"max_statement_time DECIMAL(12,6) NOT NULL"), ", ")
}

// in is the name of the table with a storage engine of its own.
func (t table) in(engine string) string {
	if engine == "" {
		return t.name
	}
	return t.name + "_" + strings.ToLower(engine)
}

// create makes the table anew.
func (t table) create(engine, otherwise string) []string {
	name := t.in(engine)
	if engine == "" {
		engine = otherwise
	}
	make := "CREATE TABLE " + name + " (" + t.columns + ") DEFAULT CHARACTER SET utf8mb4"
	if engine != "" {
		make += " ENGINE = " + engine
	}
	return []string{"DROP TABLE IF EXISTS " + name, make}
}

// seedRows is how many rows one statement of fill has.
const seedRows = 1000

// fill empties the table of a cell and puts into it what the operation starts from.
func (c cell) fill(seed int64) []string {
	t := c.operation.table
	name := t.in(c.engine)
	out := []string{"TRUNCATE TABLE " + name}
	if t == &wide {
		values := append([]any{}, wideRow...)
		for range 28 {
			values = append(values, "Y")
		}
		values = append(values, "", "", "", "", 0, 0, 0, 0, "mysql_native_password", "*81F5E21E35407D884A6CD4A731AEBFB6AF209E1B", "N", "N", "", 0)
		return append(out, "INSERT INTO "+name+" VALUES "+tuple(values))
	}
	rows := seededUsers(seed, c.tableRows())
	for len(rows) > 0 {
		n := min(len(rows), seedRows)
		tuples := make([]string, n)
		for i, row := range rows[:n] {
			tuples[i] = tuple(row)
		}
		out = append(out, "INSERT INTO "+name+" (id, "+t.checked+") VALUES "+strings.Join(tuples, ", "))
		rows = rows[n:]
	}
	return out
}

// tuple of literals.
func tuple(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = plain(v)
		if text, ok := v.(string); ok {
			words[i] = "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
		}
	}
	return "(" + strings.Join(words, ", ") + ")"
}
