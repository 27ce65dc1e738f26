package drivers

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of operations in the protocol.
const (
	kindExecute = "Execute"
	kindQuery   = "Query"
	kindConnect = "Connect"
	kindEncode  = "Encode"
)

// operation is a row of the table that docs/reference/driver-operations.md is made of.
type operation struct {
	// name in the API.
	name string
	// kind in the protocol.
	kind string
	// does says what one row of it does, for people.
	does string
	// from says which published experiment has it.
	from string
	// table that it works on; nil for none.
	table *table
	// seeded: before it begins, the table has a row for each row of the data; else it is empty.
	seeded bool
	// statement with ? for parameters; %d stands for the number of rows. Empty for Connect.
	statement string
	// list is the statement for the scheme InList.
	list string
	// parameters of the rows; nil for a statement without.
	parameters func(seed int64, n int) [][]any
	// cycle is how many different rows of parameters there are at least, when the operation is
	// repeated for a time.
	cycle int
	// inline: the first parameter is written into the text.
	inline bool
	// many: one operation may have more than one row.
	many bool
	// rounds: it is measured by Rounds unless the spec says otherwise; onlyRounds: always.
	rounds, onlyRounds bool
	// writes is what it does with the table: insert, update or delete; empty: it reads.
	writes string
	// fetched are the rows that the server answers to the rows of parameters of the indexes, or
	// to one statement without any that asks for n rows; the first four values of each count.
	// Nil when they cannot be known.
	fetched func(seed int64, indexes []int, n int) [][]any
	// schemes that make sense for it, in the order of documents.
	schemes []string
}

var (
	readSchemes   = []string{singleRow, prepared, pipelined}
	insertSchemes = []string{singleRow, prepared, executeMany, pipelined, multiRow, multiStatement, batch}
	updateSchemes = []string{singleRow, prepared, executeMany, pipelined, multiStatement, batch}
	deleteSchemes = []string{singleRow, prepared, executeMany, pipelined, multiStatement, inList, batch}
)

const (
	published0 = "S0, batch schemes in .NET"
	published2 = "S2, baseline in Python"
	published3 = "S3, drivers of Node.js"
)

