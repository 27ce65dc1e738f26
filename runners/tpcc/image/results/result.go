// Package tpch: this file becomes a part of go-tpc's own package, and results.patch calls it. go-tpc reports the latencies of TPC-H from a
// histogram with buckets of 67 ms, without the time to fetch the rows, and says nothing of a result that it does not
// check. This prints one line for each query whose result was read to its end; those of CH-benCHmark (package ch) too, without the checksum.
package tpch

import (
	"database/sql"
	"fmt"
	"hash/crc32"
	"sort"
	"strings"
	"time"
)

// epoch is what the begins of queries count from.
var epoch = time.Now()

// ReadResult of a query to its end, and say when the query began and how long it took up to its last row, in s, and what it returned: the number of
// rows, and the CRC-32 (IEEE) of the rows in the order of their bytes, with a tab after each value and a newline after each row. The order in which
// a server returns rows that the query does not order is its own affair. A value that is NULL reads \N.
func ReadResult(query string, start time.Time, rows *sql.Rows) ([][]string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all [][]string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("scan %s failed %v", query, err)
		}
		row := make([]string, len(columns))
		for i, v := range values {
			row[i] = v.String
			if !v.Valid {
				row[i] = `\N`
			}
		}
		all = append(all, row)
	}
	// A server announces the columns before it has computed the first row: an error after that ends the rows.
	if err := rows.Err(); err != nil {
		return nil, err
	}
	printResult(query, start, all)
	return all, nil
}

// DrainResult of a query to its end, as ReadResult does, and keep none of its rows, which may be more than the memory holds: its line has no checksum.
func DrainResult(query string, start time.Time, rows *sql.Rows) error {
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		return err
	}
	fmt.Println(resultLine(query, start, time.Since(start), n))
	return nil
}

// PrintEnd says when a part of the load ended: on the clock of the results, in s, and on the wall clock, in µs.
func PrintEnd(part string) {
	now := time.Now()
	fmt.Printf("[Result] %s - Ended(s): %.6f, Unix(us): %d\n", part, now.Sub(epoch).Seconds(), now.UnixMicro())
}

func printResult(query string, start time.Time, rows [][]string) {
	took := time.Since(start)
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "\t")+"\t\n")
	}
	sort.Strings(lines)
	sum := crc32.NewIEEE()
	for _, line := range lines {
		_, _ = sum.Write([]byte(line))
	}
	fmt.Printf("%s, CRC-32: %08x\n", resultLine(query, start, took, len(rows)), sum.Sum32())
}

func resultLine(query string, start time.Time, took time.Duration, rows int) string {
	return fmt.Sprintf("[Result] %s - Began(s): %.6f, Takes(s): %.6f, Rows: %d", strings.ToUpper(query), start.Sub(epoch).Seconds(), took.Seconds(), rows)
}
