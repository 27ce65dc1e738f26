package drivers

import (
	"fmt"
	"strings"
)

// limitVectors are of benchmarks too, at the ends of what a run can be asked.
func limitVectors(p Params) Vectors {
	v := newVectors("Limits")
	named := func(name string) operation {
		op, _ := operationNamed(name)
		return op
	}
	c := cell{operation: named("SelectByKey"), scheme: singleRow, transaction: autocommit, session: dedicated, concurrency: 1, rows: 2, chunk: 1}
	cycleOf(&c, 10)
	// The rows of the data are taken one after the other, and then from the first again.
	v.add(p, c, c.dataRows()/c.rows+2)
	// A time that is over before the first operation ends.
	v.add(p, c, 0)
	// Five thousand parameters in one text, one row in one text, and one row more than a text has.
	for _, n := range []struct{ rows, chunk int }{{1000, 1000}, {1, 1000}, {11, 10}} {
		c := cell{operation: named("Insert"), scheme: multiRow, transaction: autocommit, session: dedicated, concurrency: 1, rows: n.rows, chunk: n.chunk, measure: measureTime}
		cycleOf(&c, n.rows)
		v.add(p, c, vectorOperations)
	}
	for _, scheme := range []string{singleRow, prepared} {
		v.Data["long"] = [][]any{{strings.Repeat("long ", 4000)}}
		v.Setups[kindsOfValues] = makeValues
		known := map[string]Known{}
		if scheme == prepared {
			known["NewLife.MySql"] = Known{"it builds an execution in a buffer of 8,192 bytes", "the answer has the state failed"}
		}
		r := execute(scheme, "INSERT INTO "+valuesTable+" (t) VALUES (?)", "long", 1)
		v.Cases = append(v.Cases, Case{
			Name: "a text of 20,000 characters, " + scheme, Can: []string{scheme}, Known: known,
			Turns: []VectorTurn{{Setup: kindsOfValues, Request: r, State: stateOK, Want: &Want{
				Operations: 1, Question: "SELECT CHAR_LENGTH(t) FROM " + valuesTable, Rows: table1("20000"),
			}}},
		})
	}
	return v
}

// concurrencyVectors are of operations that are under way at once, beside those of the benchmarks.
func concurrencyVectors() Vectors {
	v := newVectors("Concurrency")
	v.Setups[kindsOfValues] = makeValues
	const at, each = 4, 0.25
	// Each worker does one, and the server says on which connection. A sleep is long enough that they overlap.
	apart := execute(singleRow, fmt.Sprintf("INSERT INTO "+valuesTable+" (n, d) SELECT CONNECTION_ID(), SLEEP(%g)", each), "", 1)
	apart.Concurrency, apart.Operations = at, at
	one := query(singleRow, "SELECT 1")
	one.Concurrency, one.Operations = at, 2*at
	good := VectorTurn{Request: one, State: stateOK, Want: &Want{Operations: 2 * at, RowsEach: 1}}
	timed := query(singleRow, "SELECT 1")
	timed.Concurrency, timed.Operations, timed.Seconds = at, 0, shortTime
	// The key is the same in the second operation of each worker.
	v.Data["one key again and again"] = [][]any{{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}, {5, "e"}, {5, "f"}, {5, "g"}, {5, "h"}}
	again := execute(singleRow, "INSERT INTO "+valuesTable+" (id, t) VALUES (?, ?)", "one key again and again", 1)
	again.Concurrency, again.Operations = at, 2*at
	all := []string{singleRow, canConcurrency}
	v.Cases = []Case{
		{Name: "a connection for each, at once", Can: all, Turns: []VectorTurn{{Setup: kindsOfValues, Request: apart, State: stateOK, Want: &Want{
			Operations: at, Overlap: true, Question: "SELECT COUNT(*), COUNT(DISTINCT n) FROM " + valuesTable, Rows: [][]*string{{new("4"), new("4")}},
		}}}},
		{Name: "for a time", Can: all, Turns: []VectorTurn{{Request: timed, State: stateOK, Want: &Want{RowsEach: 1}}}},
		{Name: "one of them fails", Can: all, Turns: []VectorTurn{
			{Setup: kindsOfValues, Request: again, State: stateFailed, Codes: duplicate, Want: &Want{Question: "SELECT COUNT(*) FROM " + valuesTable + " WHERE id = 5", Rows: table1("1")}}, good,
		}},
		{Name: "the server ends all connections", Can: all, Turns: []VectorTurn{good, {Kill: true, Request: one}, good}},
	}
	return v
}

const (
	valuesTable   = "assay_values"
	kindsOfValues = "kinds of values"
)

var makeValues = []string{
	"DROP TABLE IF EXISTS " + valuesTable,
	"CREATE TABLE " + valuesTable + " (id INT AUTO_INCREMENT PRIMARY KEY, n BIGINT, d DOUBLE, t TEXT) DEFAULT CHARACTER SET utf8mb4",
}

// kinds of values: an integer, a number with a point, and a text, with how the server shows the number.
var kinds = []struct {
	n     int
	d     decimal
	shown string
	t     string
}{
	{0, 0.5, "0.5000", ""},
	{-1, -12.34, "-12.3400", `a 'single', a "double" and a back\slash`},
	{2147483648, 1234567.8125, "1234567.8125", "ä ö ü € and a character of four bytes: 𝄞"},
	{-9007199254740991, 3, "3.0000", "100 % ? ; -- # /* */ :name @p0 {0} $1"},
	{9007199254740991, 10000000000.5, "10000000000.5000", "a tab\tand a line\nafter it"},
}

