package drivers

import (
	"strings"
	"unicode/utf8"
)

// statementCounters of servers, by the first word of a statement.
var statementCounters = map[string]string{
	"INSERT": "com_insert", "UPDATE": "com_update", "DELETE": "com_delete", "SELECT": "com_select", "DO": "com_do",
}

// server is what the server has to have counted and seen after the run.
func (c vectorRun) server(seed int64) (map[string]Bounds, *Seen) {
	switch c.operation.kind {
	case kindEncode:
		return nil, nil
	case kindConnect:
		return map[string]Bounds{"connections": {Least: c.operations}}, nil
	}
	executed, texts := c.executions()
	word, _, _ := strings.Cut(c.request.Statement, " ")
	counters := map[string]Bounds{statementCounters[word]: executed}
	counters["connections"] = c.connections()
	seen := &Seen{Begins: begins(c.request), Bounds: texts}
	if c.operation.inline || c.operation.name == "Do" {
		// Nothing in the answer is of these values.
		seen.Values = c.values(seed)
	}
	if word == "SELECT" {
		// A driver may ask the server something of its own: how many of those of the run there were, the log says.
		counters[statementCounters[word]] = Bounds{Least: executed.Least}
	}
	if c.scheme == prepared {
		seen.As = "Execute"
		counters["com_stmt_execute"] = executed
		counters["com_stmt_prepare"] = Bounds{Least: 1}
	}
	counters["com_commit"] = between(0, 0)
	if c.request.Commit {
		counters["com_commit"] = between(c.operations, c.operations)
	}
	return counters, seen
}

// connections that are made in the run. A session that was ended before is made anew, and a pool is filled; of operations that each
// make their own there have to be more than that.
func (c vectorRun) connections() Bounds {
	switch c.session {
	case canPool:
		return between(0, int64(c.concurrency)+1)
	case dedicated:
		return between(0, int64(c.concurrency))
	}
	return Bounds{Least: c.operations}
}

// values of one parameter, one for each operation.
func (c vectorRun) values(seed int64) []string {
	rows := c.operation.parameters(seed, c.dataRows())
	out := make([]string, c.operations)
	for i := range out {
		out[i] = plain(rows[i%len(rows)][0])
	}
	return out
}

// executions are how many statements the server executes, and how many texts or executions it is sent.
func (c vectorRun) executions() (executed, sent Bounds) {
	rows := int64(1)
	if c.dataRows() > 0 {
		rows = int64(c.rows)
	}
	all := rows * c.operations
	chunks := (rows + int64(c.chunk) - 1) / int64(c.chunk) * c.operations
	// A server that has to prepare a statement anew, because its table was made anew, counts and logs that execution twice, on each
	// connection.
	again := int64(c.concurrency)
	switch c.scheme {
	case multiRow, inList:
		return between(chunks, chunks), between(chunks, chunks)
	case multiStatement:
		return between(all, all), between(chunks, all)
	case executeMany, batch:
		// What becomes of the rows is the driver's affair: one statement at least.
		return between(c.operations, all+again), between(c.operations, all+again)
	case prepared:
		return between(all, all+again), between(all, all+again)
	}
	return between(all, all), between(all, all)
}

func between(least, most int64) Bounds { return Bounds{least, &most} }

// begins is how each text of a run begins: up to its first parameter, or to its first character that is not ASCII, because MariaDB's log
// has none of four bytes.
func begins(r *runRequest) string {
	text := r.Statement
	if r.Scheme == multiRow || r.Scheme == inList {
		text = r.Head
	}
	text, _, _ = strings.Cut(text, "?")
	if at := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); at >= 0 {
		text = text[:at]
	}
	return text
}