// operations in the order of documents.
var operations = []operation{
	{
		name: "Insert", kind: kindExecute, table: &users, writes: "insert", many: true, rounds: true, cycle: 1000, schemes: insertSchemes,
		statement:  "INSERT INTO " + users.name + " (name, age, email, score, created) VALUES (?, ?, ?, ?, ?)",
		parameters: newUsers, does: "adds a user of five values", from: published0 + "; " + published2,
	},
	{
		name: "InsertTexts", kind: kindExecute, table: &texts, writes: "insert", many: true, cycle: 100, schemes: insertSchemes,
		statement:  "INSERT INTO " + texts.name + " (" + columns("t", 10) + ") VALUES (?" + strings.Repeat(", ?", 9) + ")",
		parameters: textRows(10), does: "adds ten texts of 100 characters", from: published3,
	},
	{
		name: "InsertText", kind: kindExecute, table: &text, writes: "insert", many: true, cycle: 100, schemes: insertSchemes,
		statement:  "INSERT INTO " + text.name + " (t0) VALUES (?)",
		parameters: textRows(1), does: "adds one text of 100 characters", from: published3,
	},
	{
		name: "Update", kind: kindExecute, table: &users, seeded: true, writes: "update", many: true, onlyRounds: true, cycle: 1000, schemes: updateSchemes,
		statement:  "UPDATE " + users.name + " SET age = ? WHERE id = ?",
		parameters: newAges, does: "sets the age of one user by its key", from: published0,
	},
	{
		name: "Delete", kind: kindExecute, table: &users, seeded: true, writes: "delete", many: true, onlyRounds: true, schemes: deleteSchemes,
		statement:  "DELETE FROM " + users.name + " WHERE id = ?",
		list:       "DELETE FROM " + users.name + " WHERE id IN (?)",
		parameters: keys, does: "removes one user by its key", from: published0,
	},
	{
		name: "SelectByKey", kind: kindQuery, table: &users, seeded: true, many: true, rounds: true, cycle: 1000, schemes: readSchemes,
		statement:  "SELECT id, name, age, email, score, created FROM " + users.name + " WHERE id = ?",
		parameters: keys, does: "reads one user by its key",
		fetched: func(seed int64, indexes []int, _ int) [][]any { return pick(seededUsers, seed, indexes) }, from: published0,
	},
	{
		name: "SelectRows", kind: kindQuery, table: &users, seeded: true, many: true, schemes: readSchemes,
		statement: "SELECT id, name, age, email, score, created FROM " + users.name + " ORDER BY id LIMIT %d",
		does:      "reads the first users in one statement: as many as the operation has rows",
		fetched:   func(seed int64, _ []int, n int) [][]any { return seededUsers(seed, n) }, from: published2,
	},
	{
		name: "SelectASCII", kind: kindQuery, table: &users, seeded: true, many: true, schemes: readSchemes,
		statement: "SELECT id, '" + asciiCell + "' AS t FROM " + users.name + " ORDER BY id LIMIT %d",
		does:      "reads a key and a text of 20 characters in one statement: as many rows as the operation has",
		fetched:   repeatedCell(asciiCell), from: published2 + " (codec)",
	},
	{
		name: "SelectUTF8", kind: kindQuery, table: &users, seeded: true, many: true, schemes: readSchemes,
		statement: "SELECT id, '" + utf8Cell + "' AS t FROM " + users.name + " ORDER BY id LIMIT %d",
		does:      "the same with 20 characters that have 52 bytes in UTF-8: the server makes the same rows, and the answer has twice the bytes; what differs is sending, receiving and decoding them",
		fetched:   repeatedCell(utf8Cell), from: published2 + " (codec)",
	},
	{
		name: "SelectOne", kind: kindQuery, schemes: readSchemes,
		statement: "SELECT 1", does: "asks for a constant", from: published2,
		fetched: func(int64, []int, int) [][]any { return [][]any{{1}} },
	},
	{
		name: "SelectParameter", kind: kindQuery, schemes: readSchemes, cycle: 1000,
		statement: "SELECT ? AS t", parameters: numbers, does: "has an integer sent back", from: published3,
		fetched: func(seed int64, indexes []int, _ int) [][]any { return pick(numbers, seed, indexes) },
	},
	{
		name: "SelectParameters", kind: kindQuery, schemes: readSchemes, cycle: 100,
		statement: "SELECT ? AS " + strings.ReplaceAll(columns("t", 10), ", ", ", ? AS "), parameters: textRows(10), does: "has ten texts of 100 characters sent back",
		fetched: func(seed int64, indexes []int, _ int) [][]any { return pick(textRows(10), seed, indexes) },
	},
	{
		name: "SelectWide", kind: kindQuery, table: &wide, seeded: true, schemes: readSchemes,
		statement: "SELECT w.* FROM " + wide.name + " w LIMIT 1", does: "reads a row of 47 columns, like one of mysql.user", from: published3,
		fetched: func(int64, []int, int) [][]any { return [][]any{wideRow} },
	},
	{
		name: "SelectWideUncached", kind: kindQuery, table: &wide, seeded: true, schemes: []string{singleRow}, cycle: 100000, inline: true,
		statement: "SELECT w.*, ? FROM " + wide.name + " w LIMIT 1", parameters: numbers,
		does: "the same with a number in the text that changes, so that no driver can know the statement", from: published3,
		fetched: func(int64, []int, int) [][]any { return [][]any{wideRow} },
	},
	{
		name: "SelectCollations", kind: kindQuery, schemes: readSchemes,
		statement: "SELECT * FROM information_schema.COLLATIONS", does: "reads all collations that the server knows", from: published3,
	},
	{
		name: "Do", kind: kindExecute, schemes: readSchemes, cycle: 1000,
		statement: "DO ?", parameters: numbers, does: "sends an integer, and no row comes back", from: published3,
	},
	{name: "Connect", kind: kindConnect, does: "makes a connection, login included, and closes it", from: published2},
	{
		name: "Encode", kind: kindEncode, cycle: 100,
		statement:  "INSERT INTO " + texts.name + " (" + columns("t", 10) + ") VALUES (?" + strings.Repeat(", ?", 9) + ")",
		parameters: textRows(10), does: "writes ten texts of 100 characters into a statement, without a server", from: published2 + " (codec)",
	},
}

// Texts of 20 characters. Those of the second need two bytes (10), three (8) or four (2).
const (
	asciiCell = "twenty characters ok"
	utf8Cell  = "äöüßéñçøåœ€–…日本語中文𝄞𝄢"
)

// repeatedCell is the answer of so many rows, each with its key and the same text.
func repeatedCell(text string) func(int64, []int, int) [][]any {
	return func(_ int64, _ []int, n int) [][]any {
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = []any{i + 1, text}
		}
		return rows
	}
}

func operationNamed(name string) (operation, bool) {
	i := slices.IndexFunc(operations, func(o operation) bool { return o.name == name })
	if i < 0 {
		return operation{}, false
	}
	return operations[i], true
}

// columns are names such as t0, t1.
func columns(prefix string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return strings.Join(names, ", ")
}

// dataRows is how many rows of parameters a cell has; 0 without any. It is a multiple of the rows
// of an operation, so that no operation takes the last rows and the first. Operations of one round have rows of their own.
func (c cell) dataRows() int {
	switch {
	case c.operation.parameters == nil:
		return 0
	case c.measure == measureTime:
		return max((c.operation.cycle+c.rows-1)/c.rows, 1) * c.rows
	}
	return c.rows * c.concurrency
}

// tableRows is how many rows the table has before the operation.
func (c cell) tableRows() int {
	switch {
	case !c.operation.seeded:
		return 0
	case c.operation.table == &wide:
		return 1
	case c.operation.parameters == nil:
		return c.rows
	}
	return c.dataRows()
}

// sql of a cell.
func (c cell) sql() string {
	switch {
	case c.scheme == inList:
		return c.operation.list
	case strings.Contains(c.operation.statement, "%d"):
		return fmt.Sprintf(c.operation.statement, c.rows)
	}
	return c.operation.statement
}