// writtenVectors write each kind of value by each scheme.
func writtenVectors() Vectors {
	v := newVectors("ValuesWritten")
	v.Setups[kindsOfValues] = makeValues
	var written [][]any
	var stored [][]*string
	for _, k := range kinds {
		written = append(written, []any{k.n, k.d, k.t})
		stored = append(stored, []*string{new(plain(k.n)), new(k.shown), new(k.t)})
	}
	v.Data["kinds"] = written
	const insert = "INSERT INTO " + valuesTable + " (n, d, t) VALUES (?, ?, ?)"
	for _, scheme := range insertSchemes {
		v.Cases = append(v.Cases, Case{Name: "every kind of value is written, " + scheme, Can: []string{scheme}, Turns: []VectorTurn{{
			Setup: kindsOfValues, Request: execute(scheme, insert, "kinds", len(kinds)), State: stateOK,
			Want: &Want{Operations: 1, Question: "SELECT n, CAST(d AS DECIMAL(20,4)), t FROM " + valuesTable + " ORDER BY id", Rows: stored},
		}}})
	}
	return v
}

// readVectors read each kind of value.
func readVectors() Vectors {
	v := newVectors("ValuesRead")
	v.Setups["values to read"] = append(makeValues[:len(makeValues):len(makeValues)], fillValues())
	for _, scheme := range []string{singleRow, prepared} {
		// Zero is neither null nor false here, and what is after the fourth value is not looked at.
		r := query(scheme, "SELECT n, t, NULL, n = 0, d, NOW() FROM "+valuesTable+" ORDER BY id")
		v.Cases = append(v.Cases, Case{Name: "every kind of value is read, " + scheme, Can: []string{scheme}, Turns: []VectorTurn{{
			Setup: "values to read", Request: r, State: stateOK, Want: &Want{Operations: 1, RowsEach: int64(len(kinds)), Checksum: checksumOfKinds()},
		}}})
	}
	return v
}

// Codes of errors: the number of the server, or its name or its SQLSTATE in some drivers.
var (
	noSuchTable = []string{"1146", "ER_NO_SUCH_TABLE", "42S02"}
	duplicate   = []string{"1062", "ER_DUP_ENTRY", "23000"}
)

// errorVectors: after an answer that is not ok, a harness goes on.
func errorVectors() Vectors {
	v := newVectors("Errors")
	v.Setups[kindsOfValues] = makeValues
	v.Data["twice the same"] = [][]any{{7, "first"}, {7, "second"}}
	one := query(singleRow, "SELECT 1")
	good := VectorTurn{Request: one, State: stateOK, Want: &Want{Operations: 1, RowsEach: 1}}
	open := func(connection string, port int32, database string) request {
		return &prepareRequest{header: header{Do: "prepare"}, Connection: connection, Port: port, Database: database, Options: map[string]string{}}
	}
	elsewhere := query(singleRow, "SELECT 1")
	elsewhere.Connection = "c2"
	twice := execute(singleRow, "INSERT INTO "+valuesTable+" (id, t) VALUES (?, ?)", "twice the same", 2)
	v.Cases = []Case{
		{Name: "nobody listens", Turns: []VectorTurn{{Request: open("c9", 1, ""), State: stateFailed}, good}},
		{Name: "a schema that does not exist", Turns: []VectorTurn{{Request: open("c9", 0, "assay_nowhere"), State: stateFailed}, good}},
		{Name: "a table that does not exist", Turns: []VectorTurn{{Request: query(singleRow, "SELECT nothing FROM nowhere"), State: stateFailed, Codes: noSuchTable}, good}},
		{Name: "a statement that cannot be prepared", Can: []string{prepared}, Turns: []VectorTurn{
			{Request: query(prepared, "SELECT nothing FROM nowhere"), State: stateFailed, Codes: noSuchTable}, good,
		}},
		{Name: "the same key twice", Turns: []VectorTurn{
			{Setup: kindsOfValues, Request: twice, State: stateFailed, Codes: duplicate, Want: &Want{Question: "SELECT t FROM " + valuesTable, Rows: table1("first")}}, good,
		}},
		{Name: "the server ends the connection", Turns: []VectorTurn{good, {Kill: true, Request: one}, good}},
		{Name: "two connections", Turns: []VectorTurn{
			{Request: open("c2", 0, ""), State: stateOK}, {Request: elsewhere, State: stateOK}, {Request: forget("c2"), State: stateOK}, good,
		}},
	}
	return v
}

// execute one operation of a statement without rows.
func execute(scheme, statement, data string, rows int) *runRequest {
	r := query(scheme, statement)
	r.Kind, r.Data, r.RowsPerOperation, r.Chunk = kindExecute, data, rows, 2
	r.Head, r.Group, r.Separator, r.Tail = pieces(scheme, statement)
	return r
}

// query once, on the connection of the player.
func query(scheme, statement string) *runRequest {
	return &runRequest{
		header: header{Do: "run"}, Connection: connection(0), Kind: kindQuery, Scheme: scheme, Session: dedicated, Statement: statement,
		RowsPerOperation: 1, Chunk: 1, Concurrency: 1, Operations: 1,
	}
}

func table1(value string) [][]*string { return [][]*string{{&value}} }

func fillValues() string {
	tuples := make([]string, len(kinds))
	for i, k := range kinds {
		tuples[i] = tuple([]any{k.n, k.d, k.t})
	}
	return "INSERT INTO " + valuesTable + " (n, d, t) VALUES " + strings.Join(tuples, ", ")
}

func checksumOfKinds() *uint32 {
	var rows [][]any
	for _, k := range kinds {
		zero := 0
		if k.n == 0 {
			zero = 1
		}
		rows = append(rows, []any{k.n, k.t, `\N`, zero})
	}
	return new(checksumOf(rows))
}
