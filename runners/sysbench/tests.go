package sysbench

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Names of the tests that come with sysbench.
const (
	TestReadWrite      = "oltp_read_write"
	TestReadOnly       = "oltp_read_only"
	TestWriteOnly      = "oltp_write_only"
	TestPointSelect    = "oltp_point_select"
	TestInsert         = "oltp_insert"
	TestDelete         = "oltp_delete"
	TestUpdateIndex    = "oltp_update_index"
	TestUpdateNonIndex = "oltp_update_non_index"
	TestRandomPoints   = "select_random_points"
	TestRandomRanges   = "select_random_ranges"
	TestBulkInsert     = "bulk_insert"
)

// group is a kind of statement of the OLTP tests: how often an event executes it is
// an option.
type group struct {
	// options with the number of executions, and what sysbench takes without them.
	options map[string]int64
	// each execution is so many statements.
	each int64
	// prepared statements per table, whatever the options say.
	prepared int64
	// rows that an execution changes; it has as many writing statements.
	rows runner.Rows
	// switchable: --range-selects=off leaves the group out altogether.
	switchable bool
}

// The groups of oltp_common.lua of 1.0.20.
var (
	pointSelects = group{options: map[string]int64{"point_selects": 10}, each: 1, prepared: 1}
	rangeSelects = group{
		options: map[string]int64{"simple_ranges": 1, "sum_ranges": 1, "order_ranges": 1, "distinct_ranges": 1},
		each:    1, prepared: 4, switchable: true,
	}
	indexUpdates    = group{options: map[string]int64{"index_updates": 1}, each: 1, prepared: 1, rows: runner.Rows{Updated: 1}}
	nonIndexUpdates = group{options: map[string]int64{"non_index_updates": 1}, each: 1, prepared: 1, rows: runner.Rows{Updated: 1}}
	deleteInserts   = group{options: map[string]int64{"delete_inserts": 1}, each: 2, prepared: 2, rows: runner.Rows{Deleted: 1, Inserted: 1}}
)

// test is what an event of a bundled test consists of, from the Lua sources of 1.0.20.
type test struct {
	// transaction: BEGIN and COMMIT around the event, both prepared, unless skipTrx.
	transaction bool
	groups      []group
	// statements that are always there, with those prepared per table and per
	// connection.
	statements, perTable, perConnection int64
	// rows that an event changes besides those of its groups.
	rows runner.Rows
	// oneTable: the test refuses to have more.
	oneTable bool
	// ownSchema: its tables are not those of the OLTP tests.
	ownSchema bool
}

var bundled = map[string]test{
	TestReadWrite:      {transaction: true, groups: []group{pointSelects, rangeSelects, indexUpdates, nonIndexUpdates, deleteInserts}},
	TestReadOnly:       {transaction: true, groups: []group{pointSelects, rangeSelects}},
	TestWriteOnly:      {transaction: true, groups: []group{indexUpdates, nonIndexUpdates, deleteInserts}},
	TestPointSelect:    {statements: 1, perTable: 1},                    // it sets point_selects to 1, whatever was asked for
	TestInsert:         {statements: 1, rows: runner.Rows{Inserted: 1}}, // as text: nothing is prepared
	TestDelete:         {statements: 1, perTable: 1, rows: runner.Rows{Deleted: 1}},
	TestUpdateIndex:    {groups: []group{indexUpdates}},
	TestUpdateNonIndex: {groups: []group{nonIndexUpdates}},
	TestRandomPoints:   {statements: 1, perConnection: 1, oneTable: true},
	TestRandomRanges:   {statements: 1, perConnection: 1, oneTable: true},
	// An event is a row; as many rows as fit into half a megabyte are one statement.
	TestBulkInsert: {ownSchema: true, rows: runner.Rows{Inserted: 1}},
}

// queriesPerEvent counts the statements of an event without errors: with nothing in
// options 20 (read write), 16 (read only) and 6 (write only), 2 less with skipTrx, and
// 1 in the others. 0 for what is not known: bulk_insert and scripts of the user.
func (p Params) queriesPerEvent() int64 {
	t := bundled[p.Test]
	n := t.statements
	for _, g := range t.groups {
		if g.switchable && !p.truth("range_selects", true) {
			continue
		}
		for name, usual := range g.options {
			n += g.each * p.number(name, usual)
		}
	}
	if t.transaction && !p.SkipTrx {
		n += 2
	}
	return n
}

// change is what an event without errors is to change.
type change struct {
	rows runner.Rows
	// writes are its statements that write; 0 where that is not known.
	writes float64
}

// changes of an event: each of its writing statements changes one row, except in
// bulk_insert, where one statement has many. Nothing is known of scripts of the user.
func (p Params) changes() change {
	t := bundled[p.Test]
	c := change{rows: t.rows}
	for _, g := range t.groups {
		for name, usual := range g.options {
			c.rows = c.rows.Plus(g.rows.Times(float64(p.number(name, usual))))
		}
	}
	if !t.ownSchema {
		c.writes = c.rows.Sum()
	}
	return c
}

// onExisting: nothing is known of scripts of the user.
func onExisting(t contract.Trial) (readsOnly bool, err error) {
	p, err := workloadOf(t)
	switch {
	case err != nil:
		return false, err
	case bundled[p.Test].ownSchema:
		return false, fmt.Errorf("%s empties its tables before it fills them", p.Test)
	}
	return p.Script == nil && p.changes().rows.Sum() == 0, nil
}

// preparedPerConnection counts the prepared statements that a connection holds open:
//
//	oltp_read_write        9 × tables + 2: 1 point select, 4 ranges, 2 updates, delete, insert; BEGIN, COMMIT
//	oltp_read_only         5 × tables + 2
//	oltp_write_only        4 × tables + 2
//	oltp_point_select, oltp_delete, oltp_update_index, oltp_update_non_index: tables
//	select_random_points, select_random_ranges: 1
//	oltp_insert, bulk_insert: 0
//
// skipTrx takes 2 away, --range-selects=off 4 × tables. How often a statement is
// executed does not matter: with --sum-ranges=0 it is prepared all the same. So 92 with
// 10 tables of oltp_read_write, 42 of oltp_write_only, and 50 of oltp_read_only with
// skipTrx. A server that cannot prepare BEGIN has one less, which sysbench emulates.
func (p Params) preparedPerConnection() int64 {
	if p.DBPSMode == psDisable {
		return 0
	}
	if p.Script != nil {
		return int64(p.Script.PreparedStatements)
	}
	t := bundled[p.Test]
	perTable := t.perTable
	for _, g := range t.groups {
		if !g.switchable || p.truth("range_selects", true) {
			perTable += g.prepared
		}
	}
	n := perTable*int64(p.Tables) + t.perConnection
	if t.transaction && !p.SkipTrx {
		n += 2
	}
	return n
}
